package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/internal/mask"
)

// bulk are the flags of `ask --jsonl`.
type bulk struct {
	on          bool
	concurrency int
}

// Limits of --concurrency.
const (
	bulkUsual = 4
	bulkMost  = 64
)

func (b *bulk) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&b.on, "jsonl", false, "answer the questions on stdin, one a line: a JSON object or plain text; one JSON object a line comes out")
	cmd.Flags().IntVar(&b.concurrency, "concurrency", bulkUsual, "questions of --jsonl that are answered at once, 1 to 64 (with --record or --replay 1)")
}

// args wants a question, or none with --jsonl.
func (b *bulk) args(cmd *cobra.Command, args []string) error {
	if !b.on {
		if cmd.Flags().Changed("concurrency") {
			return &usageError{errors.New("--concurrency is for --jsonl")}
		}
		return someArgs("a question")(cmd, args)
	}
	switch {
	case len(args) > 0:
		return &usageError{errors.New("--jsonl takes the questions from stdin: give it none as an argument")}
	case cmd.Flags().Changed("thread"):
		return &usageError{errors.New(`with --jsonl the thread is a field of the line, as in {"question": "…", "thread": "ops"}`)}
	case cmd.Flags().Changed("why"):
		return &usageError{errors.New("--jsonl prints JSON: --why is for one question")}
	case b.concurrency < 1 || b.concurrency > bulkMost:
		return &usageError{fmt.Errorf("--concurrency is 1 to %d, not %d", bulkMost, b.concurrency)}
	}
	return nil
}

// atOnce is how many questions are answered at the same time. A recording has an order.
func (b *bulk) atOnce(cmd *cobra.Command, files tapeFiles) (int, error) {
	if files == (tapeFiles{}) {
		return b.concurrency, nil
	}
	if cmd.Flags().Changed("concurrency") && b.concurrency != 1 {
		return 0, &usageError{errors.New("what is recorded or replayed is asked one after the other: leave --concurrency out")}
	}
	return 1, nil
}

// bulkAnswer is a line of the output. It holds the answer, or the questions that the run waits for, or an error.
type bulkAnswer struct {
	ID       json.RawMessage `json:"id"`
	Question string          `json:"question,omitzero"`
	*agent.Answer
	Thread string            `json:"thread,omitzero"` // "" when nothing was asked
	Waits  []graph.Interrupt `json:"questions,omitzero"`
	Error  string            `json:"error,omitzero"`
}

// askBulk answers all questions on stdin, where they say nothing else in the mode and scope of usual. What was wrong with single lines stands in the output, and is an exit code.
func askBulk(cmd *cobra.Command, g *global, std streams, b *bulk, usual agent.Question) error {
	atOnce, err := b.atOnce(cmd, g.tape)
	if err = errors.Join(err, checkMode(usual.Mode)); err != nil {
		return err
	}
	a, err := openAssistant(cmd.Context(), g, std)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // a reader that has gone is the error of a write, so that what is open can be closed
	tally, err := a.askLines(cmd.Context(), std, atOnce, usual)
	err = errors.Join(err, a.close(cmd.Context()))
	switch {
	case errors.Is(err, syscall.EPIPE):
		err = errors.New("nobody reads the answers any more")
	case err == nil && cmd.Context().Err() != nil:
		err = errors.New("interrupted")
	}
	if err != nil {
		return fmt.Errorf("%w; %s", err, tally)
	}
	if tally.failed > 0 {
		fmt.Fprintf(std.err, "kbagent: %s\n", tally)
		return exitCode(exitError)
	}
	return nil
}

// bulkTally counts the lines of the output.
type bulkTally struct{ printed, failed int }

func (t bulkTally) String() string {
	text := fmt.Sprintf("answered: %d", t.printed-t.failed)
	if t.failed > 0 {
		text += fmt.Sprintf(", failed: %d", t.failed)
	}
	return text
}

func (a *assistant) askLines(ctx context.Context, std streams, atOnce int, usual agent.Question) (bulkTally, error) {
	var tally bulkTally
	if err := a.needDocuments(ctx, usual.Scope); err != nil {
		return tally, err
	}
	lines, broken := readBulk(ctx, std.in)
	out := json.NewEncoder(std.out)
	out.SetEscapeHTML(false)
	err := ordered[bulkLine, bulkAnswer]{
		most: atOnce,
		key:  func(l bulkLine) string { return l.Thread },
		work: func(ctx context.Context, l bulkLine) (bulkAnswer, bool) { return a.askLine(ctx, l, std, usual) },
		emit: func(r bulkAnswer) error {
			if err := out.Encode(r); err != nil {
				return fmt.Errorf("write the answers: %w", err)
			}
			tally.printed++
			if r.Error != "" {
				tally.failed++
			}
			return nil
		},
	}.run(ctx, lines)
	if err == nil && ctx.Err() == nil {
		err = <-broken
	}
	return tally, err
}

// askLine answers the question of a line; ok is false when ctx has ended before there was an answer.
func (a *assistant) askLine(ctx context.Context, l bulkLine, std streams, usual agent.Question) (r bulkAnswer, ok bool) {
	r = bulkAnswer{ID: l.ID, Question: mask.Cards(l.Question)}
	err := l.fault
	var o outcome
	if err == nil {
		q := agent.Question{Text: l.Question, Thread: l.Thread, Mode: l.Mode, Scope: l.scope(usual.Scope)}
		if q.Thread == "" {
			q.Thread = a.agent.NewThread()
		}
		if q.Mode == "" {
			q.Mode = usual.Mode
		}
		r.Thread = q.Thread
		o, err = a.ask(ctx, q, std, false)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return r, false
	case err != nil:
		r.Error = err.Error()
	case len(o.questions) > 0:
		r.Waits = o.questions
	default:
		r.Answer = &o.answer
	}
	return r, true
}
