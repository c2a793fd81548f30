package rules

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index/text"
)

// synonymsPerTerm is how many synonyms a word of a query gets.
const synonymsPerTerm = 2

// Expand is the content words of a query as they stand, in order, each once, with at most two synonyms behind each that has
// some. Stop words and punctuation are left out. What the query already holds, in whatever form, is no synonym. The
// table's phrases are found as such ("sign up"), and its Chinese, Japanese and Korean words inside a run of characters.
func (s Synonyms) Expand(query string) []string {
	words := queryWords(query)
	x := expansion{table: s, held: make(map[string]bool)}
	for _, w := range words {
		x.held[synonymKey(w)] = true
	}
	written := make(map[string]bool)
	for i, w := range words {
		if lower := strings.ToLower(w); !text.IsStopWord(lower) && !written[lower] {
			written[lower] = true
			x.words = append(x.words, w)
		}
		x.phrases(words[i:])
	}
	return x.words
}

// expansion is a query that is being expanded.
type expansion struct {
	table Synonyms
	held  map[string]bool // keys of the words that the result holds or will hold
	words []string
}

// phrases adds the synonyms of the phrases and of the word that words begin with.
func (x *expansion) phrases(words []string) {
	longest := 1
	for _, layer := range x.table.layers {
		longest = max(longest, layer.longest)
	}
	for n := min(longest, len(words)); n > 1; n-- {
		if x.synonyms(synonymKey(strings.Join(words[:n], " "))) {
			return
		}
	}
	if text.IsStopWord(strings.ToLower(words[0])) || x.synonyms(synonymKey(words[0])) {
		return
	}
	for _, part := range ideographicRuns(words[0]) {
		x.inside(part)
	}
}

// synonyms adds the first synonyms of key that are not there yet, and says whether the table knows it.
func (x *expansion) synonyms(key string) bool {
	others := x.table.lookup(key)
	left := synonymsPerTerm
	for _, other := range others {
		if k := synonymKey(other); left > 0 && !x.held[k] {
			x.held[k] = true
			x.words = append(x.words, other)
			left--
		}
	}
	return len(others) > 0
}

// inside looks for the table's words in a run of Chinese, Japanese or Korean characters: the longest first at each place.
func (x *expansion) inside(run string) {
	longest := 0
	for _, layer := range x.table.layers {
		longest = max(longest, layer.runes)
	}
	for run != "" {
		size := 0
		for _, end := range slices.Backward(runeEnds(run, longest)) {
			if key := run[:end]; x.table.lookup(key) != nil {
				x.held[key] = true
				x.synonyms(key)
				size = end
				break
			}
		}
		if size == 0 {
			_, size = utf8.DecodeRuneInString(run)
		}
		run = run[size:]
	}
}

// runeEnds is the byte offsets behind each of the first n characters of s, from the second on: a single character is
// too often a part of another word.
func runeEnds(s string, n int) (ends []int) {
	count := 0
	for i, r := range s {
		if count++; count > n {
			break
		}
		if count > 1 {
			ends = append(ends, i+utf8.RuneLen(r))
		}
	}
	return ends
}

// ideographicRuns is the runs of Chinese, Japanese or Korean characters in a word.
func ideographicRuns(word string) []string {
	return strings.FieldsFunc(word, func(r rune) bool { return !isIdeographic(r) })
}

// queryWords is the words of a query as they stand, stop words too, without the punctuation around them.
func queryWords(query string) []string {
	fields := strings.FieldsFunc(strings.ToValidUTF8(query, " "), func(r rune) bool {
		return unicode.IsSpace(r) || r >= 0x1100 && isWide(r) && !isIdeographic(r)
	})
	var words []string
	for _, f := range fields {
		if f = trimWord(f); f != "" {
			words = append(words, f)
		}
	}
	return words
}

// trimWord is a word without the punctuation around it; the signs of C++ and C# stay.
func trimWord(w string) string {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
	w = strings.TrimLeftFunc(w, func(r rune) bool { return !letter(r) })
	return strings.TrimRightFunc(w, func(r rune) bool { return !letter(r) && r != '+' && r != '#' })
}
