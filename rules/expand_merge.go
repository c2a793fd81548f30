package rules

import (
	"cmp"
	"slices"
	"unicode"

	"github.com/kbagent/kbagent/state"
)

// RRFConstant is the usual k of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009).
const RRFConstant = 60

// MergeRRF merges ranked lists of evidence, best first, by reciprocal rank fusion: an item scores Σ 1/(k+rank) over the
// lists, divided by its maximum len(lists)/(k+1), so that 1 is the first of every list; its score kind is then rrf. Items
// are told apart by id and count once a list, at their best rank; the first copy is kept, with its grade. Empty lists
// count. Ties keep the order of first appearance, list by list. k below 1 is RRFConstant. The lists are not changed.
func MergeRRF(lists [][]state.Evidence, k int) []state.Evidence {
	if k < 1 {
		k = RRFConstant
	}
	at := make(map[string]int)
	var merged []state.Evidence
	for _, list := range lists {
		seen := make(map[string]bool)
		for rank, item := range list {
			if seen[item.ID] {
				continue
			}
			seen[item.ID] = true
			i, ok := at[item.ID]
			if !ok {
				i = len(merged)
				at[item.ID] = i
				item.RetrievalScore, item.ScoreKind = 0, state.ScoreRRF
				merged = append(merged, item)
			}
			merged[i].RetrievalScore += float64(k+1) / float64(k+1+rank) / float64(len(lists))
		}
	}
	for i := range merged {
		merged[i].RetrievalScore = unit(merged[i].RetrievalScore) // three thirds may come out above 1
	}
	slices.SortStableFunc(merged, func(a, b state.Evidence) int { return cmp.Compare(b.RetrievalScore, a.RetrievalScore) })
	return merged
}

// FitTokens keeps the items, in order, that fit into budget tokens; one that does not fit is skipped, and smaller ones may
// follow. A budget of 0 or less keeps none.
func FitTokens(items []state.Evidence, budget int) []state.Evidence {
	var kept []state.Evidence
	used := 0
	for _, item := range items {
		if tokens := Tokens(item.Content); budget > 0 && used+tokens <= budget {
			kept = append(kept, item)
			used += tokens
		}
	}
	return kept
}

// Tokens estimates how many tokens a model makes of text: 1.3 a word, rounded down over the whole text, and 1 a Chinese,
// Japanese or Korean character, its punctuation too. A word is what stands between white space or such characters.
func Tokens(text string) int { return tokenTenths(text) / 10 }

// tokenTenths is Tokens in tenths of a token, which add up exactly over the pieces of a text that is cut between words.
func tokenTenths(text string) int {
	words, characters := 0, 0
	inWord := false
	for _, r := range text {
		wide := isWide(r)
		if wide {
			characters++
		}
		if wide || unicode.IsSpace(r) {
			inWord = false
			continue
		}
		if !inWord {
			words++
			inWord = true
		}
	}
	return 13*words + 10*characters
}

// isWide reports a Chinese, Japanese or Korean character, or punctuation among these.
func isWide(r rune) bool {
	if r < 0x1100 {
		return false
	}
	return isIdeographic(r) || r >= 0x3001 && r <= 0x303f || r >= 0xff01 && r <= 0xff65
}
