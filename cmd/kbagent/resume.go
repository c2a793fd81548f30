package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// exitWaiting says that a run waits for answers.
const exitWaiting = 4

func newResume(g *global, std streams) *cobra.Command {
	var (
		answers     []string
		asJSON, why bool
	)
	cmd := &cobra.Command{
		Use:   "resume THREAD",
		Short: "Go on with the unfinished run of a conversation",
		Long: `resume goes on where a run stopped: after a crash, at a checkpoint that fork went back to, or at questions that it
waits for, which --answer answers. It prints the answer like ask does; of a finished conversation the last one.
Exit codes: 0 answered, 3 no answer found (it says so), 4 it waits for answers (it lists the questions), 1 error, 2 wrong usage.`,
		Example: `  kbagent resume ops
  kbagent resume ops --answer '2.5/review/publish=true' --json`,
		Args: exactArgs("a conversation"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkAnswers(answers); err != nil {
				return &usageError{err}
			}
			a, err := openAssistant(cmd.Context(), g, std)
			if err != nil {
				return err
			}
			o, err := a.resume(cmd.Context(), args[0], answers, std, !asJSON && isTerminal(std.out))
			return a.finish(cmd.Context(), err, func() error { return o.print(std, args[0], why, asJSON) })
		},
	}
	g.watch.flags(cmd)
	cmd.Flags().StringArrayVar(&answers, "answer", nil, "answer a question: ID=JSON; may be given several times")
	cmd.Flags().BoolVar(&why, "why", false, "explain the path to the answer")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answer, or the questions, as JSON")
	return cmd
}

func checkAnswers(answers []string) error {
	for _, pair := range answers {
		if _, value, ok := strings.Cut(pair, "="); !ok || value == "" {
			return fmt.Errorf("--answer is ID=JSON, not %q", pair)
		}
	}
	return nil
}

func (a *assistant) resume(ctx context.Context, thread string, pairs []string, std streams, live bool) (outcome, error) {
	t, err := (&archive{a.base, a.agent}).thread(ctx, thread)
	if err != nil {
		return outcome{}, err
	}
	head, err := t.Head(ctx)
	if err != nil {
		return outcome{}, err
	}
	var answers []graph.Option
	for _, pair := range pairs {
		id, value := splitAnswer(pair, head.Interrupts)
		if waitsForReview(head.Interrupts) {
			return outcome{}, reviewDecides(thread)
		}
		if !json.Valid([]byte(value)) {
			return outcome{}, &usageError{fmt.Errorf("--answer %s: %s is not JSON; a text needs quotation marks, as in '%s=\"text\"'", id, value, id)}
		}
		answers = append(answers, graph.Answer(id, json.RawMessage(value)))
	}
	o, err := follow(a.agent.Resume(ctx, thread, answers...), std, live)
	if err == nil {
		o, err = a.hear(ctx, thread, o, std, live)
	}
	if errors.Is(err, graph.ErrFenced) {
		err = fmt.Errorf("another process has taken the thread %s: %w", thread, err)
	}
	return o, err
}

// splitAnswer takes ID=JSON apart. An id may hold an equals sign; those of the open questions are known.
func splitAnswer(pair string, open []graph.Interrupt) (id, value string) {
	for _, q := range open {
		if value, ok := strings.CutPrefix(pair, q.ID+"="); ok {
			return q.ID, value
		}
	}
	id, value, _ = strings.Cut(pair, "=")
	return id, value
}

// outcome is what a run has come to: an answer, or questions.
type outcome struct {
	answer    agent.Answer
	questions []graph.Interrupt
}

// follow waits for the end of a run; live shows on stderr what the agent is doing.
func follow(events iter.Seq2[agent.Event, error], std streams, live bool) (outcome, error) {
	clear := func() {
		if live {
			fmt.Fprint(std.err, "\r\x1b[K")
		}
	}
	for e, err := range events {
		switch {
		case err != nil:
			clear()
			return outcome{}, err
		case e.Answer != nil, e.Questions != nil:
			clear()
			o := outcome{questions: e.Questions}
			if e.Answer != nil {
				o.answer = *e.Answer
			}
			return o, nil
		case live && e.Node != "":
			fmt.Fprintf(std.err, "\r\x1b[K%s…", strings.ReplaceAll(e.Node, "_", " "))
		}
	}
	return outcome{}, errors.New("the run ended without an answer")
}

// print prints an outcome; what is no plain answer is an exit code.
func (o outcome) print(std streams, thread string, why, asJSON bool) error {
	var err error
	switch waits := len(o.questions) > 0; {
	case waits && asJSON:
		err = printJSON(std.out, struct {
			Thread    string            `json:"thread"`
			Questions []graph.Interrupt `json:"questions"`
		}{thread, o.questions})
	case waits:
		err = printQuestions(std.out, thread, o.questions)
	case asJSON:
		err = printJSON(std.out, o.answer)
	default:
		err = printAnswer(std, o.answer, why)
	}
	switch {
	case err != nil:
		return err
	case len(o.questions) > 0:
		return exitCode(exitWaiting)
	case o.answer.Status == state.StatusAbstained:
		return exitCode(exitAbstained)
	}
	return nil
}

// printQuestions lists what a run waits for, and how to answer.
func printQuestions(w io.Writer, thread string, questions []graph.Interrupt) error {
	for _, q := range questions {
		if q.Kind != graph.Question {
			if _, err := fmt.Fprintf(w, "stopped %s %s; `kbagent resume %s` goes on\n", q.Kind, q.Node, thread); err != nil {
				return err
			}
			continue
		}
		if q.Node == nodes.NameHumanReview {
			if _, err := fmt.Fprintf(w, "the answer waits for a person: %s\n  kbagent resume %s shows it then\n", mask.TerminalLine(q.Text()), thread); err != nil {
				return err
			}
			continue
		}
		want := q.Want
		if want == "" {
			want = "any JSON"
		}
		if _, err := fmt.Fprintf(w, "%s\n  kbagent resume %s --answer '%s=…' (%s)\n", mask.TerminalLine(q.Text()), thread, mask.TerminalLine(q.ID), want); err != nil {
			return err
		}
	}
	return nil
}
