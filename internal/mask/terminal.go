package mask

import (
	"strings"
	"unicode"
)

// Terminal is a text that cannot steer a terminal: without control characters but line feeds, without characters that
// turn the direction of the text, with tabs as four spaces, and valid UTF-8.
func Terminal(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\t", "    ")
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, s)
}

// TerminalLine is Terminal on one line, with runs of white space as one space.
func TerminalLine(s string) string { return strings.Join(strings.Fields(Terminal(s)), " ") }
