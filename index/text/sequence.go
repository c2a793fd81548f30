package text

import "strings"

// Sequence returns the words of s in order, stemmed as [Terms] does but stop words kept and identifiers in one piece, for telling
// what stands next to each other: "the ReadFile functions" → "the", "readfile", "function". Runs of Chinese, Japanese and Korean
// characters become pairs.
func Sequence(s string) []string {
	words := make([]string, 0, len(s)/5)
	eachToken(s, func(t token) {
		if t.cjk {
			words = appendPairs(words, t.text)
			return
		}
		w := normal(t.text)
		if isNumber(w) {
			w = strings.ReplaceAll(w, ",", "")
		}
		if w != "" {
			words = append(words, cut(stem(w)))
		}
	})
	return words
}
