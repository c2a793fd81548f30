package verify

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kbagent/kbagent/state"
)

// FindQuote finds a quote in the content of items and gives the id of the first that holds it. The quote must stand there
// verbatim, except that any run of white space equals any other, hold at least one word, and not begin or end in the
// middle of a word or number: "2 days" is not found in "12 days".
func FindQuote(quote string, items []state.Evidence) (id string, ok bool) {
	return newQuotes(items).find(quote, "")
}

// quotes is evidence in which many quotes are looked for.
type quotes struct {
	ids   []string
	texts []string // with every run of white space made one space
}

func newQuotes(items []state.Evidence) quotes {
	q := quotes{make([]string, len(items)), make([]string, len(items))}
	for i, item := range items {
		q.ids[i], q.texts[i] = item.ID, oneSpaced(item.Content)
	}
	return q
}

// find looks for a quote, first in the item with the id preferred.
func (q quotes) find(quote, preferred string) (id string, ok bool) {
	quote = oneSpaced(quote)
	if !strings.ContainsFunc(quote, isLetterOrNumber) {
		return "", false
	}
	for i, text := range q.texts {
		if preferred != "" && q.ids[i] == preferred && holdsWhole(text, quote) {
			return preferred, true
		}
	}
	for i, text := range q.texts {
		if holdsWhole(text, quote) {
			return q.ids[i], true
		}
	}
	return "", false
}

func oneSpaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// holdsWhole reports whether quote occurs in text between borders of words.
func holdsWhole(text, quote string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], quote)
		if i < 0 {
			return false
		}
		at += i
		if !joined(text[:at], quote) && !joined(text[:at+len(quote)], text[at+len(quote):]) {
			return true
		}
		at = nextStart(text, at)
	}
}

// nextStart is the next place behind at where a quote may begin: not within the word that stands there.
func nextStart(text string, at int) int {
	_, size := utf8.DecodeRuneInString(text[at:])
	for at += size; at < len(text) && joined(text[:at], text[at:]); at += size {
		_, size = utf8.DecodeRuneInString(text[at:])
	}
	return at
}

// joined reports whether the end of a and the begin of b belong to one word or number.
func joined(a, b string) bool {
	last, size := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	if isUnspaced(last) || isUnspaced(first) {
		return false
	}
	if isLetterOrNumber(last) && isLetterOrNumber(first) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(a[:len(a)-size])
	if (last == '.' || last == ',') && unicode.IsDigit(before) && unicode.IsDigit(first) {
		return true
	}
	if first != '.' && first != ',' || !unicode.IsDigit(last) {
		return false
	}
	after, _ := utf8.DecodeRuneInString(b[1:])
	return unicode.IsDigit(after)
}

func isLetterOrNumber(r rune) bool {
	if r < utf8.RuneSelf {
		return '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r))
}

// isUnspaced reports the scripts that are written without spaces between words.
func isUnspaced(r rune) bool {
	return r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
