package nodes

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// shelf is a knowledge base of which nothing but the counts of terms is known.
type shelf struct{}

func (shelf) NamedFiles(context.Context, string) ([]string, error) { return nil, nil }
func (shelf) HasVectors() bool                                     { return false }
func (shelf) DocFreq(_ context.Context, terms []string) (map[string]int, int, error) {
	freq := make(map[string]int, len(terms))
	for _, t := range terms {
		freq[t] = 10 * len(t)
	}
	return freq, 2000, nil
}

// passages are n items of about 200 words.
func passages(n int) []state.Evidence {
	items := make([]state.Evidence, n)
	for i := range items {
		var b strings.Builder
		for line := range 12 {
			fmt.Fprintf(&b, "Sentence %d of passage %d says how the daemon rotates its logs every night and where old ones are kept.\n", line, i)
		}
		items[i] = state.Evidence{ID: fmt.Sprint(i), Path: fmt.Sprintf("%d.md", i), Title: "Operations", Section: "Logs", Content: b.String()}
	}
	return items
}

// BenchmarkGradeEvidence is the node without a model on 20 items of 200 words. Its floor is cutting the same texts into
// terms once: no lexical grader can do without.
func BenchmarkGradeEvidence(b *testing.B) {
	const query = "How long are the old logs of the daemon kept?"
	items := passages(20)
	b.Run("node", func(b *testing.B) {
		node := New(Config{Library: shelf{}, Audit: Discard{}, Tools: tools.NewSet()}).GradeEvidence()
		s := state.AgentState{Settings: state.DefaultSettings(), Question: query, Iteration: 1, Rounds: 1, Phase: state.PhaseGrade, Context: items}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := node(b.Context(), s); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, item := range items {
				text.Terms(item.Content)
			}
		}
	})
}

// BenchmarkStream is the filter between a model's tokens and the screen, for an answer of 2,000 tokens. Its floor is
// putting the tokens together.
func BenchmarkStream(b *testing.B) {
	const tokens = 2000
	token := func(i int) string {
		switch {
		case i%20 == 0:
			return "[1].\n"
		case i%300 == 7:
			return "`code[9]` "
		default:
			return "token "
		}
	}
	b.Run("filter", func(b *testing.B) {
		for b.Loop() {
			f := newTokenFilter(3, func(any) {})
			for i := range tokens {
				f.write(token(i))
			}
			f.flush()
		}
	})
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			var s strings.Builder
			for i := range tokens {
				s.WriteString(token(i))
			}
		}
	})
}
