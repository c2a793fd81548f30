package scenarios

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kbagent/kbagent/scenario"
	"github.com/kbagent/kbagent/state"
)

// draft is a scenario of the agent before it is written.
type draft = scenario.Draft[Given, When]

// transcript collects what the runs of a thread were given.
type transcript struct {
	kinds map[string]state.ScoreKind // of the tools

	given          Given
	made           []bool // of each reply: the call was made, and not answered by a cache
	calls, rebuilt int
	notes          []string
	uncounted      bool // the runs made fewer model calls than the scenario will
}

func (t *transcript) note(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	if !slices.Contains(t.notes, note) {
		t.notes = append(t.notes, note)
	}
}

// add takes the results and replies of a run, in their order.
func (t *transcript) add(run recordedRun) error {
	for _, s := range run.steps {
		t.addTools(s)
		if err := t.addModel(s); err != nil {
			return fmt.Errorf("%s: %w", s.node, err)
		}
	}
	for _, w := range run.end.Warnings {
		if strings.HasPrefix(w, "the review could not be queued") {
			t.given.ReviewQueue = "down"
		}
	}
	for _, strategy := range run.end.AttemptedStrategies {
		if strategy == state.StrategyHybrid || strategy == state.StrategyVector {
			t.given.Vectors = true
		}
	}
	return nil
}

// draft puts the scenario together.
func (t *transcript) draft(runs []recordedRun, r Recording) draft {
	question := strings.Join(strings.Fields(runs[0].begin.Question), " ")
	d := draft{
		Name:    cmp.Or(r.Name, "recorded: "+question),
		Guards:  cmp.Or(r.Guards, "this conversation went another way than it did when it was recorded"),
		Comment: t.comment(runs),
		Given:   t.given,
	}
	d.Given.Env = environmentOf(runs[0].begin.Settings)
	webRuns := 0
	for _, run := range runs {
		if run.begin.Settings != runs[0].begin.Settings && run.begin.Settings.AnswerMode == runs[0].begin.Settings.AnswerMode {
			t.note("the settings changed between the questions; the scenario has those of the first")
		}
		if run.end.WebRounds > 0 {
			webRuns++
		}
		d.Turns = append(d.Turns, t.turns(run, runs[0].begin.Settings.AnswerMode)...)
	}
	if webRuns > 1 {
		d.Given.Tick = cooldown // time passed between the questions
	}
	return d
}

func (t *transcript) comment(runs []recordedRun) string {
	c := fmt.Sprintf("Recorded from a run of %s.", runs[0].begin.StartedAt.UTC().Format(time.RFC3339))
	if t.rebuilt > 0 {
		c += fmt.Sprintf("\n%d of %d model replies are not the model's own words: they were made to lead to the same decisions.", t.rebuilt, t.calls)
	}
	return c
}

// turns are the turns of a run: the question, and the decision that it waited for.
func (t *transcript) turns(run recordedRun, usual state.AnswerMode) []scenario.DraftTurn[When] {
	ask := scenario.DraftTurn[When]{When: When{Ask: run.begin.Question}, Then: t.expectations(run)}
	if mode := run.begin.Settings.AnswerMode; mode != usual {
		ask.When.Mode = string(mode)
	}
	review, ok := run.waited()
	if !ok {
		return []scenario.DraftTurn[When]{ask}
	}
	decided := scenario.DraftTurn[When]{
		When: When{Review: &Decision{Status: string(review.Status), Answer: review.Corrected, Reviewer: review.Reviewer, Notes: review.Notes}},
		Then: ask.Then,
	}
	ask.Then = []scenario.Expectation{{Key: "waits", Value: map[string]any{"length": 1}}}
	return []scenario.DraftTurn[When]{ask, decided}
}

// masked is the draft with a mask over every text in it.
func masked(d draft, hide func(string) string) (draft, error) {
	data, err := json.Marshal(d)
	if err != nil {
		return d, fmt.Errorf("mask the scenario: %w", err)
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return d, fmt.Errorf("mask the scenario: %w", err)
	}
	if data, err = json.Marshal(hideTexts(tree, hide)); err != nil {
		return d, fmt.Errorf("mask the scenario: %w", err)
	}
	var out draft
	if err := json.Unmarshal(data, &out); err != nil {
		return d, fmt.Errorf("mask the scenario: %w", err)
	}
	if f := out.Given.Frequencies; f != nil { // pieces of a card number, each too short for a mask
		maps.DeleteFunc(f.Terms, func(term string, _ int) bool { return len(term) > 2 && strings.Trim(term, "0123456789") == "" })
	}
	return out, nil
}

// hideTexts masks the texts of a decoded value, and the keys of its objects.
func hideTexts(v any, hide func(string) string) any {
	switch v := v.(type) {
	case string:
		return hide(v)
	case []any:
		for i := range v {
			v[i] = hideTexts(v[i], hide)
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[hide(key)] = hideTexts(value, hide)
		}
		return out
	default:
		return v
	}
}
