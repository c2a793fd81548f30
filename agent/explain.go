package agent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/state"
)

// Explain tells in plain words why the run took its path: how the question was understood, what each round searched,
// found, kept and dropped with whose scores, why the search ended, and what the answer rests on. It also explains a run
// that is not finished, small talk, and a thread without a question.
//
// The text is plain: no control characters but line feeds, card numbers masked, the same for the same state. It says
// only what the state knows: a state keeps the scores of the last grading, and of earlier ones what they dropped.
func Explain(s state.AgentState) string {
	if s.Question == "" {
		return "No question was asked on this thread yet.\n"
	}
	e := explanation{s: s}
	e.question()
	for _, r := range roundsOf(s) {
		e.round(r)
	}
	e.end()
	e.checks()
	e.answer()
	e.list("Remarks:", s.Warnings)
	e.cost()
	return mask.Cards(e.text.String())
}

// explanation is a text that grows by lines.
type explanation struct {
	s    state.AgentState
	text strings.Builder
}

func (e *explanation) line(format string, args ...any) {
	fmt.Fprintf(&e.text, format+"\n", args...)
}

// paragraph is a line behind an empty one.
func (e *explanation) paragraph(format string, args ...any) {
	e.line("\n"+format, args...)
}

func (e *explanation) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	e.paragraph("%s", title)
	for _, item := range items {
		e.line("  %s", plain(item))
	}
}

func (e *explanation) question() {
	s := e.s
	e.line("Question: %s", plain(s.Question))
	if s.ResolvedQuery != "" && s.ResolvedQuery != s.Question {
		e.line("  understood as: %s", plain(s.ResolvedQuery))
	}
	if len(s.SubQueries) > 0 {
		e.line("  in parts: %s", plain(strings.Join(s.SubQueries, " | ")))
	}
	switch s.Route {
	case state.RouteChitchat:
		e.line("  kind: small talk (%.0f %% sure), answered without looking into the documents", 100*s.RouteConfidence)
	case state.RouteSearch:
		e.line("  kind: a question to the documents%s (%.0f %% sure)", kind(s.Category), 100*s.RouteConfidence)
	default:
		e.line("  kind: not decided yet")
	}
}

func kind(category string) string {
	if category == "" || category == "other" {
		return ""
	}
	return ": " + plain(strings.ReplaceAll(category, "_", " "))
}

// end tells why the search ended, or where an unfinished run stopped.
func (e *explanation) end() {
	s := e.s
	if why := e.stop(); why != "" {
		e.paragraph("The search ended because %s.", why)
	}
	if !s.Finished() {
		e.paragraph("This run is not finished: it stopped before %s. Ask the same question again to continue it.", cmp.Or(phaseWords[s.Phase], "the phase "+string(s.Phase)))
	}
}

func (e *explanation) stop() string {
	s := e.s
	switch s.StopReason {
	case state.StopSufficient:
		return "the evidence was good enough"
	case state.StopMaxIterations:
		return fmt.Sprintf("the limit of %s was reached", count(s.Settings.MaxIterations, "round"))
	case state.StopNoProgress:
		return "another round would have found the same passages again"
	case state.StopExhausted:
		return fmt.Sprintf("every way of searching was tried (%s) and none found useful passages", join(s.AttemptedStrategies))
	case state.StopBudget:
		return "the run's allowance of model calls, tokens or time was used up"
	case state.StopChitchat, "":
		return "" // small talk has no search
	default:
		return "of " + string(s.StopReason)
	}
}

func (e *explanation) answer() {
	s := e.s
	switch {
	case !s.Finished():
	case s.Status == state.StatusAbstained && s.Review != nil && s.Review.Status == state.ReviewRejected:
		e.paragraph("No answer was given: a person has rejected the one that was found.")
	case s.Status == state.StatusAbstained && len(s.Attempts) > 0:
		e.paragraph("No answer was given: none held well enough.")
	case s.Status == state.StatusAbstained:
		e.paragraph("No answer was given: %s.", e.abstained())
	case s.Route == state.RouteChitchat:
		e.paragraph("The answer is small talk and cites nothing.")
	case len(s.Citations) == 0:
		e.paragraph("The answer cites no passage.")
	default:
		e.paragraph("The answer cites:")
		for _, c := range s.Citations {
			e.line("  [%d] %s  \"%s\"", c.N, place(c.Path, c.StartLine, c.EndLine), clip(plain(c.Quote), 100))
		}
		if len(s.Context) == 0 {
			e.line("  These passages had been dropped; they are used because nothing better was found.")
		}
	}
}

// abstained is why there is no answer, as far as the state knows.
func (e *explanation) abstained() string {
	s := e.s
	strict := s.Settings.AnswerMode == state.ModeStrict
	switch {
	case len(s.Context) == 0 && len(s.Quarantined) > 0 && strict:
		return "all passages were dropped, and strict answers never use dropped ones"
	case len(s.Context) == 0 && len(s.Quarantined) > 0:
		return "no passage that was found is useful enough"
	case len(s.Context) == 0:
		return "nothing was found"
	case strict:
		return fmt.Sprintf("the evidence at hand (%s) led to no answer that cites it, and strict answers must", count(len(s.Context), "passage"))
	default:
		return fmt.Sprintf("the evidence at hand (%s) does not hold it", count(len(s.Context), "passage"))
	}
}

func (e *explanation) cost() {
	s := e.s
	if len(s.Path) > 0 {
		e.paragraph("Path: %s", strings.Join(s.Path, " → "))
	}
	u := s.Usage
	if u.LLMCalls == 0 {
		e.line("Model: not called")
		return
	}
	var by []string
	for _, node := range slices.Sorted(maps.Keys(u.ByNode)) {
		by = append(by, fmt.Sprintf("%s %d", node, u.ByNode[node]))
	}
	e.line("Model: %s (%s), %s (%d read, %d written)", count(u.LLMCalls, "call"), strings.Join(by, ", "), count(u.TotalTokens, "token"), u.PromptTokens, u.CompletionTokens)
}
