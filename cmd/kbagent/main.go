// Command kbagent answers questions over a folder of documents, with sources, and corrects itself on the way.
// This package wires the parts together and holds nothing else: one file per subcommand.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/mask"
)

// Exit codes of all commands.
const (
	exitOK        = 0
	exitError     = 1
	exitUsage     = 2
	exitAbstained = 3
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// streams are the standard streams of a command.
type streams struct {
	in  *os.File
	out *os.File
	err *os.File
}

// run is one call of the program; it returns the exit code.
func run(ctx context.Context, args []string, std streams) int {
	root := newRoot(std)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var code exitCode
	if errors.As(err, &code) {
		return int(code)
	}
	report(std.err, err)
	var usage *usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitError
}

// report prints an error as one clear sentence.
func report(w io.Writer, err error) {
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(w, "kbagent: interrupted")
		return
	}
	fmt.Fprintf(w, "kbagent: %s\n", mask.Terminal(err.Error()))
}

// exitCode is an outcome that is no error, but has an exit code; what there is to say was printed.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// usageError is a call that the program does not understand.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// global are the flags of every command.
type global struct {
	dataDir string
	envFile string
	tape    tapeFiles  // of ask and chat
	watch   watchFlags // likewise
}

func newRoot(std streams) *cobra.Command {
	var g global
	root := &cobra.Command{
		Use:   "kbagent",
		Short: "Ask your documents, with sources",
		Long: `kbagent answers questions over a folder of documents: Markdown, text, HTML, PDF, DOCX, tables, code. It searches, judges what it found,
searches again when that was not good enough, and answers with the lines that the answer stands in.
It needs no key and no server; with a model configured (KB_AGENT_LLM_*) the answers are written by it.`,
		Example: `  kbagent index ~/notes
  kbagent ask "How do I rotate the logs?"
  kbagent chat`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return start(cmd, &g, std) },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())}
	})
	root.PersistentFlags().StringVar(&g.dataDir, "data-dir", "", "where the index and the threads are kept (KB_AGENT_DATA_DIR, default .kbagent)")
	root.PersistentFlags().StringVar(&g.envFile, "env-file", "", "file with KB_AGENT_* settings (default .env when there is one)")
	root.AddCommand(
		newIndex(&g, std), newSearch(&g, std), newAsk(&g, std), newChat(&g, std), newGraph(std),
		newThreads(&g, std), newHistory(&g, std), newState(&g, std), newFork(&g, std), newResume(&g, std),
		newReview(&g, std), newStats(&g, std), newDoctor(&g, std), newEval(&g, std), newPrompts(&g, std), newScenario(&g, std), newExplore(std), newVersion(std),
		newCompletion(std), newMan(std), newInit(&g, std), newCollections(&g, std),
	)
	if err := addCompletions(root, &g); err != nil {
		panic("kbagent: the table of completions is wrong: " + err.Error())
	}
	return root
}

// noArgs refuses arguments; for the root command they are commands that do not exist.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasSubCommands() {
		hint := ""
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			hint = fmt.Sprintf("; did you mean %q?", near[0])
		}
		return &usageError{fmt.Errorf("there is no command %q%s (see %s --help)", args[0], hint, cmd.CommandPath())}
	}
	return &usageError{fmt.Errorf("%s takes no arguments (see %s --help)", cmd.CommandPath(), cmd.CommandPath())}
}

// someArgs wants at least one argument, named what.
func someArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return &usageError{fmt.Errorf("%s needs %s (see %s --help)", cmd.CommandPath(), what, cmd.CommandPath())}
		}
		return nil
	}
}
