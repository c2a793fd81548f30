package agent

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// Picture draws the way of a run from the question to the answer, from top to bottom: what each round searched and found,
// each passage that was judged with its score as a bar, those that were dropped marked, the decision behind it, the checks
// of the answer. It says in little space what [Explain] says in words, and no more.
//
// Lines are as long as what they tell, the text is clean like that of Explain, and the same for the same state.
func Picture(s state.AgentState) string {
	if s.Question == "" {
		return "No question was asked on this thread yet.\n"
	}
	p := picture{explanation{s: s}}
	p.station("question", plain(s.Question))
	p.route()
	drawn := 0
	for _, r := range roundsOf(s) {
		if r.mends { // each search for a correction follows a checked answer, and those that a new order has led to
			drawn = p.attempt(drawn)
			for drawn < len(s.Attempts) && s.Attempts[drawn].Mending == state.MendRerank {
				drawn = p.attempt(drawn)
			}
		}
		p.round(r)
	}
	for drawn < len(s.Attempts) {
		drawn = p.attempt(drawn)
	}
	p.end()
	return mask.Cards(p.text.String())
}

// picture is an explanation that is drawn.
type picture struct{ explanation }

// The columns of a picture: stations stand in the first, what happened there in the second.
const (
	stationColumn = "%-11s"
	barWidth      = 10
)

// station is one stop on the way, below a line that leads to it.
func (p *picture) station(name, what string) {
	if p.text.Len() > 0 {
		p.line("    │")
	}
	p.line(stationColumn+" %s", name, what)
}

// detail is a line beside the way.
func (p *picture) detail(format string, args ...any) {
	p.line("    │       "+format, args...)
}

func (p *picture) route() {
	s := p.s
	switch s.Route {
	case state.RouteChitchat:
		p.station("understand", fmt.Sprintf("small talk, %.0f %% sure", 100*s.RouteConfidence))
	case state.RouteSearch:
		p.station("understand", fmt.Sprintf("a question to the documents%s, %.0f %% sure", kind(s.Category), 100*s.RouteConfidence))
		if s.ResolvedQuery != "" && s.ResolvedQuery != s.Question {
			p.detail("as: %s", plain(s.ResolvedQuery))
		}
	}
}

// round draws one search with its judgement.
func (p *picture) round(r explainedRound) {
	how := cmp.Or(string(r.strategy), "what was missing")
	if r.refine {
		how += ", for what was missing"
	}
	p.station(fmt.Sprintf("search %d", r.n), how)
	for _, c := range p.s.Round(r.n) {
		p.detail("%s", call(c))
	}
	switch {
	case r.last:
		p.station("judge", p.grader())
		p.bars(r.n)
	case r.verdict != "":
		p.station("judge", p.droppedThen(r.n))
		p.crosses(r.n)
	default:
		return
	}
	p.line("    ▼       %s", p.decision(r))
}

// grader is who judged last, and what the judgement came to.
func (p *picture) grader() string {
	s := p.s
	if rule, ok := strings.CutPrefix(s.GradeSource, "rule:"); ok {
		return "not needed, by the rule " + plain(rule)
	}
	if len(s.EvidenceScores) == 0 {
		return "nothing to judge"
	}
	who := plain(s.GradeSource)
	if v := rules.Judge(s.EvidenceScores, s.Settings); v.Kept > 0 {
		return fmt.Sprintf("by %s: %d of %s kept, average %.2f (%.2f is enough)", who, v.Kept, count(len(s.EvidenceScores), "passage"), v.Average, s.Settings.GenerateMinScore)
	}
	return fmt.Sprintf("by %s: none of %s kept", who, count(len(s.EvidenceScores), "passage"))
}

// droppedThen is what is known of an earlier judgement: the scores of what it kept were replaced by a later one.
func (p *picture) droppedThen(round int) string {
	n := 0
	for _, q := range p.s.Quarantined {
		if q.Round == round {
			n++
		}
	}
	return fmt.Sprintf("%s dropped", count(n, "passage"))
}

// bars draws the passages of the last judgement.
func (p *picture) bars(round int) {
	for _, item := range p.s.Context {
		if item.Grade != nil {
			p.detail("%s %.2f  %s", bar(*item.Grade), *item.Grade, place(item.Path, item.StartLine, item.EndLine))
		}
	}
	p.crosses(round)
}

// crosses draws the passages that a judgement dropped.
func (p *picture) crosses(round int) {
	for _, q := range p.s.Quarantined {
		if q.Round == round {
			p.detail("%s %.2f ✗ %s, %s", bar(q.Score), q.Score, place(q.Item.Path, q.Item.StartLine, q.Item.EndLine), plain(q.Reason))
		}
	}
}

// bar is a score of 0–1 as a length.
func bar(score float64) string {
	full := int(math.Round(barWidth * min(max(score, 0), 1)))
	return strings.Repeat("█", full) + strings.Repeat("░", barWidth-full)
}

// attempt draws the check of answer i, and returns the next one.
func (p *picture) attempt(i int) int {
	if i >= len(p.s.Attempts) {
		return i
	}
	a := p.s.Attempts[i]
	p.station("check", attemptWords[a.Kind]+": "+verified(a.Verification))
	if a.Confidence != nil {
		p.detail("%s %.2f  %s", bar(a.Confidence.Total), a.Confidence.Total, dimensions(*a.Confidence))
	}
	if made := decisionsOf(p.s); i < len(made) {
		p.line("    ▼       %s", cmp.Or(decisionWords[made[i]], string(made[i])))
	}
	return i + 1
}

// end draws the answer, or where an unfinished run stopped.
func (p *picture) end() {
	s := p.s
	if !s.Finished() {
		p.station("stopped", "before "+cmp.Or(phaseWords[s.Phase], "the phase "+string(s.Phase))+"; ask again to go on")
		return
	}
	what := string(s.Status)
	if why := p.stop(); why != "" && s.StopReason != state.StopSufficient {
		what += ", because " + why
	}
	p.station("answer", what)
	for _, c := range s.Citations {
		p.line("            [%d] %s", c.N, place(c.Path, c.StartLine, c.EndLine))
	}
}
