package verify

import (
	"strings"
	"unicode/utf8"
)

// hanDigits are the digits of numbers in Chinese.
var hanDigits = map[rune]float64{'〇': 0, '零': 0, '一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}

// hanQuantity reads a number in Chinese characters with its unit, "三十天", at s[start:]; end is 0 when there is none. A number
// without a unit of the table is none: 一 is part of too many words.
func hanQuantity(s string, start int) (q quantity, end int) {
	value, at := hanNumber(s, start)
	if at == start {
		return q, 0
	}
	q = quantity{value: value, step: 1, about: strings.HasSuffix(s[:start], "约") || strings.HasSuffix(s[:start], "近")}
	if strings.HasSuffix(s[:start], "百分之") {
		q.unit = unitPercent
		return q, at
	}
	for n := 4 * len("年"); n > 0; n -= len("年") {
		if at+n <= len(s) && q.scaled(s[at:at+n]) {
			return q, at + n
		}
	}
	return q, 0
}

// maxHanNumber is how many bytes of a number in Chinese characters are read.
const maxHanNumber = 48

// hanNumber reads the digits and multipliers from s[start:] on.
func hanNumber(s string, start int) (value float64, end int) {
	total, section, digit := 0.0, 0.0, 0.0
	for end = start; end < min(len(s), start+maxHanNumber); {
		r, size := utf8.DecodeRuneInString(s[end:])
		if d, ok := hanDigits[r]; ok {
			digit = digit*10 + d // 二〇二四
		} else if m, ok := unspacedMultipliers[r]; ok && m >= 1e4 {
			total += (section + digit) * m
			section, digit = 0, 0
		} else if ok {
			if digit == 0 {
				digit = 1 // 十二
			}
			section += digit * m
			digit = 0
		} else {
			break
		}
		end += size
	}
	return total + section + digit, end
}

// single reads "a week" and "one week" at words[i]: one of a unit of the table.
func single(s string, words []word, i int) (quantity, bool) {
	switch strings.ToLower(s[words[i].start:words[i].end]) {
	case "a", "an", "one":
	default:
		return quantity{}, false
	}
	if i+1 == len(words) || words[i+1].border {
		return quantity{}, false
	}
	q := quantity{at: i, value: 1, step: 1, loose: true}
	return q, q.scaled(strings.ToLower(s[words[i+1].start:words[i+1].end]))
}
