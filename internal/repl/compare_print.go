package repl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/state"
)

// printComparison prints answers below each other, and then what differs between them.
func (s *session) printComparison(sides []side) {
	for i, one := range sides {
		s.screen.println(s.screen.paint(bold, s.sideHead(one)))
		same := slices.IndexFunc(sides, func(other side) bool { return other.text() == one.text() })
		if same < i {
			s.screen.println("(the same answer as " + sides[same].name + ")")
		} else {
			s.screen.markdown(one.text())
		}
		s.screen.println("")
	}
	var same []string
	for _, aspect := range aspects {
		values := make([]string, len(sides))
		for i, one := range sides {
			values[i] = aspect.value(one.state)
		}
		if len(slices.Compact(slices.Clone(values))) == 1 {
			same = append(same, aspect.name)
			continue
		}
		s.screen.println(aspect.name)
		for i, one := range sides {
			s.screen.println(fmt.Sprintf("  %-12s %s", one.name, cleanLine(values[i])))
		}
	}
	if len(same) > 0 {
		s.screen.println("the same: " + strings.Join(same, ", "))
	}
	for _, one := range sides {
		if one.thread != "" && one.thread != s.thread {
			s.screen.println(cleanLine(fmt.Sprintf("/thread %s goes on with %s.", one.thread, one.name)))
		}
	}
}

func (s *session) sideHead(one side) string {
	if s.screen.words {
		return "Answer " + one.name + ":"
	}
	return "── " + one.name + " ──"
}

// text is what one answer says.
func (one side) text() string {
	if one.waits {
		return "(a person decides on this answer first)"
	}
	return mask.Cards(one.state.Answer)
}

// aspects are what answers are compared by.
var aspects = []struct {
	name  string
	value func(state.AgentState) string
}{
	{"length", func(s state.AgentState) string { return fmt.Sprintf("%d words", len(strings.Fields(s.Answer))) }},
	{"status", func(s state.AgentState) string { return orNone(string(s.Status)) }},
	{"sources", func(s state.AgentState) string { return sourceNames(s.Citations) }},
	{"confidence", confidence},
	{"evidence", func(s state.AgentState) string {
		return fmt.Sprintf("%s kept, %d dropped", count(len(s.Context), "passage"), len(s.Quarantined))
	}},
	{"path", func(s state.AgentState) string { return orNone(strings.Join(s.Path, ", ")) }},
	{"model", func(s state.AgentState) string { return spent(s.Usage) }},
}

// sourceNames are the places that an answer cites, once each.
func sourceNames(citations []state.Citation) string {
	var names []string
	for _, c := range citations {
		if name := place(c.Path, c.StartLine, c.EndLine); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return orNone(strings.Join(names, ", "))
}

// confidence is the score of an answer, or how much of it was found supported, where that is known.
func confidence(s state.AgentState) string {
	switch {
	case s.Confidence != nil:
		return fmt.Sprintf("%.2f", s.Confidence.Total)
	case s.Verification != nil && s.Verification.Outcome == state.OutcomeVerified:
		return fmt.Sprintf("%.2f, %d of %s supported", s.Verification.Confidence, s.Verification.Supported, count(s.Verification.Checked, "claim"))
	default:
		return "not measured"
	}
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
