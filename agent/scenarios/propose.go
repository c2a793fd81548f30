package scenarios

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/scenario"
)

// Sketch is what a person says about a new scenario.
type Sketch struct {
	Claim, Guards string
	Env           map[string]string // variables KB_AGENT_*
	Documents     map[string]string // texts by path
	Questions     []string          // in their order
}

// Propose plays a sketch without a model, and writes it as a scenario that expects what was seen. The result is that of
// running what was written.
func Propose(ctx context.Context, s Sketch) (text []byte, result scenario.Result, err error) {
	d := draft{Name: s.Claim, Guards: s.Guards, Given: Given{Env: s.Env, Documents: s.Documents}}
	for _, q := range s.Questions {
		d.Turns = append(d.Turns, scenario.DraftTurn[When]{When: When{Ask: q}})
	}
	if d, err = scenario.Propose(ctx, Subject(), d, proposed); err != nil {
		return nil, result, fmt.Errorf("play the scenario: %w", err)
	}
	if text, err = d.YAML(); err != nil {
		return nil, result, err
	}
	result, err = try(ctx, text)
	return text, result, err
}

// proposed picks what a scenario is likely to be about. Ids, scores and texts of the audit change with every document.
func proposed(key string, value any) (any, bool) {
	switch key {
	case "error", "status", "answer", "path", "transitions", "route", "category", "resolved_query", "attempted_strategies", "rule",
		"grade_source", "grader_action", "iteration", "stop_reason", "action_taken", "corrections", "web_rounds":
		return value, true
	case "citations":
		return each(value, "path", "start_line", "end_line"), true
	case "tool_calls":
		return each(value, "round", "name", "args", "items", "error"), true
	case "waits", "submitted", "dropped":
		list, _ := value.([]any)
		return map[string]any{"length": len(list)}, true
	default:
		return nil, false
	}
}

// each is a list of objects with some of their keys, without those that are empty.
func each(value any, keys ...string) []any {
	list, _ := value.([]any)
	out := make([]any, 0, len(list))
	for _, item := range list {
		object, _ := item.(map[string]any)
		some := make(map[string]any)
		for _, key := range keys {
			if v, ok := object[key]; ok && v != "" && v != nil {
				some[key] = v
			}
		}
		out = append(out, some)
	}
	return out
}
