package repl

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// matching is the candidates that fit what was typed: those that start with it, in their order; where there is none, those
// that hold it, or its letters in their order, the best first. Case does not count.
func matching(typed string, all []candidate) []candidate {
	type ranked struct {
		candidate
		cost int
	}
	var some []ranked
	for _, c := range all {
		if cost, ok := fit(typed, c.value); ok {
			some = append(some, ranked{c, cost})
		}
	}
	if slices.ContainsFunc(some, func(r ranked) bool { return r.cost == 0 }) {
		some = slices.DeleteFunc(some, func(r ranked) bool { return r.cost > 0 })
	}
	slices.SortStableFunc(some, func(a, b ranked) int { return cmp.Compare(a.cost, b.cost) })
	list := make([]candidate, len(some))
	for i, r := range some {
		list[i] = r.candidate
	}
	return list
}

// Costs of a fit: a start costs nothing, a part more than any start, scattered letters more than any part.
const (
	partCost    = 1
	scatterCost = 1000
)

// fit says how well a value fits what was typed; less is better. Scattered letters cost more the further they are apart,
// and have to begin where a word of the value begins.
func fit(typed, value string) (cost int, ok bool) {
	typed, value = strings.ToLower(typed), strings.ToLower(value)
	if strings.HasPrefix(value, typed) {
		return 0, true
	}
	if word, ok := strings.CutPrefix(typed, "/"); ok && strings.HasPrefix(value, "/") { // the slash of a command is no letter
		typed = word
	}
	if i := strings.Index(value, typed); i > 0 {
		return partCost + min(i, scatterCost-2), true
	}
	return scattered([]rune(typed), []rune(value))
}

func scattered(typed, value []rune) (cost int, ok bool) {
	if len(typed) == 0 {
		return 0, false
	}
	for start := range value {
		if value[start] != typed[0] || start > 0 && isWordRune(value[start-1]) {
			continue
		}
		if end, found := subsequence(typed, value[start:]); found {
			return scatterCost + start + end - len(typed), true
		}
	}
	return 0, false
}

// subsequence finds the letters in their order and returns where the last one ends.
func subsequence(letters, text []rune) (end int, ok bool) {
	n := 0
	for i, r := range text {
		if r == letters[n] {
			if n++; n == len(letters) {
				return i + 1, true
			}
		}
	}
	return 0, false
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// contains says whether a text holds all words of what was typed, or its letters in their order.
func contains(text, typed string) bool {
	text = strings.ToLower(text)
	words := strings.Fields(strings.ToLower(typed))
	all := !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	if all || len(words) != 1 {
		return all
	}
	_, ok := fit(words[0], text)
	return ok
}
