// Package mask hides what must not be shown or logged: card numbers and secrets. It imports the standard library only.
package mask

import (
	"slices"
	"strings"
)

// The length of card numbers, in digits.
const (
	minDigits = 13
	maxDigits = 19
	minGroup  = 3 // digits of a group: shorter ones are columns of a table, not parts of a card number
)

// Cards replaces all but the last four digits of each card number in s by asterisks. A card number is 13 to 19 digits
// that pass the Luhn check, in one group or in groups of at least three with single spaces or hyphens between them, and not
// part of a word, a longer group of digits or a decimal fraction. Everything else stays as it is, byte for byte.
func Cards(s string) string {
	if strings.IndexFunc(s, isDigit) < 0 {
		return s
	}
	out := []byte(s)
	for i := 0; i < len(s); {
		if !isDigit(rune(s[i])) {
			i++
			continue
		}
		groups := run(s, i)
		for first := 0; first < len(groups); {
			last := card(s, groups, first)
			if last < 0 {
				first++
				continue
			}
			hide(out, groups[first].start, groups[last].end)
			first = last + 1
		}
		i = groups[len(groups)-1].end
	}
	return string(out)
}

// group is the byte range of digits without a separator.
type group struct{ start, end int }

// run is the groups, with one space or hyphen between each two, that start at start.
func run(s string, start int) []group {
	groups := []group{{start, start}}
	for i := start; i < len(s); i++ {
		last := &groups[len(groups)-1]
		switch {
		case isDigit(rune(s[i])):
			last.end = i + 1
		case (s[i] == ' ' || s[i] == '-') && i+1 < len(s) && isDigit(rune(s[i+1])):
			groups = append(groups, group{i + 1, i + 1})
		default:
			return groups
		}
	}
	return groups
}

// card is the last group of the longest card number that starts with groups[first], or -1.
func card(s string, groups []group, first int) int {
	var digits []byte
	found := -1
	for last := first; last < len(groups) && len(digits) <= maxDigits; last++ {
		if groups[last].end-groups[last].start < minGroup {
			break
		}
		digits = append(digits, s[groups[last].start:groups[last].end]...)
		if len(digits) >= minDigits && len(digits) <= maxDigits && luhn(digits) &&
			!gluedBefore(s[:groups[first].start]) && !gluedAfter(s[groups[last].end:]) {
			found = last
		}
	}
	return found
}

// hide puts asterisks over all digits of out[start:end] but the last four.
func hide(out []byte, start, end int) {
	shown := 0
	for i := end - 1; i >= start; i-- {
		if !isDigit(rune(out[i])) {
			continue
		}
		if shown++; shown > 4 {
			out[i] = '*'
		}
	}
}

// gluedBefore says whether a number behind s is the rest of a word or of a decimal fraction.
func gluedBefore(s string) bool {
	if s == "" {
		return false
	}
	c := s[len(s)-1]
	fraction := (c == '.' || c == ',') && len(s) > 1 && isDigit(rune(s[len(s)-2]))
	return fraction || isWord(c) || c == '*' // behind asterisks stands the rest of what is masked already
}

// gluedAfter says whether a number before s goes on as a word or a decimal fraction.
func gluedAfter(s string) bool {
	if s == "" {
		return false
	}
	fraction := (s[0] == '.' || s[0] == ',') && len(s) > 1 && isDigit(rune(s[1]))
	return fraction || isWord(s[0])
}

func isWord(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// luhn is the check of ISO/IEC 7812-1, annex B.
func luhn(digits []byte) bool {
	sum := 0
	for i, c := range digits {
		d := int(c - '0')
		if (len(digits)-i)%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// Secrets replaces each of secrets in s by asterisks; a secret that holds another one goes first, so that nothing of it
// stays. Empty secrets, and ones of fewer than four bytes that would hit ordinary text, are left out.
func Secrets(s string, secrets ...string) string {
	if len(secrets) > 1 {
		secrets = slices.Clone(secrets)
		slices.SortStableFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	}
	for _, secret := range secrets {
		if len(secret) >= 4 {
			s = strings.ReplaceAll(s, secret, "****")
		}
	}
	return s
}
