package traffic

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// MissError reports a request that is not in the recording, or was asked more often than it was recorded.
type MissError struct {
	Name   string // of the recording
	Method string
	Path   string
	// Line is where the nearest recorded request stands; 0 when there is none of this method and path.
	Line int
	// Where is the first place in which they differ, as "messages[1].content"; "" when they are equal, but all answers
	// to it have been given.
	Where string
	// Recorded and Asked are what stands there, around the first difference; "" for nothing.
	Recorded, Asked string
}

// Error is one sentence with the place of the difference.
func (e *MissError) Error() string {
	what := fmt.Sprintf("%s %s is not in the recording %s", e.Method, e.Path, e.Name)
	switch {
	case e.Line == 0:
		return what + ": it holds no request of this kind"
	case e.Where == "":
		return fmt.Sprintf("%s once more: all its answers have been given (the last is on line %d)", what, e.Line)
	}
	return fmt.Sprintf("%s: the nearest, on line %d, differs at %s: recorded %s, asked %s", what, e.Line, e.Where, quoted(e.Recorded), quoted(e.Asked))
}

func quoted(s string) string {
	if s == "" {
		return "nothing"
	}
	return fmt.Sprintf("%q", s)
}

// Permanent says that trying again does not help.
func (e *MissError) Permanent() bool { return true }

// miss describes a request that has no answer.
func (p *Replayer) miss(asked *exchange) error {
	e := &MissError{Name: p.name, Method: asked.Method, Path: asked.Path}
	best := -1.0
	var nearest *exchange
	for _, recorded := range p.all {
		if recorded.Method != asked.Method || recorded.Path != asked.Path {
			continue
		}
		if likeness := alike(recorded.Request, asked.Request); likeness >= best {
			best, nearest = likeness, recorded
		}
	}
	if nearest == nil {
		return e
	}
	e.Line = nearest.at
	if nearest.key() != asked.key() {
		e.Where, e.Recorded, e.Asked = firstDifference(nearest.Request, asked.Request)
	}
	return e
}

// alike is the part of the longer text that the two have in common at their begins and their ends, from 0 to 1.
func alike(a, b []byte) float64 {
	short := min(len(a), len(b))
	if short == 0 {
		return 0
	}
	head := 0
	for head < short && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < short-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return float64(head+tail) / float64(max(len(a), len(b)))
}

// firstDifference names the first place in which two canonical bodies differ.
func firstDifference(recorded, asked json.RawMessage) (where, was, is string) {
	var a, b any
	if len(recorded) > 0 && json.Unmarshal(recorded, &a) != nil || len(asked) > 0 && json.Unmarshal(asked, &b) != nil {
		return "the body", string(recorded), string(asked)
	}
	where, was, is = differ(a, b, "")
	if where == "" {
		where = "the body"
	}
	return strings.TrimPrefix(where, "."), was, is
}

// differ walks two JSON values side by side. Equal ones give the place "" and equal texts.
func differ(a, b any, at string) (where, was, is string) {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			keys := maps.Clone(a)
			maps.Copy(keys, b)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				if where, was, is = differ(field(a, key), field(b, key), at+"."+key); was != is {
					return where, was, is
				}
			}
			return "", "", ""
		}
	case []any:
		if b, ok := b.([]any); ok {
			for i := range max(len(a), len(b)) {
				if where, was, is = differ(element(a, i), element(b, i), fmt.Sprintf("%s[%d]", at, i)); was != is {
					return where, was, is
				}
			}
			return "", "", ""
		}
	case string:
		if b, ok := b.(string); ok {
			was, is = around(a, b)
			return at, was, is
		}
	}
	return at, brief(a), brief(b)
}

// missing stands for what is only in the other value.
type missing struct{}

func field(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return missing{}
}

func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return missing{}
}

// window is how much of two texts is shown around their first difference, in bytes to each side.
const window = 30

// around cuts two texts to what stands around their first difference.
func around(a, b string) (string, string) {
	if a == b {
		return "", ""
	}
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	return excerpt(a, at), excerpt(b, at)
}

func excerpt(s string, at int) string {
	begin, end := max(at-window, 0), min(at+window, len(s))
	for begin > 0 && !utf8.RuneStart(s[begin]) {
		begin--
	}
	for end < len(s) && !utf8.RuneStart(s[end]) {
		end++
	}
	cut := s[begin:end]
	if begin > 0 {
		cut = "…" + cut
	}
	if end < len(s) {
		cut += "…"
	}
	return cut
}

// brief is a value that has no counterpart of its kind.
func brief(v any) string {
	if _, ok := v.(missing); ok {
		return ""
	}
	raw, err := encode(v)
	if err != nil { // it was read from JSON
		return fmt.Sprint(v)
	}
	return excerpt(string(raw), 0)
}
