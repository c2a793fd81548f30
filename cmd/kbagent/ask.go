package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/state"
)

func newAsk(g *global, std streams) *cobra.Command {
	var (
		thread, mode string
		asJSON, why  bool
		lines        bulk
		part         scopeFlags
	)
	cmd := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Answer one question, with sources",
		Long: `ask answers a question from the knowledge base. With --thread the question belongs to a conversation: a follow-up is
understood, and the same question after a crash continues where the run stopped.
Exit codes: 0 answered, 3 no answer found (it says so), 4 it waits for answers (see resume), 1 error, 2 wrong usage.

With --jsonl the questions come from stdin, one a line, and the answers go out in their order, each as one line of JSON. A
line is a text, or an object with question and, where wanted, id, thread and mode. A question that fails has an error in its
line and does not stop the others; then the exit code is 1, else 0, also for questions without an answer.`,
		Example: `  kbagent ask "How do I rotate the logs?"
  kbagent ask --thread ops "and on Windows?"
  kbagent ask --mode strict --json "How long are logs kept?"
  kbagent ask --collection ops "How long are logs kept?"
  kbagent ask --jsonl --concurrency 8 < questions.txt > answers.jsonl`,
		Args: lines.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if lines.on {
				return askBulk(cmd, g, std, &lines, agent.Question{Mode: state.AnswerMode(mode), Scope: part.scope()})
			}
			q := agent.Question{Text: strings.Join(args, " "), Thread: thread, Mode: state.AnswerMode(mode), Scope: part.scope()}
			if err := checkQuestion(q); err != nil {
				return err
			}
			a, err := openAssistant(cmd.Context(), g, std)
			if err != nil {
				return err
			}
			if q.Thread == "" {
				q.Thread = a.agent.NewThread()
			}
			o, err := a.ask(cmd.Context(), q, std, !asJSON && isTerminal(std.out))
			return a.finish(cmd.Context(), err, func() error { return o.print(std, q.Thread, why, asJSON) })
		},
	}
	lines.flags(cmd)
	part.flags(cmd)
	g.tape.flags(cmd)
	g.watch.flags(cmd)
	cmd.Flags().StringVar(&thread, "thread", "", "conversation that the question belongs to (default a new one)")
	cmd.Flags().StringVar(&mode, "mode", "", "strict, best_effort or open (default KB_AGENT_ANSWER_MODE)")
	cmd.Flags().BoolVar(&why, "why", false, "explain the path to the answer")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answer with everything about it as JSON")
	return cmd
}

func checkQuestion(q agent.Question) error {
	if strings.TrimSpace(q.Text) == "" {
		return &usageError{agent.ErrEmptyQuestion}
	}
	return checkMode(q.Mode)
}

// checkMode refuses a mode that does not exist; "" is that of the settings.
func checkMode(mode state.AnswerMode) error {
	switch mode {
	case "", state.ModeStrict, state.ModeBestEffort, state.ModeOpen:
		return nil
	default:
		return &usageError{fmt.Errorf("--mode is strict, best_effort or open, not %q", mode)}
	}
}

// ask runs a question; live shows on stderr what the agent is doing.
func (a *assistant) ask(ctx context.Context, q agent.Question, std streams, live bool) (outcome, error) {
	if err := a.needDocuments(ctx, q.Scope); err != nil {
		return outcome{}, err
	}
	o, err := follow(a.agent.Ask(ctx, q), std, live)
	if err == nil {
		o, err = a.hear(ctx, q.Thread, o, std, live)
	}
	if errors.Is(err, graph.ErrFenced) {
		err = fmt.Errorf("another process has taken the thread %s: ask again, or use another --thread: %w", q.Thread, err)
	}
	return o, err
}

// printAnswer prints the answer and its sources on stdout, warnings on stderr.
func printAnswer(std streams, a agent.Answer, why bool) error {
	if _, err := fmt.Fprintln(std.out, mask.Terminal(a.Answer)); err != nil {
		return err
	}
	if len(a.Citations) > 0 {
		fmt.Fprintln(std.out)
	}
	for _, c := range a.Citations {
		fmt.Fprintln(std.out, mask.TerminalLine(c.String()))
	}
	if line := checkLine(a); line != "" {
		fmt.Fprintf(std.out, "\n%s\n", line)
	}
	if why {
		fmt.Fprintf(std.out, "\n%s\n", strings.TrimSpace(agent.Explain(a.State)))
	}
	for _, w := range a.Warnings {
		fmt.Fprintf(std.err, "note: %s\n", mask.TerminalLine(w))
	}
	return nil
}
