package reply

import "strings"

// Ratings are the scores of a batch of items, in the order of the items.
type Ratings struct {
	// Values holds one number from 0 to 1 for each item.
	Values []float64
	// Ungraded lists the indexes (from 0, ascending) of items whose score could not be read; their value is 0.5.
	Ungraded []int
}

// UngradedValue is the value of an item without a readable score.
const UngradedValue = 0.5

// Scores reads n scores from 0 to 1: a list of numbers, of objects with or without ids, an object keyed by numbers, or
// one score per line, wrapped in whatever models wrap it. Ids may count from 0 or from 1; they decide the order.
//
// An entry that is null, NaN, infinite or N/A leaves its item ungraded, and so does an item whose id is missing, as long
// as more than half of the items have a score. Values within 1e-6 of the range are clamped into it; anything further out
// is another scale, and the reply is refused, as it is for a wrong number of scores, an entry of another type, a reply
// that was cut, several lists that differ, and n < 1. Every error is a [*ParseError].
func Scores(raw string, n int) (Ratings, error) {
	if n < 1 {
		return Ratings{}, parseError(faultf("%d scores cannot be read from a reply", n), raw)
	}
	body, err := content(raw)
	if err != nil {
		return Ratings{}, parseError(err, raw)
	}
	r, err := scores(body, n)
	for range maxEncodings {
		inner, ok := decoded(body)
		if err == nil || !ok {
			break
		}
		body = inner
		if again, inside := scores(body, n); inside == nil {
			r, err = again, nil
		}
	}
	if err != nil {
		return Ratings{}, parseError(err, raw)
	}
	return r, nil
}

// maxEncodings is how often a reply may be wrapped in a JSON string.
const maxEncodings = 2

// scores reads a text without thinking.
func scores(s string, n int) (Ratings, error) {
	groups, err := scan(s)
	if err != nil {
		return Ratings{}, err
	}
	fits, refused := scoreGroups(s, groups, n)
	switch {
	case len(fits) > 0:
		return choose(fits)
	case len(groups) > 1:
		if r, ok := oneByOne(s, groups, n); ok {
			return r, nil
		}
	}
	if r, err := scoreLines(s, n); err == nil || refused == nil {
		return r, err
	}
	return Ratings{}, refused
}

// scoreGroups reads each group by itself. Refused is the reason of the last one that looked like scores and was none.
func scoreGroups(s string, groups []group, n int) (fits []found[Ratings], refused error) {
	for i, g := range groups {
		if inProse(s, g, n) || g.key != "" && !scoreKeys[plain(g.key)] && !wrapperKeys[plain(g.key)] {
			continue
		}
		r, err := batch{n}.read(g.val, 0)
		if err == nil {
			fits = append(fits, locate(s, groups, i, r, keyOf(r)))
			continue
		}
		if refused == nil || g.val.composite() && len(g.val.list)+len(g.val.fields) > 1 {
			refused = err
		}
		if f := locate(s, groups, i, r, ""); len(g.val.list) > 1 && f.final() && !f.example() {
			fits = nil // what was said before has been withdrawn, and this cannot be read
		}
	}
	return fits, refused
}

// inProse recognises brackets that are no scores although they could be: a citation like [1], an interval like [0, 1].
func inProse(s string, g group, n int) bool {
	if g.val.kind != kindList || len(g.val.list) != n || n > 2 {
		return false
	}
	text := trim(strings.Trim(foldString(s[g.start:g.end]), "[]"))
	citation := n == 1 && strings.Trim(text, "0123456789") == ""
	interval := n == 2 && strings.NewReplacer(" ", "", ".0", "").Replace(text) == "0,1"
	return (citation || interval) && !alone(s, g)
}

// alone reports that a group has its line for itself, or ends a line after a colon or an equals sign.
func alone(s string, g group) bool {
	before := s[strings.LastIndexByte(s[:g.start], '\n')+1 : g.start]
	after, _, _ := strings.Cut(s[g.end:], "\n")
	const around = " \t\r\"'`$*()\\"
	before = foldString(strings.Trim(fenceMark.ReplaceAllString(before, ""), around))
	return strings.Trim(after, around+".") == "" && (before == "" || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "="))
}

// oneByOne reads groups that follow one another as one list: objects on a line each.
func oneByOne(s string, groups []group, n int) (Ratings, bool) {
	list := value{kind: kindList}
	for i, g := range groups {
		if g.val.kind != kindObject {
			return Ratings{}, false
		}
		if i > 0 && strings.Trim(between(s, groups, i), " \t\r\n,;*-`") != "" {
			return Ratings{}, false
		}
		list.list = append(list.list, g.val)
	}
	r, err := batch{n}.read(list, 0)
	return r, err == nil
}
