package scenarios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/scenario"
	"github.com/kbagent/kbagent/state"
)

// Changes are what led to the present state of a thread, see [graph.Thread.Changes].
type Changes = iter.Seq2[graph.Change[state.Update], error]

// Recording tells how a thread becomes a scenario.
type Recording struct {
	Name, Guards string // default made of the first question
	// Library is the knowledge base that was asked. The frequencies of words and the files that questions name are taken
	// from it as it is now. Nil means that nothing is known of it.
	Library nodes.Library
	// Replies are what the model has said, when it is known; see [Replies]. Default: replies are made up that lead to the
	// same decisions.
	Replies *Replies
	// Mask hides what must not be in a file, in every text. Default nothing is hidden.
	Mask func(string) string
}

// A Recorded is a scenario made of a thread.
type Recorded struct {
	YAML  []byte
	Turns int
	// Calls are the model calls of the runs; Rebuilt is how many of them have a made-up reply.
	Calls, Rebuilt int
	// Notes are what of the runs the scenario leaves out, for people.
	Notes []string
	// Result is that of running the scenario: it expects what the runs did. When it has not passed, what the thread asked
	// has changed since (the documents, the prompts, the program), or its runs hold what a scenario cannot give.
	Result scenario.Result
}

// The reasons why a thread cannot be recorded.
var (
	ErrNothingToRecord = errors.New("the thread holds no question")
	ErrUnfinished      = errors.New("a question of the thread has no answer yet")
	ErrPruned          = errors.New("the begin of the thread was pruned")
	ErrEdited          = errors.New("the thread was changed by hand in the middle")
)

// Record makes a scenario of all questions of a thread: their settings, the results of their tools and the replies of
// their models, as the checkpoints hold them. It runs the scenario twice: to learn what it asks the library, and to see
// whether it passes. It returns ErrNothingToRecord, ErrUnfinished, ErrPruned or ErrEdited for a thread that no scenario can
// be made of, and ErrReplies for replies that are not the thread's.
func Record(ctx context.Context, changes Changes, r Recording) (Recorded, error) {
	runs, err := splitRuns(changes)
	if err != nil {
		return Recorded{}, err
	}
	t := transcript{kinds: toolKinds()}
	for _, run := range runs {
		if err := t.add(run); err != nil {
			return Recorded{}, err
		}
	}
	if err := t.fill(r.Replies); err != nil {
		return Recorded{}, err
	}
	d := t.draft(runs, r)
	if err := learn(ctx, &d, r.Library); err != nil {
		return Recorded{}, err
	}
	out, err := t.finish(ctx, d, r)
	if err != nil || out.Result.Passed || !t.measure(&d, runs) {
		return out, err
	}
	return t.finish(ctx, d, r)
}

// finish writes the scenario, masked, and runs it.
func (t *transcript) finish(ctx context.Context, d draft, r Recording) (Recorded, error) {
	text, err := d.YAML()
	if err != nil {
		return Recorded{}, err
	}
	out := Recorded{YAML: text, Turns: len(d.Turns), Calls: t.calls, Rebuilt: t.rebuilt, Notes: t.notes}
	if r.Mask != nil {
		if d, err = masked(d, r.Mask); err != nil {
			return Recorded{}, err
		}
		if out.YAML, err = d.YAML(); err != nil {
			return Recorded{}, err
		}
	}
	hidden := !bytes.Equal(text, out.YAML)
	if out.Result, err = try(ctx, out.YAML); err != nil || out.Result.Passed || !hidden || !onlyScores(out.Result) {
		return out, err
	}
	return rescored(ctx, out)
}

// onlyScores says whether nothing but scores differs.
func onlyScores(r scenario.Result) bool {
	return r.Error == "" && !slices.ContainsFunc(r.Mismatches, func(m scenario.Mismatch) bool {
		return !strings.Contains(m.Path, ".evidence_scores") && !strings.HasSuffix(m.Path, ".score") && !strings.HasSuffix(m.Path, ".confidence")
	})
}

// rescored takes the scores of masked texts, which differ from those of the texts.
func rescored(ctx context.Context, out Recorded) (Recorded, error) {
	list, err := scenario.Parse[Given, When, Observation](recordedFile, out.YAML)
	if err != nil {
		return out, err
	}
	report := scenario.Run(ctx, Subject(), list, scenario.Options{})
	rewrites, _, err := scenario.Rewrites(ctx, Subject(), list, report, scenario.Options{})
	if err != nil || len(rewrites) == 0 {
		return out, err
	}
	out.YAML = rewrites[0].After
	out.Notes = append(out.Notes, "some scores are those of the masked texts")
	out.Result, err = try(ctx, out.YAML)
	return out, err
}

// learn plays the draft over the library, and writes down what it was asked.
func learn(ctx context.Context, d *draft, lib nodes.Library) error {
	if lib == nil {
		return nil
	}
	seen := &spy{Library: lib, vectors: d.Given.Vectors}
	// That the draft goes another way, or fails, is found when the finished scenario runs: its result says so.
	_, err := scenario.Propose(ctx, subject{knowledge: func(Given) nodes.Library { return seen }}, *d, nil)
	if ctx.Err() != nil {
		return fmt.Errorf("run the scenario: %w", err)
	}
	d.Given.Files = seen.files
	if seen.words.Passages > 0 {
		d.Given.Frequencies = &seen.words
	}
	return nil
}

// recordedFile is the name that a scenario has before it has a file.
const recordedFile = "recorded.yaml"

// try runs a finished scenario.
func try(ctx context.Context, text []byte) (scenario.Result, error) {
	list, err := scenario.Parse[Given, When, Observation](recordedFile, text)
	if err != nil {
		return scenario.Result{}, fmt.Errorf("read the recorded scenario: %w", err)
	}
	report := scenario.Run(ctx, Subject(), list, scenario.Options{})
	if err := ctx.Err(); err != nil {
		return scenario.Result{}, err
	}
	return report.Results[0], nil
}
