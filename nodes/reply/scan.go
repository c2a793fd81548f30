package reply

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"
)

// group is a list or object that stands in a text, not inside another one.
type group struct {
	val        value
	start, end int
	// key is the quoted key in front of it: the group is a member of an object that could not be read as a whole.
	key string
	// fenced says that an odd number of fence marks is in front of it.
	fenced bool
}

// workPerByte bounds the work on a reply. Every rune is read at most twice for each of the maxDepth brackets that may
// be open around it.
const workPerByte = 2*maxDepth + 16

// scan finds all groups of a text. It fails with faultCut when one of them lacks its end: what came before may have
// been a draft.
func scan(s string) ([]group, error) {
	var groups []group
	var counted, fences, end int
	budget := workPerByte*len(s) + 1000
	for start := opener(s, 0); start >= 0; start = opener(s, end) {
		v, stop, err := read(s, start, &budget)
		switch {
		case errors.Is(err, errSpent) || budget < 0:
			return nil, faultTangled
		case errors.Is(err, errEnd):
			return nil, faultCut
		case err != nil:
			_, size := utf8.DecodeRuneInString(s[start:])
			end = start + size
			continue
		}
		fences += strings.Count(s[counted:start], "```")
		groups = append(groups, group{val: v, start: start, end: stop, key: keyBefore(s, start), fenced: fences%2 == 1})
		counted, end = start, stop
	}
	return groups, nil
}

// read reads the value at start, and reads it again with an open mind about quotes when that fails.
func read(s string, start int, budget *int) (value, int, error) {
	r := reader{s: s, pos: start, budget: budget}
	v, err := r.value(1)
	if errors.Is(err, errSyntax) && r.strings {
		r = reader{s: s, pos: start, budget: budget, lax: true}
		v, err = r.value(1)
	}
	return v, r.pos, err
}

// whole reads a text that is one group and nothing else.
func whole(s string) (value, bool) {
	s = trim(s)
	budget := workPerByte*len(s) + 1000
	if opener(s, 0) != 0 {
		return value{}, false
	}
	v, end, err := read(s, 0, &budget)
	return v, err == nil && trim(s[end:]) == ""
}

// opener is the index of the first opening bracket or brace from an index on, or -1.
func opener(s string, from int) int {
	for i, c := range s[from:] {
		if c = fold(c); c == '[' || c == '{' {
			return from + i
		}
	}
	return -1
}

// quotedKey is a key and its colon at the end of a text.
var quotedKey = regexp.MustCompile(`["'“”‘’]([^"'“”‘’\n]{1,60})["'“”‘’]\s*[:：]\s*$`)

func keyBefore(s string, start int) string {
	before := strings.TrimRight(lastBytes(s[:start], 20), " \t\r\n")
	if !strings.HasSuffix(before, ":") && !strings.HasSuffix(before, "：") {
		return "" // the usual case, and a cheap one
	}
	if m := quotedKey.FindStringSubmatch(lastBytes(s[:start], 100)); m != nil {
		return m[1]
	}
	return ""
}

// lastBytes is the end of s: about n bytes, valid UTF-8 at its start.
func lastBytes(s string, n int) string {
	i := max(0, len(s)-n)
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}

// between is the text from the end of the group before to the start of group i.
func between(s string, groups []group, i int) string {
	from := 0
	if i > 0 {
		from = groups[i-1].end
	}
	return s[from:groups[i].start]
}

// decoded is the text inside a reply that is a JSON string, or whose quotes are all escaped.
func decoded(s string) (string, bool) {
	s = trim(s)
	if quoteOf(firstRune(s)) != 0 {
		budget := 2*len(s) + 100
		r := reader{s: s, budget: &budget}
		if text, err := r.quoted(false); err == nil && trim(s[r.pos:]) == "" {
			return text, true
		}
	}
	if !strings.Contains(s, `\"`) {
		return "", false
	}
	return escaped.Replace(s), true
}

var escaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t")

func firstRune(s string) rune {
	c, _ := utf8.DecodeRuneInString(s)
	return c
}
