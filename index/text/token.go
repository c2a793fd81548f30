package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// A token is one word, or one run of characters that are written without spaces.
type token struct {
	text string
	cjk  bool
}

// eachToken calls f for the tokens of s in order.
func eachToken(s string, f func(token)) {
	s = fold(s)
	for start := 0; start < len(s); {
		end, kind := run(s, start)
		if kind == other {
			eachWord(s[start:end], f)
		} else {
			f(token{text: s[start:end], cjk: true})
		}
		start = end
	}
}

// eachWord cuts s, which holds no CJK, at Unicode's word boundaries. Words of ASCII letters between spaces, most words of
// most texts, are cut without the tables.
func eachWord(s string, f func(token)) {
	for start := 0; start < len(s); {
		if s[start] == ' ' || s[start] == '\n' {
			start++
			continue
		}
		end := start
		for end < len(s) && 'a' <= s[end]|0x20 && s[end]|0x20 <= 'z' {
			end++
		}
		rest := plainPunctuation(s[end:])
		if end-start > 1 && rest > 0 {
			f(token{text: s[start:end]})
			start = end + rest
			continue
		}
		end = start + chunk(s[start:])
		eachUnicodeWord(s[start:end], f)
		start = end
	}
}

// plainPunctuation is the length of what ends a word whatever follows: a comma or a point, and a space or a line's end
// behind it, or one of these alone. It is 0 for everything else. What follows the space must be ASCII: a mark would belong to it.
func plainPunctuation(s string) int {
	n := 0
	if len(s) > 1 && (s[0] == ',' || s[0] == '.') {
		n = 1
	}
	if len(s) < n+2 || s[n] != ' ' && s[n] != '\n' || s[n+1] >= utf8.RuneSelf {
		return 0
	}
	return n + 1
}

// chunk is where s, which begins with no space, can be cut: at a space between ASCII, or at its end.
func chunk(s string) int {
	for i := 1; i+1 < len(s); i++ {
		if s[i] == ' ' && s[i+1] < utf8.RuneSelf {
			return i
		}
	}
	return len(s)
}

// eachUnicodeWord cuts s by the rules of UAX 29.
func eachUnicodeWord(s string, f func(token)) {
	for it := words.FromString(s); it.Next(); {
		word := strings.TrimLeftFunc(it.Value(), notWordRune) // UAX 29 keeps a mark with the space before it
		if word == "" {
			continue
		}
		if len(word) == 1 {
			word += languageSuffix(s[it.End():])
		}
		f(token{text: word})
	}
}

// languageSuffix is what follows the letter in C++, C# and F#.
func languageSuffix(rest string) string {
	for _, suffix := range []string{"++", "#"} {
		after, ok := strings.CutPrefix(rest, suffix)
		if r, _ := utf8.DecodeRuneInString(after); ok && !isWordRune(r) {
			return suffix
		}
	}
	return ""
}

type script byte

const (
	other script = iota
	hanKana
	hangul
)

// run returns where the run of one script that starts at start ends.
func run(s string, start int) (end int, kind script) {
	r, size := utf8.DecodeRuneInString(s[start:])
	kind = scriptOf(r)
	for end = start + size; end < len(s); end += size {
		if s[end] < utf8.RuneSelf {
			if size = 1; kind != other {
				break
			}
			continue
		}
		if r, size = utf8.DecodeRuneInString(s[end:]); scriptOf(r) != kind {
			break
		}
	}
	return end, kind
}

func scriptOf(r rune) script {
	switch {
	case r < 0x1100:
		return other
	case r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return hanKana
	case unicode.Is(unicode.Hangul, r):
		return hangul
	default:
		return other
	}
}

// fold turns full-width ASCII into ASCII, and invalid bytes and all white space beyond ASCII into spaces.
func fold(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf
	}
	if plain {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError || unicode.IsSpace(r): // UAX 29 joins words at U+202F
			return ' '
		case r >= '！' && r <= '～':
			return r - '！' + '!'
		default:
			return r
		}
	}, s)
}

func hasWordRune(s string) bool { return strings.ContainsFunc(s, isWordRune) }

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isDigit(r) || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

func notWordRune(r rune) bool { return !isWordRune(r) }

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
