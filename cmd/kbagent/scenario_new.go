package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent/scenarios"
)

// scenarioNew is the flags of `scenario new`.
type scenarioNew struct {
	sketch    scenarios.Sketch
	documents []string
	out       string
}

func newScenarioNew(std streams) *cobra.Command {
	var n scenarioNew
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Write a scenario that runs, from a few questions",
		Long: `new writes a scenario over documents of yours: it plays your questions without a model, and proposes what was seen as what is
expected. Delete what does not matter to your claim. What flags do not say is asked for, on the terminal or as lines of the
standard input: the claim, the defect, files of documents up to an empty line, questions up to an empty line.`,
		Example: `  kbagent scenario new -o mine.yaml
  kbagent scenario new --claim "old logs are found" --guards "nobody found them" --document logs.md --ask "How long are logs kept?"
  printf '%s\n' "old logs are found" "nobody found them" logs.md "" "How long are logs kept?" | kbagent scenario new`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return n.run(cmd.Context(), std) },
	}
	cmd.Flags().StringVar(&n.sketch.Claim, "claim", "", "what the scenario claims, in a sentence")
	cmd.Flags().StringVar(&n.sketch.Guards, "guards", "", "the defect that it keeps away")
	cmd.Flags().StringArrayVar(&n.documents, "document", nil, "file whose text is given; may be given several times")
	cmd.Flags().StringArrayVar(&n.sketch.Questions, "ask", nil, "question of a turn; may be given several times")
	cmd.Flags().StringToStringVar(&n.sketch.Env, "env", nil, "variable of the settings: KB_AGENT_MAX_ITERATIONS=1")
	cmd.Flags().StringVarP(&n.out, "output", "o", "", "file that takes the scenario; it must not exist (default stdout)")
	return cmd
}

func (n *scenarioNew) run(ctx context.Context, std streams) error {
	if err := n.complete(ctx, asker{bufio.NewReader(std.in), std.err, isTerminal(std.in)}); err != nil {
		return err
	}
	var err error
	if n.sketch.Documents, err = readDocuments(n.documents); err != nil {
		return err
	}
	text, result, err := scenarios.Propose(ctx, n.sketch)
	if err != nil && len(n.sketch.Documents) == 0 {
		return fmt.Errorf("a question that is searched for needs a document: name its file with --document (%w)", err)
	}
	if err != nil {
		return err
	}
	if err := writeScenario(std, n.out, text); err != nil {
		return err
	}
	if err := tellResult(std.err, result); err != nil {
		return err
	}
	if !result.Passed {
		return exitCode(exitError)
	}
	return nil
}

// complete asks for what the flags do not say.
func (n *scenarioNew) complete(ctx context.Context, a asker) error {
	asked := n.sketch.Claim == "" || n.sketch.Guards == "" || len(n.sketch.Questions) == 0
	for _, f := range []struct {
		into *string
		what string
	}{{&n.sketch.Claim, "What does the scenario claim"}, {&n.sketch.Guards, "Which defect does it keep away"}} {
		if *f.into != "" {
			continue
		}
		line, err := a.line(ctx, f.what+"? ")
		if err != nil {
			return err
		}
		if *f.into = line; line == "" {
			return &usageError{fmt.Errorf("a scenario needs an answer to %q", f.what+"?")}
		}
	}
	if asked && len(n.documents) == 0 {
		list, err := a.lines(ctx, "File of a document (an empty line ends): ")
		if err != nil {
			return err
		}
		n.documents = list
	}
	if len(n.sketch.Questions) == 0 {
		list, err := a.lines(ctx, "Question (an empty line ends): ")
		if err != nil {
			return err
		}
		if n.sketch.Questions = list; len(list) == 0 {
			return &usageError{errors.New("a scenario needs a question: give one with --ask")}
		}
	}
	return nil
}

// asker asks a person, or reads the answers from a pipe without asking.
type asker struct {
	in     *bufio.Reader
	out    io.Writer
	person bool
}

// line is the next answer; "" at the end of the input. A read of a terminal cannot be interrupted: when ctx is done first, the
// goroutine is left to the end of the process.
func (a asker) line(ctx context.Context, prompt string) (string, error) {
	if a.person {
		if _, err := fmt.Fprint(a.out, prompt); err != nil {
			return "", err
		}
	}
	type answer struct {
		line string
		err  error
	}
	read := make(chan answer, 1)
	go func() {
		line, err := a.in.ReadString('\n')
		read <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case got := <-read:
		if got.err != nil && !errors.Is(got.err, io.EOF) {
			return "", got.err
		}
		return strings.TrimSpace(got.line), nil
	}
}

// lines are the answers up to an empty one.
func (a asker) lines(ctx context.Context, prompt string) ([]string, error) {
	var all []string
	for {
		line, err := a.line(ctx, prompt)
		if err != nil || line == "" {
			return all, err
		}
		all = append(all, line)
	}
}

// maxDocument is how large a document of a scenario may be, in bytes: people are to read the file.
const maxDocument = 64 << 10

// readDocuments reads texts by the names of their files.
func readDocuments(files []string) (map[string]string, error) {
	texts := make(map[string]string, len(files))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(file)
		switch _, twice := texts[name]; {
		case twice:
			return nil, fmt.Errorf("two documents are named %s", name)
		case len(data) > maxDocument:
			return nil, fmt.Errorf("%s is too large for a scenario: it has %d bytes, and %d are allowed", file, len(data), maxDocument)
		}
		texts[name] = string(data)
	}
	return texts, nil
}
