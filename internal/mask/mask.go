// Package mask hides what must not be shown or logged: card numbers and secrets. It imports the standard library only.
package mask

import (
	"strings"
)

// The length of card numbers, in digits.
const (
	minDigits = 13
	maxDigits = 19
)

// Cards replaces all but the last four digits of each card number in s by asterisks. A card number is a run of 13 to 19
// digits that passes the Luhn check, single spaces or hyphens between its digits allowed, and not part of a word, a
// longer run of digits or a decimal fraction. Everything else stays as it is, byte for byte.
func Cards(s string) string {
	if strings.IndexFunc(s, isDigit) < 0 {
		return s
	}
	var out strings.Builder
	last := 0
	for i := 0; i < len(s); {
		if !isDigit(rune(s[i])) {
			i++
			continue
		}
		end, digits := number(s, i)
		if isCard(s, i, end, digits) {
			out.WriteString(s[last:i])
			out.WriteString(hidden(s[i:end], len(digits)))
			last = end
		}
		i = end
	}
	out.WriteString(s[last:])
	return out.String()
}

// number is the end of the run of digits and single separators that starts at start, and its digits.
func number(s string, start int) (end int, digits []byte) {
	i := start
	for i < len(s) {
		switch {
		case isDigit(rune(s[i])):
			digits = append(digits, s[i])
			i++
			end = i
		case (s[i] == ' ' || s[i] == '-') && i+1 < len(s) && isDigit(rune(s[i+1])):
			i++
		default:
			return end, digits
		}
	}
	return end, digits
}

func isCard(s string, start, end int, digits []byte) bool {
	if len(digits) < minDigits || len(digits) > maxDigits || !luhn(digits) {
		return false
	}
	return !gluedBefore(s[:start]) && !gluedAfter(s[end:])
}

// gluedBefore says whether a number behind s is the rest of a word or of a decimal fraction.
func gluedBefore(s string) bool {
	if s == "" {
		return false
	}
	c := s[len(s)-1]
	fraction := (c == '.' || c == ',') && len(s) > 1 && isDigit(rune(s[len(s)-2]))
	return fraction || isWord(c)
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

// hidden is a number with asterisks for all but its last four digits; separators stay.
func hidden(number string, digits int) string {
	out := []byte(number)
	for i := range out {
		if isDigit(rune(out[i])) {
			if digits > 4 {
				out[i] = '*'
			}
			digits--
		}
	}
	return string(out)
}

// Secrets replaces each of secrets in s by asterisks. Empty secrets, and ones of fewer than four bytes that would hit
// ordinary text, are left out.
func Secrets(s string, secrets ...string) string {
	for _, secret := range secrets {
		if len(secret) >= 4 {
			s = strings.ReplaceAll(s, secret, "****")
		}
	}
	return s
}
