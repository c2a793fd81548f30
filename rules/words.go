package rules

import (
	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/state"
)

// Keywords is the words of a question that carry its meaning, each once, in order.
func Keywords(question string) []string {
	seen := make(map[string]bool)
	var words []string
	for _, w := range text.Words(question) {
		if !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}

// Missing is the keywords of a question that no item holds.
func Missing(question string, items []state.Evidence) []string {
	held := make(map[string]bool)
	for _, item := range items {
		for _, term := range text.Terms(item.Title + "\n" + item.Section + "\n" + item.Content) {
			held[term] = true
		}
	}
	var missing []string
	for _, word := range Keywords(question) {
		terms := text.Terms(word)
		absent := len(terms) > 0
		for _, term := range terms {
			absent = absent && !held[term]
		}
		if absent {
			missing = append(missing, word)
		}
	}
	return missing
}
