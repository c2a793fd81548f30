package text

import (
	"strings"
	"unicode"
)

// grammarChars are Chinese characters that stand for grammar: particles, question words, prepositions.
const grammarChars = "的了在是什么谁哪多少几何被和與对對有为為吗嗎呢怎样樣个個这這那其之于以及从到把让也都就得着过過吧啊"

// IsGrammar says whether a term that [Terms] makes says little about what a text is about, without being a stop word: a
// negation, or a pair of Chinese or Japanese characters one of which is a function word. Such pairs cross the borders of words.
func IsGrammar(term string) bool { return negations[term] || IsGrammarPair(term) }

// IsGrammarPair is [IsGrammar] without the negations.
func IsGrammarPair(term string) bool {
	return term != "" && term[0] >= 0x80 && (strings.ContainsAny(term, grammarChars) || strings.ContainsFunc(term, isHiragana))
}

var negations = map[string]bool{"no": true, "not": true, "never": true}

func isHiragana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }
