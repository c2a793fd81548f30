package reply

import (
	"strings"
	"unicode"
)

// fold turns the full-width forms of a character into the ASCII one: models that write Chinese or Japanese use them for
// digits and punctuation. Other runes stay.
func fold(c rune) rune {
	switch {
	case c < 0x80:
		return c
	case c >= '！' && c <= '～':
		return c - '！' + '!'
	}
	switch c {
	case '、', '﹐':
		return ','
	case '【', '〔':
		return '['
	case '】', '〕':
		return ']'
	case '−', '‒':
		return '-'
	case '\u3000':
		return ' '
	}
	return c
}

func foldString(s string) string { return strings.Map(fold, s) }

// blank reports white space, and the invisible runes that come with copied text.
func blank(c rune) bool {
	switch c {
	case '\uFEFF', '\u200B', '\u200C', '\u200D', '\u2060':
		return true
	}
	return unicode.IsSpace(c)
}

// quoteOf says which kind of quote a folded rune is: 0 for none. Two quotes of one kind open and close a string.
func quoteOf(c rune) rune {
	switch c {
	case '"', '\'':
		return c
	case '“', '”', '„', '‟':
		return '“'
	case '‘', '’', '‚', '‛':
		return '‘'
	}
	return 0
}

// trim removes blanks from both ends.
func trim(s string) string { return strings.TrimFunc(s, blank) }
