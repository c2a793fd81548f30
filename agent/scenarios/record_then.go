package scenarios

import (
	"strings"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/scenario"
	"github.com/kbagent/kbagent/state"
)

// expectations are what a run came to, in the order in which it came to it.
func (t *transcript) expectations(run recordedRun) []scenario.Expectation {
	s := run.end
	var o Observation
	o.see(agent.AnswerOf(s))
	var all []scenario.Expectation
	expect := func(key string, value any) { all = append(all, scenario.Expectation{Key: key, Value: value}) }
	text := func(key, value string) {
		if value != "" {
			expect(key, value)
		}
	}
	expect("path", o.Path)
	expect("transitions", o.Transitions)
	text("route", o.Route)
	text("resolved_query", o.ResolvedQuery)
	expect("attempted_strategies", append([]string{}, o.Attempted...))
	expect("tool_calls", calls(o.ToolCalls))
	text("grade_source", o.GradeSource)
	text("grader_action", o.GraderAction)
	expect("evidence_scores", o.EvidenceScores)
	expect("iteration", o.Iteration)
	if !s.Settings.RefineContext { // strips have ids of their own
		expect("kept", append([]string{}, o.Kept...))
		expect("dropped", drops(o.Dropped))
	}
	t.expectChecks(s, o, expect)
	text("stop_reason", o.StopReason)
	text("status", o.Status)
	text("answer", o.Answer)
	expect("citations", places(o.Citations))
	if !t.uncounted {
		expect("usage", map[string]any{"llm_calls": o.Usage.LLMCalls})
	}
	return all
}

// expectChecks is what became of the answer behind its writing.
func (t *transcript) expectChecks(s state.AgentState, o Observation, expect func(string, any)) {
	if v := o.Verification; v != nil {
		expect("verification", map[string]any{
			"outcome": v.Outcome, "by": v.By, "confidence": v.Confidence, "is_grounded": v.Grounded,
			"claims_checked": v.ClaimsChecked, "claims_supported": v.ClaimsSupported,
		})
	}
	if o.Confidence != nil {
		expect("confidence", *o.Confidence)
	}
	if o.ActionTaken != "" {
		expect("action_taken", o.ActionTaken)
	}
	if s.Corrections > 0 {
		expect("corrections", s.Corrections)
	}
	if s.WebRounds > 0 {
		expect("web_rounds", s.WebRounds)
	}
	if s.Review != nil {
		expect("review", map[string]any{"mode": s.Review.Mode, "status": s.Review.Status})
	}
}

// calls are the calls with what they found.
func calls(all []ToolCall) []map[string]any {
	out := []map[string]any{}
	for _, c := range all {
		call := map[string]any{"round": c.Round, "name": c.Name, "args": c.Args, "items": c.Items}
		if c.Error != "" {
			code, _, _ := strings.Cut(c.Error, ":")
			call["error"] = map[string]any{"contains": code}
		}
		out = append(out, call)
	}
	return out
}

func drops(all []Dropped) []map[string]any {
	out := []map[string]any{}
	for _, d := range all {
		out = append(out, map[string]any{"id": d.ID, "score": d.Score, "round": d.Round})
	}
	return out
}

func places(all []agent.Citation) []map[string]any {
	out := []map[string]any{}
	for _, c := range all {
		out = append(out, map[string]any{"n": c.N, "path": c.Path, "start_line": c.StartLine, "end_line": c.EndLine, "quote": c.Quote})
	}
	return out
}
