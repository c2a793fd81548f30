package reply

import (
	"regexp"
	"strings"
)

var (
	// bullet starts a line of an unnumbered list.
	bullet = regexp.MustCompile(`^(?:[-*•]\s+|>\s*)`)
	// label is what may stand in front of a row of scores: "Scores:".
	label = regexp.MustCompile(`^(?i:(?:the |my |here are the )?(?:final |relevance )*(?:scores?|relevance|ratings?|grades?|answer|output))(?: are| is)?\s*[:=]\s*`)
	// numbered is a line with the number of an item, its score, and perhaps a reason.
	numbered = regexp.MustCompile(`^[\s>*•|-]*(\pL[\pL _]{0,24}?)?[ #_\[(]*(\d{1,3})[\])*]*\s*(?:[.:)|=>-]+\s+|[:=|]\s*|\s)\s*` +
		`(?:\**(?i:score|relevance|rating|grade)\**\s*[:=]\s*)?\**([^\s|,;(*]+)\s*\**\s*\|?\s*((?:[-–—(:,;|].*)?)$`)
)

// scoreLines reads scores without any bracket: the whole text is a row of numbers, or a numbered list of them.
func scoreLines(s string, n int) (Ratings, error) {
	b := batch{n}
	s = strings.TrimSpace(foldString(fenceMark.ReplaceAllString(s, "\n")))
	if list, ok := row(s); ok {
		return b.entries(list)
	}
	var ids []int
	var entries []value
	for _, line := range rows(s) {
		m := numbered.FindStringSubmatch(line)
		if m == nil || hasDigit(m[4]) || rankKeys[plain(m[1])] {
			if hasDigit(line) {
				return Ratings{}, b.nothing()
			}
			continue
		}
		id, _ := idText(m[2])
		ids, entries = append(ids, id), append(entries, word(strings.TrimSuffix(m[3], ".")))
	}
	if len(ids) < max(2, n) {
		return Ratings{}, b.nothing()
	}
	return b.place(ids, entries)
}

// nothing is the reason when nothing looks like scores.
func (b batch) nothing() error {
	if b.n == 1 {
		return faultf("the reply holds no JSON array of 1 number from 0 to 1")
	}
	return faultf("the reply holds no JSON array of %d numbers from 0 to 1", b.n)
}

// rows are the lines of a text, or the parts of a single line.
func rows(s string) []string {
	if strings.Contains(s, "\n") {
		return strings.Split(s, "\n")
	}
	return strings.FieldsFunc(s, func(c rune) bool { return c == ',' || c == ';' })
}

// row reads a text that consists of scores and their separators, and nothing else.
func row(s string) ([]value, bool) {
	s = strings.TrimSuffix(label.ReplaceAllString(s, ""), "]") // whoever began the reply with "[" gets it without
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") || strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") {
		s = s[1 : len(s)-1]
	}
	var list []value
	for _, cell := range cells(s) {
		if _, _, err := entryText(cell); cell == "" || err != nil && !isNumber(cell) {
			return nil, false
		}
		list = append(list, word(cell))
	}
	return list, len(list) > 0
}

// cells splits a row at its one kind of separator, so that a decimal comma is never taken for one.
func cells(s string) []string {
	var out []string
	if s = strings.TrimSpace(s); strings.Contains(s, "\n") {
		for line := range strings.Lines(s) {
			if line = bullet.ReplaceAllString(strings.TrimSpace(line), ""); line != "" {
				out = append(out, strings.TrimRight(line, ",; "))
			}
		}
		return out
	}
	for _, sep := range []string{";", ","} {
		if !strings.Contains(s, sep) {
			continue
		}
		for cell := range strings.SplitSeq(strings.TrimSuffix(s, sep), sep) {
			out = append(out, strings.TrimSpace(cell))
		}
		return out
	}
	return strings.Fields(s)
}

// isNumber tells a number on another scale from a word.
func isNumber(s string) bool {
	_, ok := jsonNumber(s)
	return ok
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }
