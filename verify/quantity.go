package verify

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A quantity is a number with what it counts.
type quantity struct {
	at    int     // index of its word
	value float64 // in the base of its unit
	step  float64 // of the last digit given, in the same base
	unit  string  // the base of a known unit, "~" and the term that is counted, or ""
	about bool    // "about", "over": a round figure
	loose bool    // "a week": the same as one week, but no other number than two
}

// quantities reads the numbers among words of s.
func (v *vocabulary) quantities(s string, words []word) []quantity {
	var list []quantity
	read := 0 // up to this byte, numbers in Chinese
	for i, w := range words {
		surface := s[w.start:w.end]
		if w.start < read {
			continue
		}
		if q, end := hanQuantity(s, w.start); end > 0 {
			q.at, read = i, end
			list = append(list, q)
			continue
		}
		if q, ok := single(s, words, i); ok {
			list = append(list, q)
			continue
		}
		if m, ok := months[strings.ToLower(surface)]; ok && isMonth(s, words, i) {
			list = append(list, quantity{at: i, value: float64(m), unit: unitMonth})
			continue
		}
		number, suffix := splitNumber(surface)
		value, step, ok := parseNumber(number)
		if !ok {
			if value, ok = numberWords[strings.ToLower(surface)]; !ok {
				continue
			}
			step, suffix = 1, ""
		}
		q := quantity{at: i, value: value, step: step, about: aboutBefore(s, words, i)}
		if v.measure(&q, s, words, i, suffix) {
			list = append(list, q)
		}
	}
	return list
}

// measure finds the unit of the number at words[i]; false says that it is no number but part of a name.
func (v *vocabulary) measure(q *quantity, s string, words []word, i int, suffix string) bool {
	end := words[i].end
	next := i + 1
	switch {
	case suffix != "":
		suffix = strings.ToLower(suffix)
		if q.scaled(suffix) || ordinalSuffix[suffix] {
			return true
		}
		return suffix == "s" // the 1990s
	case strings.HasPrefix(strings.TrimLeft(s[end:], " "), "%"), strings.HasPrefix(s[end:], "％"):
		q.unit = unitPercent
		return true
	case strings.HasSuffix(s[:words[i].start], "百分之"):
		q.unit = unitPercent
		return true
	}
	if end < len(s) {
		if r, _ := utf8.DecodeRuneInString(s[end:]); isUnspaced(r) {
			q.unspacedUnit(s[end:])
			return true
		}
	}
	q.currency(s[:words[i].start])
	for next < len(words) && !words[next].border {
		w := strings.ToLower(s[words[next].start:words[next].end])
		if m, ok := multipliers[w]; ok {
			q.value, q.step = q.value*m, q.step*m
			next++
			continue
		}
		if q.unit == "" && !q.scaled(w) {
			v.counted(q, s, words, i, next)
		}
		return true
	}
	q.year(s, words, i)
	return true
}

// counted takes the topic word behind a number as its unit, unless the number is a year or a day of a month.
func (v *vocabulary) counted(q *quantity, s string, words []word, i, next int) {
	if q.year(s, words, i) {
		return
	}
	for j := next; j < len(words) && j < next+2 && !words[j].border; j++ {
		if words[j].term >= 0 && words[j].sense.axis == axisNone {
			q.unit = "~" + v.terms[words[j].term]
		}
	}
}

// year recognises years and days of a month by how they look and what stands before or behind.
func (q *quantity) year(s string, words []word, i int) bool {
	surface := s[words[i].start:words[i].end]
	if len(surface) == 4 && q.value >= 1200 && q.value < 2100 {
		q.unit = unitYear
		return true
	}
	near := func(j int) bool {
		if j < 0 || j >= len(words) {
			return false
		}
		_, ok := months[strings.ToLower(s[words[j].start:words[j].end])]
		return ok
	}
	if q.value >= 1 && q.value <= 31 && (near(i-1) || near(i+1)) {
		q.unit = unitDay
		return true
	}
	return false
}

// scaled applies a unit, and says whether name is one.
func (q *quantity) scaled(name string) bool {
	u, ok := units[name]
	if !ok {
		return false
	}
	q.unit, q.value, q.step = u.base, q.value*u.scale, q.step*u.scale
	return true
}

func (q *quantity) currency(before string) {
	before = strings.TrimRight(before, " ")
	for sign, unit := range currencies {
		if strings.HasSuffix(before, sign) {
			q.unit = unit
		}
	}
}

// unspacedUnit reads the multipliers and the unit behind a number in Chinese.
func (q *quantity) unspacedUnit(after string) {
	for {
		r, size := utf8.DecodeRuneInString(after)
		m, ok := unspacedMultipliers[r]
		if !ok {
			break
		}
		q.value, q.step, after = q.value*m, q.step*m, after[size:]
	}
	for n := 4 * len("年"); n > 0; n -= len("年") {
		if n <= len(after) && q.scaled(after[:n]) {
			return
		}
	}
	if r, size := utf8.DecodeRuneInString(after); isUnspaced(r) {
		q.unit = "~" + after[:size]
	}
}

// splitNumber cuts a word behind the digits that it begins with.
func splitNumber(word string) (number, suffix string) {
	i := strings.IndexFunc(word, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != ',' && r != '·' })
	if i < 0 {
		return word, ""
	}
	return word[:i], word[i:]
}

// parseNumber reads digits with commas between thousands and one point.
func parseNumber(s string) (value, step float64, ok bool) {
	if s == "" || len(s) > 24 {
		return 0, 0, false
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, ",", ""), "·", ".")
	value, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, 0, false
	}
	decimals := 0
	if i := strings.IndexByte(s, '.'); i >= 0 {
		decimals = len(s) - i - 1
	}
	return value, math.Pow(10, -float64(decimals)), true
}

// same says whether evidence b bears the number of claim a out: the same value, or one that a rounds.
func (a quantity) same(b quantity) bool {
	if a.unit != b.unit && a.unit != "" && b.unit != "" && a.unit[0] != '~' && b.unit[0] != '~' {
		return false
	}
	tolerance := 1e-9 * max(math.Abs(a.value), 1)
	if b.step < a.step {
		tolerance = a.step / 2
	}
	if a.about || b.about {
		tolerance = max(tolerance, 0.05*math.Abs(b.value))
	}
	return math.Abs(a.value-b.value) <= tolerance*(1+1e-9)
}

// comparable says whether two quantities count the same thing.
func (a quantity) comparable(b quantity) bool {
	return a.unit != "" && a.unit == b.unit && !a.loose && !b.loose
}
