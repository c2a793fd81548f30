package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index/text"
)

// A word that no passage holds is taken for a typing error when it has enough letters: what passages hold instead, with the same
// first letter and the fewest edits away, is searched for at less weight.
const (
	correctionWeight = 0.5
	maxCorrections   = 3 // terms for one word
	maxTypos         = 4 // words of one query
	oneEdit          = 5 // letters from which on a word may have one edit; a shorter one has too many neighbours
	twoEdits         = 9 // letters from which on it may have two
)

// A Correction says what was searched for in the place of a word that no passage holds.
type Correction struct {
	Word    string   `json:"word"`    // as it stands in the query, in lower case
	Instead []string `json:"instead"` // the nearest words, the most frequent first
}

// Corrections returns what [Index.Keyword] and [Index.Hybrid] searched for in the place of words that no passage holds. hits are what
// they found: words are spelled as they stand there; one that stands in none of them is given as its stem.
func (x *Index) Corrections(ctx context.Context, query string, hits []Hit) ([]Correction, error) {
	q := readQuery(query)
	typos, err := x.correct(ctx, q)
	if err != nil {
		return nil, err
	}
	list := make([]Correction, len(typos))
	for i, t := range typos {
		list[i].Word = t.word
		for _, term := range t.terms {
			if word := spelled(term, hits); !slices.Contains(list[i].Instead, word) {
				list[i].Instead = append(list[i].Instead, word)
			}
		}
	}
	return list, nil
}

// spelled is the first word of hits that becomes term; term itself when there is none.
func spelled(term string, hits []Hit) string {
	for _, h := range hits {
		for _, word := range text.Words(h.Title + "\n" + h.Section + "\n" + h.Content) {
			if word == term || strings.HasPrefix(word, term[:1]) && slices.Equal(text.Terms(word), []string{term}) {
				return word
			}
		}
	}
	return term
}

// A typo is a word with the terms that take its place.
type typo struct {
	word  string
	terms []string
}

// correct finds the words of what is asked that no passage holds, and what is near them.
func (x *Index) correct(ctx context.Context, q query) (list []typo, err error) {
	words, err := x.unknown(ctx, q.correctable(), func(w string) string { return text.Terms(w)[0] })
	if err != nil {
		return nil, err
	}
	// An identifier is kept as it stands, without stemming.
	if words, err = x.unknown(ctx, words, func(w string) string { return w }); err != nil {
		return nil, err
	}
	for _, w := range words[:min(maxTypos, len(words))] {
		terms, err := x.nearestTerms(ctx, text.Terms(w)[0], edits(w))
		if err != nil {
			return nil, err
		}
		if len(terms) > 0 {
			list = append(list, typo{w, terms})
		}
	}
	return list, nil
}

// unknown are those of words whose term no passage holds.
func (x *Index) unknown(ctx context.Context, words []string, term func(word string) string) (list []string, err error) {
	if len(words) == 0 {
		return nil, nil
	}
	terms := make([]string, len(words))
	for i, w := range words {
		terms[i] = term(w)
	}
	freq, _, err := x.store.DocFreq(ctx, terms)
	if err != nil {
		return nil, fmt.Errorf("count terms: %w", err)
	}
	for i, w := range words {
		if freq[terms[i]] == 0 {
			list = append(list, w)
		}
	}
	return list, nil
}

// correctable are the words of what is asked that could have a typing error: one term each, of letters with spaces between
// words, long enough. The begin of a word in front of an asterisk is none.
func (q query) correctable() (words []string) {
	notLetter := func(r rune) bool {
		return !unicode.IsLetter(r) || r >= 0x1100 && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic)
	}
	for _, w := range distinct(text.Words(prefixed.ReplaceAllString(q.text, " $2"))) {
		if edits(w) > 0 && !strings.ContainsFunc(w, notLetter) && len(text.Terms(w)) == 1 {
			words = append(words, w)
		}
	}
	return words
}

// edits is how many edits a word may be away.
func edits(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case n < oneEdit:
		return 0
	case n < twoEdits:
		return 1
	default:
		return 2
	}
}

// nearestTerms are the most frequent ones of the terms that are the fewest edits away from term, at most limit.
func (x *Index) nearestTerms(ctx context.Context, term string, limit int) ([]string, error) {
	first, size := utf8.DecodeRuneInString(term)
	target := []rune(term)
	distance := map[string]int{}
	counts, err := x.store.Vocabulary(ctx, string(first), func(t []byte) bool {
		if n := len(t) - len(term); n > limit*utf8.UTFMax || n < -limit*utf8.UTFMax || len(t) == size {
			return false
		}
		d := editDistance(target, []rune(string(t)), limit)
		if d > limit {
			return false
		}
		distance[string(t)] = d
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("terms near %s: %w", term, err)
	}
	terms := mostFrequent(counts, len(counts))
	slices.SortStableFunc(terms, func(a, b string) int { return cmp.Compare(distance[a], distance[b]) })
	terms = terms[:min(len(terms), 2*maxCorrections)]
	freq, _, err := x.store.DocFreq(ctx, terms) // the vocabulary counts passages that are no more
	if err != nil {
		return nil, fmt.Errorf("count terms: %w", err)
	}
	terms = slices.DeleteFunc(terms, func(t string) bool { return freq[t] == 0 })
	for i, t := range terms {
		if i == maxCorrections || distance[t] > distance[terms[0]] {
			return terms[:i], nil
		}
	}
	return terms, nil
}

// editDistance is how many letters have to be put in, left out, replaced or exchanged with their neighbour to make b of a; any
// number above limit when it is more than that.
func editDistance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		best := row[0]
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
			best = min(best, row[j+1])
		}
		if best > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
