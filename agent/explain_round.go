package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// explainedRound is one round of searching as the moves of the corrective machine tell it.
type explainedRound struct {
	n        int
	strategy state.Strategy
	refine   bool        // it followed a REFINE
	mends    bool        // it looked for what an answer lacked
	verdict  rules.Event // how grading ended it; "" while it is not graded
	last     bool        // the scores in the state are of this round
}

// roundsOf replays the moves of the run. Each search takes the next strategy, each retrieved ends a round of calls.
func roundsOf(s state.AgentState) []explainedRound {
	var rounds []explainedRound
	next, graded := explainedRound{}, -1
	searches := 0
	for _, move := range s.Transitions {
		switch event := rules.Event(move.Event); {
		case event == rules.EventSearch:
			if searches < len(s.AttemptedStrategies) {
				next.strategy = s.AttemptedStrategies[searches]
			}
			searches++
			next.refine = false
		case event == rules.EventReplan:
			next.refine = true
		case event == rules.EventCorrect:
			next.refine, next.mends, next.strategy = false, true, ""
		case event == rules.EventWeb:
			next.refine, next.mends, next.strategy = false, true, state.StrategyWeb
			searches++
		case event == rules.EventRetrieved:
			next.n++
			rounds = append(rounds, next)
		case move.From == state.PhaseGrade && len(rounds) > 0:
			graded = len(rounds) - 1
			rounds[graded].verdict = event
		}
	}
	if graded >= 0 {
		rounds[graded].last = true
	}
	return rounds
}

func (e *explanation) round(r explainedRound) {
	what := cmp.Or(strategyWords[r.strategy], string(r.strategy))
	switch {
	case r.refine:
		what += ", for what was still missing"
	case r.mends && r.strategy == "":
		what = "a search for what the answer lacked support for"
	}
	e.paragraph("Round %d: %s", r.n, what)
	calls := e.s.Round(r.n)
	for _, c := range calls {
		e.line("  %s", call(c))
	}
	if len(calls) == 0 {
		e.line("  there was nothing new to ask for")
	}
	switch {
	case r.last:
		e.lastGrading(r.n)
	case r.verdict != "":
		e.earlierGrading(r.n)
	default:
		e.line("  not judged yet")
		return
	}
	e.line("  Decision: %s", e.decision(r))
}

// call is one line on a tool call: what was asked, what came of it.
func call(c state.ToolRecord) string {
	asked := strings.TrimSpace(c.Name + " " + arguments(c.Args))
	if c.Error != "" {
		return plain(asked + ": failed: " + c.Error)
	}
	if len(c.ItemIDs) == 0 {
		note, _, _ := strings.Cut(strings.TrimSpace(c.Note), "\n")
		return strings.TrimSuffix(plain(asked+": no passages; "+note), ";")
	}
	found := count(len(c.ItemIDs), "passage")
	if kind := scoreWords[c.ScoreKind]; kind != "" && len(c.Scores) > 0 {
		found += fmt.Sprintf(", best %s %.2f", kind, slices.Max(c.Scores))
	}
	return plain(asked + ": " + found)
}

// arguments is the arguments of a call in words: the main one first, the others by name.
func arguments(raw json.RawMessage) string {
	var args map[string]any
	if err := json.Unmarshal(raw, &args); err != nil { // a model wrote them: show what it wrote
		return string(raw)
	}
	var parts []string
	for _, main := range []string{"query", "pattern", "path"} {
		if value, ok := args[main].(string); ok {
			parts = append(parts, "\""+value+"\"")
			delete(args, main)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, args[name]))
	}
	return strings.Join(parts, " ")
}

// lastGrading tells the scores that the state holds.
func (e *explanation) lastGrading(round int) {
	s := e.s
	if len(s.EvidenceScores) == 0 {
		e.line("  There was no passage to judge.")
		return
	}
	if rule, ok := strings.CutPrefix(s.GradeSource, "rule:"); ok {
		e.line("  Taken without judging, by the rule %s: %s", plain(rule), e.rule(rule))
		e.kept()
		return
	}
	e.line("  Judged %s, from 0 (no help) to 1 (answers the question):", cmp.Or(graderWords[s.GradeSource], "by "+plain(s.GradeSource)))
	e.kept()
	e.dropped(round)
	if v := rules.Judge(s.EvidenceScores, s.Settings); v.Kept > 0 {
		e.line("  Average of the %d kept: %.2f; %.2f is enough to answer.", v.Kept, v.Average, s.Settings.GenerateMinScore)
	}
}

func (e *explanation) kept() {
	for _, item := range e.s.Context {
		if item.Grade != nil {
			e.line("    %s  %.2f", place(item.Path, item.StartLine, item.EndLine), *item.Grade)
		}
	}
}

func (e *explanation) dropped(round int) {
	for _, q := range e.s.Quarantined {
		if q.Round == round {
			e.line("    %s  %.2f  dropped: %s", place(q.Item.Path, q.Item.StartLine, q.Item.EndLine), q.Score, plain(q.Reason))
		}
	}
}

// earlierGrading tells what is left of a grading whose scores a later one replaced.
func (e *explanation) earlierGrading(round int) {
	if slices.ContainsFunc(e.s.Quarantined, func(q state.Quarantine) bool { return q.Round == round }) {
		e.line("  Judged and dropped:")
		e.dropped(round)
	}
}

// rule is why a pre-filter rule approved, with its threshold.
func (e *explanation) rule(name string) string {
	cfg := e.s.Settings
	switch name {
	case "read_file":
		return "the round only read files that were asked for, and what is read on purpose is not judged"
	case "few_context":
		return fmt.Sprintf("%s at hand, and up to %d are few enough to use as they are", count(len(e.s.Context), "passage"), cfg.AutoApproveMaxItems)
	case "high_vector_score":
		return fmt.Sprintf("every passage comes from vector search with a similarity of at least %.2f", cfg.VectorScoreThreshold)
	default:
		return "it approves all passages at once"
	}
}

// decision is the move that followed a round.
func (e *explanation) decision(r explainedRound) string {
	switch r.verdict {
	case rules.EventSufficient:
		return "GENERATE: good enough, write the answer"
	case rules.EventMixed:
		return "REFINE: partly good; keep these passages (they are judged again) and search for what is missing"
	case rules.EventPoor:
		return "RE_RETRIEVE: nothing useful is left; search in another way"
	case rules.EventNoProgress:
		return e.wanted() + "; but another round would find the same again"
	case rules.EventCapped:
		if r.mends {
			return e.wanted() + "; but a correction has one round"
		}
		return e.wanted() + "; but a limit of the run was reached"
	default:
		return string(r.verdict)
	}
}

// wanted is the decision that something else overruled.
func (e *explanation) wanted() string {
	if e.s.GraderAction == state.ActionReRetrieve {
		return "RE_RETRIEVE: nothing useful is left"
	}
	return fmt.Sprintf("%s: only partly good", e.s.GraderAction)
}
