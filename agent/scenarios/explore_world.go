package scenarios

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/scenario/explore"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// cosmos is everything outside the agent.
type cosmos struct {
	options func(point string) []string

	mu    sync.Mutex
	audit map[string][]nodes.Line // by thread
}

// Record implements nodes.Audit.
func (w *cosmos) Record(l nodes.Line) error {
	w.keep(l.Thread, l)
	return nil
}

// keep adds lines to the audit of a thread.
func (w *cosmos) keep(thread string, lines ...nodes.Line) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.audit[thread] = append(w.audit[thread], lines...)
}

// heard is the audit of a thread since it was asked last.
func (w *cosmos) heard(thread string) []nodes.Line {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := w.audit[thread]
	delete(w.audit, thread)
	return lines
}

type cosmosLibrary struct{}

func (cosmosLibrary) NamedFiles(context.Context, string) ([]string, error) { return nil, nil }
func (cosmosLibrary) HasVectors() bool                                     { return false }
func (cosmosLibrary) DocFreq(context.Context, []string) (map[string]int, int, error) {
	return nil, 0, nil
}

// Submit implements nodes.Reviews.
func (w *cosmos) Submit(ctx context.Context, q nodes.ReviewRequest) (state.Review, error) {
	if explore.ChooseOnce(ctx, queuePoint, w.options(queuePoint)...) == down {
		return state.Review{}, errDown
	}
	return state.Review{ID: "review", Mode: q.Mode, Status: state.ReviewPending}, nil
}

// decisions are what a person can decide.
var decisions = map[string]nodes.ReviewDecision{
	"approves": {Status: state.ReviewApproved, Reviewer: "ada"},
	"corrects": {Status: state.ReviewCorrected, Answer: "It is gone.", Reviewer: "ada"},
	"rejects":  {Status: state.ReviewRejected, Reviewer: "ada"},
}

// scores are the values of the dimensions, at the thresholds of the default settings.
var scores = map[string]float64{"high": 0.9, "medium": 0.65, "low": 0.4, "very low": 0.39}

// measured is the score of an answer as the environment chooses it: every dimension has it, but for a grounding that is not
// known or not full. What was not verified has the best score: nothing but the missing verification holds it back.
func (w *cosmos) measured(ctx context.Context, _ state.AgentState, a state.Attempt) state.Components {
	v := a.Verification
	value := scores["high"]
	if v.Outcome == state.OutcomeVerified {
		value = scores[explore.ChooseOnce(ctx, scorePoint, w.options(scorePoint)...)]
	}
	c := state.Components{Relevance: &value, Consistency: &value, Completeness: &value, Classification: &value}
	switch {
	case v.Outcome != state.OutcomeVerified:
	case v.Supported == v.Checked:
		c.Grounding = &value
	default:
		c.Grounding = new(min(value, 0.5))
	}
	return c
}

// commonWords stand in every passage.
const commonWords = "delete a directory"

// passage is the text of all that tools find, so that no passage is better than another, or says anything else: which of
// them an answer is written from decides nothing. It holds all words of the question.
const passage = "To delete a directory use rm with the option r, and rm will remove it."

// found are the passages of an outcome.
var found = map[string][]string{"three passages": {"a", "b", "c"}, "one passage": {"a"}, "a page": {"w"}}

// tools are the real tools with stand-ins for what they work on. All calls of a tool in one round have the same outcome:
// that each of several searches has one of its own adds nothing that the agent could decide by.
func (w *cosmos) tools() tools.Set {
	list := append(tools.Local(nil), tools.WebSearch(nil))
	for i, t := range list {
		list[i] = t.With(func(ctx context.Context, _ json.RawMessage) (tools.Result, error) {
			option := nothing
			if options := w.options(t.Name); len(options) > 0 {
				option = explore.ChooseOnce(ctx, t.Name, options...)
			}
			switch option {
			case "fails":
				return tools.Result{}, &tools.Error{Code: tools.CodeFailed, Message: "it failed"}
			case timesOut:
				return tools.Result{}, context.DeadlineExceeded
			case nothing:
				return tools.Result{Note: "nothing was found"}, nil
			}
			return tools.Result{Items: evidenceOf(t, found[option])}, nil
		})
	}
	return tools.NewSet(list...)
}

func evidenceOf(t tools.Tool, ids []string) []state.Evidence {
	var items []state.Evidence
	for _, id := range ids {
		items = append(items, state.Evidence{
			ID: id, Tool: t.Name, Path: id + ".md", StartLine: 1, EndLine: 1, EndByte: len(passage), Content: passage, RetrievalScore: 0.5, ScoreKind: t.ScoreKind,
		})
	}
	return items
}
