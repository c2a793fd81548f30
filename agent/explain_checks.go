package agent

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// checks tells how each answer was verified and scored, and what was decided.
func (e *explanation) checks() {
	decisions := decisionsOf(e.s)
	for i, a := range e.s.Attempts {
		e.paragraph("Check of %s: %s", attemptWords[a.Kind], verified(a.Verification))
		for _, c := range a.Verification.Claims {
			if c.Verdict != state.ClaimSupported {
				e.line("  %s: %s%s", strings.ToLower(strings.ReplaceAll(string(c.Verdict), "_", " ")), clip(plain(c.Text), 120), because(c.Reasoning))
			}
		}
		if a.Confidence != nil {
			e.line("  score %.2f: %s", a.Confidence.Total, dimensions(*a.Confidence))
		}
		if i < len(decisions) {
			e.line("  decision: %s", cmp.Or(decisionWords[decisions[i]], string(decisions[i])))
		}
	}
	if r := e.s.Review; r != nil {
		e.paragraph("Review %s: %s%s", plain(r.ID), strings.ReplaceAll(string(r.Status), "_", " "), because(r.Notes))
	}
}

var attemptWords = map[state.AttemptKind]string{
	state.AttemptFirst: "the first answer", state.AttemptCorrect: "a corrected answer", state.AttemptWeb: "an answer with the web",
}

var decisionWords = map[rules.Event]string{
	rules.EventPass: "it passed", rules.EventDeliver: "the best answer so far was given, with a label",
	rules.EventCorrect: "look for what lacks support, and answer again", rules.EventRerank: "order anew what was found, and answer again", rules.EventWeb: "search the web, and answer again",
	rules.EventReview: "ask a person",
}

// decisionsOf is what was decided about each answer, in order.
func decisionsOf(s state.AgentState) []rules.Event {
	var list []rules.Event
	for _, move := range s.Transitions {
		if move.From == state.PhaseAnswered {
			list = append(list, rules.Event(move.Event))
		}
	}
	return list
}

func verified(v state.Verification) string {
	by := "by a model"
	if v.By != "llm" {
		by = "by words, numbers and names"
	}
	switch v.Outcome {
	case state.OutcomeVerified:
		return fmt.Sprintf("%d of %s hold (%s), confidence %.2f, %s", v.Supported, count(v.Checked, "claim"), by, v.Confidence, strings.ReplaceAll(string(v.Level), "_", " "))
	case state.OutcomeNotVerifiable:
		return "it makes no claim that could be checked" + because(v.Reason)
	default:
		return "it could not be verified" + because(v.Reason)
	}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + clip(plain(reason), 160) + ")"
}

// dimensions names what a score is made of.
func dimensions(c state.Confidence) string {
	var parts []string
	for _, d := range []struct {
		name  string
		value *float64
	}{
		{"relevance", c.Components.Relevance}, {"consistency", c.Components.Consistency}, {"grounding", c.Components.Grounding},
		{"completeness", c.Components.Completeness}, {"classification", c.Components.Classification},
	} {
		if d.value != nil {
			parts = append(parts, fmt.Sprintf("%s %.2f", d.name, *d.value))
		}
	}
	if len(c.Missing) > 0 {
		parts = append(parts, "not measured: "+strings.Join(c.Missing, ", "))
	}
	return strings.Join(parts, ", ")
}
