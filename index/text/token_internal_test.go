package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func wordsBy(each func(string, func(token)), s string) (list []string) {
	each(s, func(t token) { list = append(list, t.text) })
	return list
}

func checkWords(t assert.TestingT, s string) {
	s = fold(s)
	assert.Equal(t, wordsBy(eachUnicodeWord, s), wordsBy(eachWord, s), "words of %q", s)
}

// Pieces that are cut without the tables, and what may stand at their borders.
var pieces = []string{
	"word", "Word", "a", "I", "C++", "C#", "é", "naïve", "x1", "1", "1.5", "don't", "don’t", "e.g.", "go.mod", "read_file", "_", "'", ":", ",", ".", ";", "!",
	" ", "  ", "\n", "\t", "\r\n", "\u0308", "\u200d", "\u00ad", "\u202f", "\ufe0f", "ß", "אב", "\"", "-", "(", ")", "/", "\x00", "ᄀ",
}

func TestWordsThatAreCutWithoutTheTablesAreThoseOfUnicode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkWords(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), ""))
	})
	rapid.Check(t, func(t *rapid.T) { checkWords(t, rapid.String().Draw(t, "text")) })
}

func FuzzWords(f *testing.F) {
	f.Add("The word, a \u0308mark and C++.\nNext")
	f.Fuzz(func(t *testing.T, s string) { checkWords(t, s) })
}

func TestTheLexiconChangesNoTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.SampledFrom(pieces), rapid.StringMatching(`[A-Za-z]{1,12}|[A-Z]{2,5}s|[a-z]+[A-Z][a-z0-9]+`)).Draw(t, "word")
		want := appendTerms(nil, word)
		assert.Equal(t, want, met.terms(word))
		assert.Equal(t, want, met.terms(word), "the second time")
	})
}

func TestAFullLexiconGoesOn(t *testing.T) {
	var l lexicon
	full := make(map[string][]string, maxKnown)
	for i := range maxKnown {
		full[strings.Repeat("x", 1+i%20)+string(rune('一'+i%20000))+string(rune('一'+i/20000))] = nil
	}
	l.known.Store(&full)
	assert.Equal(t, []string{"search"}, l.terms("Searching"))
	assert.Empty(t, l.fresh)
}
