package text

import (
	"strings"
	"unicode"
)

// splitIdentifier cuts word at punctuation, between lower and upper case ("readFile"), before the last capital of
// several when a small letter follows ("HTTPServer"), and between letters and digits ("go1.21" → "go", "1.21").
// The plural of an abbreviation ("APIs") is not cut.
func splitIdentifier(word string) []string {
	runes := []rune(word)
	var parts []string
	start := 0
	flush := func(end int) {
		if start < end {
			parts = append(parts, string(runes[start:end]))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case !isWordRune(r):
			if isDecimalPoint(runes, i) {
				continue
			}
			if isLanguageSuffix(runes[i:]) {
				continue
			}
			flush(i)
			start = i + 1
		case i > start && cutsBefore(runes, i):
			flush(i)
		}
	}
	flush(len(runes))
	return parts
}

func cutsBefore(runes []rune, i int) bool {
	before, r := runes[i-1], runes[i]
	if unicode.IsDigit(before) != unicode.IsDigit(r) {
		return isWordRune(before)
	}
	if !unicode.IsUpper(r) {
		return false
	}
	if unicode.IsLower(before) {
		return true
	}
	rest := runes[i+1:]
	plural := len(rest) == 1 && rest[0] == 's'
	return unicode.IsUpper(before) && len(rest) > 0 && unicode.IsLower(rest[0]) && !plural
}

// isLanguageSuffix reports the signs of C++ and C#.
func isLanguageSuffix(rest []rune) bool {
	return len(rest) == 2 && rest[0] == '+' && rest[1] == '+' || len(rest) == 1 && rest[0] == '#'
}

func isDecimalPoint(runes []rune, i int) bool {
	return (runes[i] == '.' || runes[i] == ',') &&
		i > 0 && unicode.IsDigit(runes[i-1]) && i+1 < len(runes) && unicode.IsDigit(runes[i+1])
}

// isPluralAbbreviation reports capitals with a small s behind: CPUs.
func isPluralAbbreviation(word string) bool {
	capitals, ok := strings.CutSuffix(word, "s")
	return ok && len(capitals) > 1 && strings.IndexFunc(capitals, func(r rune) bool { return r < 'A' || r > 'Z' }) < 0
}

// isNumber reports digits with points and commas between.
func isNumber(word string) bool {
	return word != "" && isDigit(rune(word[0])) &&
		strings.IndexFunc(word, func(r rune) bool { return !isDigit(r) && r != '.' && r != ',' }) < 0
}
