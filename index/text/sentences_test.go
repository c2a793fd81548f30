package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/index/text"
)

func TestSentences(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"sentences of a paragraph", "One is here. Two is there! Is three?", []string{"One is here.", "Two is there!", "Is three?"}},
		{"a wrapped line is no end", "One goes\non here. Two\r\nends.", []string{"One goes\non here.", "Two\r\nends."}},
		{"a blank line is an end", "No stop\n\nAnother", []string{"No stop", "Another"}},
		{"abbreviations are no ends", "See e.g. Go and Dr. Smith, Fig. 3. Done.", []string{"See e.g. Go and Dr. Smith, Fig. 3.", "Done."}},
		{"initials are no ends", "It is by J. Smith. Done.", []string{"It is by J. Smith.", "Done."}},
		{"Chinese stops are ends", "第一句。第二句！第三句？", []string{"第一句。", "第二句！", "第三句？"}},
		{"a heading stands alone and without its marks", "## Title\nText follows.", []string{"Title", "Text follows."}},
		{"an underlined heading stands alone", "Title\n=====\nText follows.", []string{"Title", "Text follows."}},
		{"list items stand alone and without their marks", "- one\n- two\n  goes on\n3. three", []string{"one", "two\n  goes on", "three"}},
		{"an item is cut like a paragraph", "* First. Second.", []string{"First.", "Second."}},
		{"a table row is one unit", "| a. B | c |\n|---|---|\n| d. E | f |", []string{"| a. B | c |", "| d. E | f |"}},
		{"a line of code is one unit", "```go\nx := a. B\ny()\n```\nText.", []string{"x := a. B", "y()", "Text."}},
		{"a quote loses its marks", "> Quoted text\n> goes on.", []string{"Quoted text\n> goes on."}},
		{"rules are left out", "***\nA.\n\n---\nB.", []string{"A.", "B."}},
		{"nothing has none", " \n\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range text.Sentences(tt.in) {
				got = append(got, tt.in[s.Start:s.End])
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestSentencesAreOrderedTrimmedAndCoverEveryWord(t *testing.T) {
	line := rapid.SampledFrom([]string{"", "# Head", "- item one. And more", "Some text. More", "```", "| a | b |", "|--|--|", "> quote", "他说。好", "   indented", "1. num", "===", "\t- tab"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(line).Draw(t, "lines"), rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "break"))
		checkSentences(t, s)
		for i, r := range s {
			covered := slices.ContainsFunc(text.Sentences(s), func(span text.Span) bool { return span.Start <= i && i < span.End })
			if unicode.IsLetter(r) && !covered {
				t.Fatalf("%q at %d of %q is in no sentence", r, i, s)
			}
		}
	})
	rapid.Check(t, func(t *rapid.T) { checkSentences(t, rapid.String().Draw(t, "s")) })
}

func checkSentences(t assert.TestingT, s string) {
	at := 0
	for _, span := range text.Sentences(s) {
		if !assert.LessOrEqual(t, at, span.Start) || !assert.Less(t, span.Start, span.End) || !assert.LessOrEqual(t, span.End, len(s)) {
			return
		}
		part := s[span.Start:span.End]
		assert.Equal(t, strings.TrimFunc(part, unicode.IsSpace), part)
		assert.NotContains(t, part, "\n\n")
		at = span.End
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range []string{"One. Two", "- a\n- b", "```\nx", "|a|\n|-|", "> a\n> b", "\xff. a", "#", "1.", "•"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkSentences(t, s) })
}
