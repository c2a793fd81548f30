package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/config"
)

// initFlags are the answers that flags give.
type initFlags struct {
	server, baseURL, model, keyFile    string
	embedURL, embedModel, embedKeyFile string
	folder                             string
	test, yes                          bool
}

func newInit(g *global, std streams) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a settings file by asking for the model, embeddings and a folder",
		Long: `init asks which model writes the answers and which one makes embeddings, tests both when that is wanted, writes the
settings into .env (or --env-file), readable for you alone, and indexes a folder. A file that is there is changed only when
you agree; its other lines stay. What a flag says is not asked. The questions can be answered by a pipe, one line each;
--yes asks nothing and takes the usual answers.`,
		Example: `  kbagent init
  kbagent init --server ollama --model llama3.1 --folder ~/notes --test --yes
  kbagent init --server openai --api-key-file key.txt --yes`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return initialize(cmd.Context(), &setup{flags: f, given: cmd.Flags().Changed, g: g, std: std, person: person{std.in, std.err}})
		},
	}
	cmd.Flags().StringVar(&f.server, "server", "", "model server: "+strings.Join(presetNames(), ", "))
	cmd.Flags().StringVar(&f.baseURL, "base-url", "", "address of the model server (default that of --server)")
	cmd.Flags().StringVar(&f.model, "model", "", "name of the model")
	cmd.Flags().StringVar(&f.keyFile, "api-key-file", "", "file whose first line is the key; - reads standard input")
	cmd.Flags().StringVar(&f.embedModel, "embedding-model", "", "name of the embedding model; empty for none")
	cmd.Flags().StringVar(&f.embedURL, "embedding-base-url", "", "address of the embedding server (default the model server)")
	cmd.Flags().StringVar(&f.embedKeyFile, "embedding-api-key-file", "", "file whose first line is its key (default the model's key)")
	cmd.Flags().StringVar(&f.folder, "folder", "", "folder to index; empty for none")
	cmd.Flags().BoolVar(&f.test, "test", false, "make small requests to each endpoint and write nothing when one fails")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "ask nothing")
	return cmd
}

// setup is one run of init.
type setup struct {
	flags  initFlags
	given  func(flag string) bool
	g      *global
	std    streams
	person person
	now    config.Config // the settings before; empty when they cannot be used
}

// initialize asks, tests, writes and indexes.
func initialize(ctx context.Context, s *setup) error {
	path := s.g.envFile
	if path == "" {
		path = ".env"
	}
	if now, err := loadConfig(s.g); err == nil && !s.flags.yes {
		s.now = now
	}
	changes, err := s.settings(ctx)
	if err != nil {
		return s.unwritten(err)
	}
	there, err := exists(path)
	if err != nil {
		return err
	}
	cfg, err := s.check(changes, path, there)
	if err != nil {
		return s.unwritten(err)
	}
	folder, err := s.folder(ctx)
	if err == nil {
		err = s.tryEndpoints(ctx, cfg)
	}
	if err == nil && there && !s.flags.yes {
		err = s.mayChange(ctx, path)
	}
	if err != nil {
		return s.unwritten(err)
	}
	if err := s.write(path, there, changes); err != nil {
		return err
	}
	return s.finish(ctx, path, changes, folder)
}

// unwritten adds to an error that nothing has changed.
func (s *setup) unwritten(err error) error {
	var usage *usageError
	if errors.Is(err, context.Canceled) || errors.Is(err, errDeclined) || errors.As(err, &usage) {
		return err
	}
	return fmt.Errorf("%w; nothing was written", err)
}

// check loads the settings as they would be: those of the file with the changes.
func (s *setup) check(changes []config.Change, path string, there bool) (config.Config, error) {
	opts := config.Options{EnvFile: os.DevNull, Flags: map[string]string{}}
	if there {
		opts.EnvFile = path
	}
	if s.g.dataDir != "" {
		opts.Flags["KB_AGENT_DATA_DIR"] = s.g.dataDir
	}
	for _, c := range changes {
		opts.Flags[c.Name] = c.Value // counts more than the file; an empty value hides what stands there
	}
	return config.Load(opts)
}

func (s *setup) mayChange(ctx context.Context, path string) error {
	ok, err := s.person.agrees(ctx, path+" is there. Change these settings in it? Its other lines stay.", false)
	if err == nil && !ok {
		err = errDeclined
	}
	return err
}

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// tryEndpoints makes doctor's live requests. On a terminal a failure may be accepted.
func (s *setup) tryEndpoints(ctx context.Context, cfg config.Config) error {
	if cfg.LLM.Model == "" && cfg.Embedding.Model == "" {
		return nil
	}
	test := s.flags.test
	if !test && !s.flags.yes {
		var err error
		if test, err = s.person.agrees(ctx, "Test the endpoints now? It makes a few small requests.", true); err != nil {
			return err
		}
	}
	if !test {
		return nil
	}
	failed := false
	for _, c := range liveChecks(ctx, cfg) {
		fmt.Fprintf(s.std.err, "%-7s %s: %s\n", c.State, c.Name, c.Detail)
		failed = failed || c.State == stateFailed
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !failed:
		return nil
	case s.flags.yes || s.flags.test:
		return errors.New("an endpoint does not work")
	}
	ok, err := s.person.agrees(ctx, "An endpoint does not work. Write the settings all the same?", false)
	if err == nil && !ok {
		err = errDeclined
	}
	return err
}

// write changes the file. Without anything to say none is made.
func (s *setup) write(path string, there bool, changes []config.Change) error {
	set := 0
	for _, c := range changes {
		if c.Value != "" {
			set++
		}
	}
	if set == 0 && !there {
		_, err := fmt.Fprintf(s.std.out, "no settings are needed without a model: %s was not written\n", path)
		return err
	}
	if err := config.Edit(path, changes); err != nil {
		return fmt.Errorf("the settings were not written: %w", err)
	}
	_, err := fmt.Fprintf(s.std.out, "wrote %s (%d settings)\n", path, set)
	return err
}

// settled reads the settings as the next command will, and says what is to be known of them.
func (s *setup) settled(path string, changes []config.Change) (config.Config, error) {
	cfg, err := loadConfig(s.g)
	if err != nil {
		return cfg, err
	}
	if len(cfg.Secrets()) > 0 {
		fmt.Fprintf(s.std.err, "note: %s holds a key: keep it out of version control\n", path)
	}
	for _, v := range cfg.Values() {
		ours := slices.ContainsFunc(changes, func(c config.Change) bool { return c.Name == v.Name })
		if ours && v.Source == config.SourceEnvironment {
			fmt.Fprintf(s.std.err, "note: %s is also set in the environment, which counts more than %s\n", v.Name, path)
		}
	}
	return cfg, nil
}

// finish indexes the folder and says how to go on.
func (s *setup) finish(ctx context.Context, path string, changes []config.Change, folder string) error {
	cfg, err := s.settled(path, changes)
	if err != nil {
		return err
	}
	if folder == "" {
		_, err := fmt.Fprintln(s.std.out, "next: kbagent index PATH, then kbagent chat")
		return err
	}
	b, err := openConfigured(ctx, cfg, newLogger(cfg, s.std.err), tapeFiles{})
	if err != nil {
		return err
	}
	report, err := updateIndex(ctx, b.index, []string{folder}, s.std, true, index.UpdateOptions{})
	if err = errors.Join(err, b.close()); err != nil {
		return err
	}
	if err := printReport(s.std.out, report); err != nil {
		return err
	}
	if report.Files.Failed > 0 {
		return failed(report)
	}
	_, err = fmt.Fprintln(s.std.out, "next: kbagent chat")
	return err
}
