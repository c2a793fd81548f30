package nodes

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// extractiveSynthesizer answers with the sentences of the evidence that fit the question best, quoted and cited.
type extractiveSynthesizer struct{ lib Library }

// Limits of an extractive answer.
const (
	maxExtracts     = 2   // passages that are quoted
	minExtractScore = 0.3 // best extract below this: abstain
)

// introduction is the answer to small talk without a model.
const introduction = "Hello! I answer questions about the documents in this knowledge base, with the lines that the answer stands in. What would you like to know?"

func (s extractiveSynthesizer) Synthesize(ctx context.Context, q SynthesisRequest) (Synthesis, error) {
	if q.Route == state.RouteChitchat {
		return s.say(q, introduction), nil
	}
	stats, err := termStats(ctx, s.lib, q.Query)
	if err != nil {
		return Synthesis{}, err
	}
	focus := ""
	if q.Query != q.Question {
		focus = q.Question
	}
	extracts := rules.Extract(q.Query, focus, q.Items, stats, maxExtracts)
	if len(extracts) == 0 || extracts[0].Score < minExtractScore {
		return Synthesis{Abstained: true}, nil
	}
	var b, plain strings.Builder
	var c cited
	for i, e := range extracts {
		if i > 0 {
			b.WriteString("\n\n")
			plain.WriteString("\n\n")
		}
		c.add(e.Item+1, q.Items[e.Item], e.Start, e.End)
		quote := unwrap(q.Items[e.Item].Content[e.Start:e.End])
		plain.WriteString(quote)
		gap := " "
		if strings.HasSuffix(quote, "```") { // a marker on the line of a fence would be code
			gap = "\n"
		}
		fmt.Fprintf(&b, "%s%s[%d]", quote, gap, e.Item+1)
	}
	if !q.Sufficient && len(q.Missing) > 0 && q.Mode != state.ModeStrict {
		fmt.Fprintf(&b, "\n\n(Not found in these passages: %s.)", strings.Join(q.Missing, ", "))
	}
	answer := s.say(q, b.String())
	slices.SortFunc(c.citations, func(a, b state.Citation) int { return a.N - b.N })
	answer.Quoted, answer.Plain = c.citations, plain.String()
	return answer, nil
}

// structured is a line that means something by standing on a line of its own.
var structured = regexp.MustCompile("(?m)^\\s*([-*+|>#]|\\d+[.)]|```|    )")

// unwrap puts the wrapped lines of a paragraph on one line; lists, tables and code keep theirs.
func unwrap(text string) string {
	if structured.MatchString(text) {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

func (s extractiveSynthesizer) say(q SynthesisRequest, text string) Synthesis {
	answer := Synthesis{Text: text, Notes: []string{NoModel}}
	switch {
	case q.Route == state.RouteChitchat:
		answer.Notes = nil
	case q.Mode == state.ModeOpen:
		answer.Notes = append(answer.Notes, "the mode open adds nothing without a model")
	}
	return answer
}

// NoModel is the label of answers that no model wrote.
const NoModel = "no model wrote this answer: it quotes the passages that fit the question best"
