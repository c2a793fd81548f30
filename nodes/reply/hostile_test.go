package reply_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/nodes/reply"
)

// hostile are texts that make a careless parser overflow its stack or take quadratic time.
func hostile(size int) map[string]string {
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	return map[string]string{
		"brackets":         repeat("["),
		"braces":           repeat("{"),
		"nested_objects":   repeat(`{"a":`),
		"closed_lists":     repeat("[1]"),
		"open_strings":     repeat(`["`),
		"curly_quotes":     repeat("[“"),
		"open_comments":    repeat("[/*"),
		"line_comments":    repeat("[//"),
		"long_siblings":    repeat("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"),
		"broken_at_end":    strings.Repeat("[", 15) + repeat("0.5,") + "x y",
		"escapes":          "\"" + repeat(`\"`),
		"backslashes":      repeat(`\`),
		"thinking":         repeat("<think>"),
		"fences":           repeat("```[1]"),
		"decoded_strings":  `{"scores":"` + repeat(`[`) + `"}`,
		"numbered_lines":   repeat("1. 0.5\n"),
		"spaces_in_quotes": `{"a":"` + repeat(`"    `),
		"lax_quotes":       repeat(`{"a":"b" c`),
		"wide":             repeat("［０，"),
	}
}

// The values do not matter here: what is checked is that each call comes back, and quickly enough for the test to end.
func TestHostileRepliesAreReadInBoundedTime(t *testing.T) {
	for name, raw := range hostile(100_000) {
		t.Run("scores of "+name, func(t *testing.T) {
			r, err := reply.Scores(raw, 3)
			assert.Error(t, err, "%v", r)
		})
	}
	for name, raw := range hostile(20_000) { // the same reader beneath
		t.Run("object and calls of "+name, func(t *testing.T) {
			_, err := reply.Object(raw, "route")
			assert.Error(t, err)
			_, err = reply.Calls(raw)
			assert.Error(t, err)
		})
	}
}

func BenchmarkHostile(b *testing.B) {
	for _, size := range []int{25_000, 50_000, 100_000} {
		cases := hostile(size)
		names := make([]string, 0, len(cases))
		for name := range cases {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			raw := cases[name]
			b.Run(name, func(b *testing.B) {
				b.SetBytes(int64(len(raw)))
				for b.Loop() {
					_, _ = reply.Scores(raw, 3)
				}
			})
		}
	}
}

func BenchmarkScores(b *testing.B) {
	raw := "<think>Passage 1 answers it.</think>\n```json\n[0.9, 0.2, 0.55, 0.1, 0.0, 0.7, 0.3, 0.8, 0.4, 0.6]\n```\n"
	b.ReportAllocs()
	for b.Loop() {
		if _, err := reply.Scores(raw, 10); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzScores(f *testing.F) {
	for _, raw := range hostile(200) {
		f.Add(raw, 3)
	}
	for _, raw := range []string{
		"[0.8, 0.35, 0.1]", `{"scores": ["80%", null, 1e-1]}`, `[{"id": 2, "score": 0.1}, {"id": 1, "score": 1}]`,
		"1. 0.5\n2. 0.7\n3. N/A", "<think>[1,1,1]</think>[0.8 0.35 0.1]", `"[\"0.8\", \"0.1\"]"`, "［０.９，０.２，０.１］",
	} {
		f.Add(raw, 3)
	}
	f.Fuzz(func(t *testing.T, raw string, n int) {
		r, err := reply.Scores(raw, n)
		if err != nil {
			checkParseError(t, err, raw)
			return
		}
		if len(r.Values) != n || len(r.Ungraded) >= n || !slices.IsSorted(r.Ungraded) {
			t.Fatalf("Scores(%q, %d) = %v", raw, n, r)
		}
		for i, v := range r.Values {
			if !(v >= 0 && v <= 1) || math.Signbit(v) || slices.Contains(r.Ungraded, i) && v != reply.UngradedValue {
				t.Fatalf("Scores(%q, %d) = %v", raw, n, r)
			}
		}
		text, err := json.Marshal(r.Values)
		if err != nil {
			t.Fatal(err)
		}
		again, err := reply.Scores(string(text), n)
		if err != nil || !slices.Equal(again.Values, r.Values) {
			t.Fatalf("%s is read as %v, %v", text, again, err)
		}
	})
}

func FuzzObject(f *testing.F) {
	for _, raw := range hostile(200) {
		f.Add(raw)
	}
	for _, raw := range []string{
		`{"a": "x", "b": [1, {"c": null}]}`, `{'a': 'it's', b: True}`, `{"name": "f", "arguments": "{\"a\": 1}"}`, "{“a”：“x”}", `{"a": "\ud83d\ude00 \d"}`,
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		m, err := reply.Object(raw, "a")
		if err != nil {
			checkParseError(t, err, raw)
			return
		}
		if _, ok := m["a"]; !ok {
			t.Fatalf("Object(%q) = %v", raw, m)
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := reply.Object(string(text), "a")
		assert.NoError(t, err, "%s", text)
		assert.Equal(t, m, again)
	})
}

func FuzzCalls(f *testing.F) {
	for _, raw := range hostile(200) {
		f.Add(raw)
	}
	f.Add(`[{"name": "grep", "args": {"pattern": "x"}}]`)
	f.Add(`{"function": {"name": "f", "arguments": "{\"a\": 1}"}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		calls, err := reply.Calls(raw)
		if err != nil {
			checkParseError(t, err, raw)
			return
		}
		for _, c := range calls {
			var args map[string]any
			if err := json.Unmarshal(c.Args, &args); err != nil || c.Name == "" {
				t.Fatalf("Calls(%q) = %q with %s: %v", raw, c.Name, c.Args, err)
			}
		}
	})
}

func checkParseError(t *testing.T, err error, raw string) {
	t.Helper()
	parse, ok := errors.AsType[*reply.ParseError](err)
	if !ok || parse.Reason == "" || len([]rune(parse.Excerpt)) > 200 || strings.HasSuffix(parse.Reason, ".") {
		t.Fatalf("%q gives the error %#v", raw, err)
	}
}
