package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/docs"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/repl"
	"github.com/kbagent/kbagent/state"
)

// chatFlags are the flags of chat.
type chatFlags struct {
	thread, mode string
	manual       bool // fills an empty knowledge base
	plain        bool // for screen readers
	part         scopeFlags
}

func newChat(g *global, std streams) *cobra.Command {
	var f chatFlags
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Talk to your documents in the terminal",
		Long: `chat is a conversation with the knowledge base. Ctrl-C stops the running turn only, Ctrl-D or /quit ends the chat,
/help lists the commands. Without a terminal it reads one question a line and prints plain text.
With an empty knowledge base it asks for a folder first; --manual takes the manual of kbagent, which the program carries.`,
		Example: `  kbagent chat
  kbagent chat --thread ops --mode strict
  printf 'How do I add a tool?\n' | kbagent chat --manual`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runChat(cmd.Context(), g, std, f)
		},
	}
	g.tape.flags(cmd)
	g.watch.flags(cmd)
	f.part.flags(cmd)
	cmd.Flags().StringVar(&f.thread, "thread", "", "conversation to go on with (default a new one)")
	cmd.Flags().StringVar(&f.mode, "mode", "", "strict, best_effort or open (default KB_AGENT_ANSWER_MODE)")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "for screen readers: only text that stays, words instead of symbols, no colours")
	cmd.Flags().BoolVar(&f.manual, "manual", false, "fill an empty knowledge base with the manual of kbagent")
	return cmd
}

func runChat(ctx context.Context, g *global, std streams, f chatFlags) error {
	if err := checkMode(state.AnswerMode(f.mode)); err != nil {
		return err
	}
	// Ctrl-C belongs to the turn, not to the program; SIGTERM ends the program.
	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM)
	defer stop()
	a, err := openAssistant(ctx, g, std)
	if err != nil {
		return err
	}
	return errors.Join(a.chat(ctx, f, std), a.close(ctx))
}

func (a *assistant) chat(ctx context.Context, f chatFlags, std streams) error {
	interactive := isTerminal(std.in) && isTerminal(std.out)
	opening, stop := signal.NotifyContext(ctx, os.Interrupt) // until the first prompt Ctrl-C ends the program
	banner, err := a.welcome(opening, std, f.manual, interactive)
	stop()
	if err != nil {
		return err
	}
	if err := needFiles(ctx, a.index, f.part.scope()); err != nil {
		return err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	if !interactive {
		banner = nil
	}
	if f.thread == "" {
		f.thread = a.agent.NewThread()
	}
	host := newChatHost(a, std, f.part.scope())
	return repl.Run(ctx, repl.Config{
		Agent: conversation{a, std, host}, Host: host, In: std.in, Out: std.out, Err: std.err, Interactive: interactive,
		NoColor: !colored(std.out), Links: opensLinks(), Plain: f.plain || interactive && os.Getenv("TERM") == "dumb",
		Thread: f.thread, Mode: state.AnswerMode(f.mode), NewThread: a.agent.NewThread, Threads: a.threads,
		HistoryFile: filepath.Join(a.cfg.DataDir, "history"), Banner: banner, Signals: signals,
	})
}

// welcome sees to it that the knowledge base is not empty and says what there is.
func (a *assistant) welcome(ctx context.Context, std streams, manual, interactive bool) ([]string, error) {
	stats, err := a.index.Stats(ctx)
	if err != nil {
		return nil, err
	}
	banner := []string{fmt.Sprintf("kbagent %s — /help lists the commands, Ctrl-D ends", version)}
	if stats.Passages == 0 {
		line, err := a.fill(ctx, std, manual, interactive)
		if err != nil {
			return nil, err
		}
		if stats, err = a.index.Stats(ctx); err != nil {
			return nil, err
		}
		banner = append(banner, line)
	}
	banner = append(banner, fmt.Sprintf("%d files, %d passages", stats.Files, stats.Passages))
	if a.cfg.LLM.Model == "" {
		banner = append(banner, "no model: answers quote the documents; with one, which `kbagent init` sets up, they are written and checked")
	}
	return banner, nil
}

// indexManual writes the built-in manual into the data directory, where it can be read and cited, and indexes it.
func (a *assistant) indexManual(ctx context.Context, std streams) error {
	folder := filepath.Join(a.cfg.DataDir, "manual")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	err := fs.WalkDir(docs.Manual, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := docs.Manual.ReadFile(path)
		if err != nil {
			return err
		}
		target := filepath.Join(folder, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
	if err != nil {
		return fmt.Errorf("unpack the manual: %w", err)
	}
	report, err := updateIndex(ctx, a.index, []string{folder}, std, false, index.UpdateOptions{})
	if err == nil && report.Files.Failed > 0 {
		err = failed(report)
	}
	return err
}

func failed(r index.Report) error {
	var errs []error
	for _, e := range r.Errors {
		errs = append(errs, fmt.Errorf("%s: %s", e.Path, e.Error))
	}
	return errors.Join(errs...)
}

// threads are the conversations that the store knows.
func (a *assistant) threads(ctx context.Context) ([]string, error) {
	var ids []string
	for t, err := range a.checkpoints().Threads(ctx) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, t.Thread)
	}
	return ids, nil
}
