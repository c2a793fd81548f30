package index

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/index/text"
)

// What is written in quotes, and words with an asterisk behind. Anything else with these signs is text like any other.
var (
	quoted   = regexp.MustCompile(`"([^"]+)"|“([^”]+)”|「([^」]+)」|『([^』]+)』`)
	prefixed = regexp.MustCompile(`(?:^|[\s("“])([\pL\pN_.-]{2,}[\pL\pN_])\*(?:$|[\s,;:.?!)"”])`)
)

// A phrase is what stands in quotes.
type phrase struct {
	terms    []string // that its passages hold
	sequence []string // as text.Sequence makes it
}

// maxOperators bounds the work of one query: a phrase takes a search of its own, a prefix a part of the dictionary.
const maxOperators = 8

// operators reads the first different phrases and prefixes of the line that is asked. A quotation of one term is no phrase: it is
// a word.
func (q *query) operators() {
	for _, m := range quoted.FindAllStringSubmatch(q.text, -1) {
		words := strings.Join(m[1:], "")
		sequence := text.Sequence(words)
		known := slices.ContainsFunc(q.phrases, func(p phrase) bool { return slices.Equal(p.sequence, sequence) })
		if terms := text.Terms(words); len(terms) > 1 && !known && len(q.phrases) < maxOperators {
			q.phrases = append(q.phrases, phrase{distinct(terms), sequence})
		}
	}
	for _, m := range prefixed.FindAllStringSubmatch(q.text, -1) {
		prefix := termPrefix(strings.ToLower(m[1]))
		if !slices.Contains(q.prefixes, prefix) && len(q.prefixes) < maxOperators {
			q.prefixes = append(q.prefixes, prefix)
		}
	}
}

// termPrefix is how the terms begin that the words with a prefix become: stemming takes the e of "database", so "database*"
// looks for "databas". A stem that lost more is another word's begin.
func termPrefix(word string) string {
	terms := text.Terms(word)
	if len(terms) == 1 && strings.HasPrefix(word, terms[0]) && len(word)-len(terms[0]) <= 2 {
		return terms[0]
	}
	return word
}

// A prefix stands for the most frequent terms that begin with it, together for one word that counts in full.
const (
	maxExpansions = 64
	prefixWeight  = 1
)

// expand looks the prefixes up.
func (x *Index) expand(ctx context.Context, q *query) error {
	for _, prefix := range q.prefixes {
		found, err := x.store.Vocabulary(ctx, prefix, nil)
		if err != nil {
			return fmt.Errorf("terms that begin with %s: %w", prefix, err)
		}
		if terms := mostFrequent(found, maxExpansions); len(terms) > 0 {
			q.alike = append(q.alike, Alike{Terms: terms, Weight: prefixWeight})
		}
	}
	return nil
}

// mostFrequent are the n terms with the highest counts, those with equal ones in order of the alphabet.
func mostFrequent(counts map[string]int, n int) []string {
	terms := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(terms, func(a, b string) int { return counts[b] - counts[a] })
	return terms[:min(n, len(terms))]
}

// phraseDepth is how many of the passages that hold all words of a phrase are looked at, the best ones.
const phraseDepth = 200

// addPhrases adds the passages that hold a phrase of q to matches, sorted, and returns how many of the phrases each holds, by ID.
func (x *Index) addPhrases(ctx context.Context, q query, search KeywordQuery, matches []Match) ([]Match, map[string]int, error) {
	held := map[string]int{}
	known := make(map[string]bool, len(matches))
	for _, m := range matches {
		known[m.Passage.ID] = true
	}
	for _, p := range q.phrases {
		search.All, search.K = p.terms, phraseDepth
		holders, err := x.store.Keyword(ctx, search)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range holders {
			if !p.standsIn(m.Passage) {
				continue
			}
			held[m.Passage.ID]++
			if !known[m.Passage.ID] {
				known[m.Passage.ID] = true
				matches = append(matches, m)
			}
		}
	}
	sortMatches(matches)
	return matches, held, nil
}

// lift puts the passages that hold phrases before the others: each phrase adds the highest sum of all.
func lift(matches []Match, held map[string]int) {
	if len(held) == 0 || len(matches) == 0 {
		return
	}
	highest := matches[0].Score
	for i, m := range matches {
		matches[i].Score += highest * float64(held[m.Passage.ID])
	}
	sortMatches(matches)
}

// standsIn reports whether the words follow each other in the passage's text, section or title.
func (p phrase) standsIn(passage Passage) bool {
	for _, s := range []string{passage.Content, passage.Section, passage.Title} {
		if containsRun(text.Sequence(s), p.sequence) {
			return true
		}
	}
	return false
}

// containsRun reports whether part stands in all without a gap.
func containsRun(all, part []string) bool {
	for i := 0; i+len(part) <= len(all); i++ {
		if all[i] == part[0] && slices.Equal(all[i:i+len(part)], part) {
			return true
		}
	}
	return false
}
