package scenario_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/scenario"
)

// A turnstile: the smallest graph that has something to decide. It stands for any graph that is not the agent.

type turnstile struct {
	Coins int
	Open  bool
	Says  []string
}

type push struct {
	Coins *int
	Open  *bool
	Says  []string
}

func (t turnstile) Apply(p push) (turnstile, error) {
	if p.Coins != nil {
		t.Coins = *p.Coins
	}
	if p.Open != nil {
		t.Open = *p.Open
	}
	t.Says = graph.Append(t.Says, p.Says...)
	return t, nil
}

type verdict string

func newTurnstile() (*graph.App[turnstile, push], error) {
	g := graph.New[turnstile]("turnstile")
	check := g.Node("check", func(context.Context, turnstile) (push, error) { return push{Says: []string{"checking"}}, nil })
	open := g.Node("open", func(context.Context, turnstile) (push, error) {
		return push{Open: new(true), Says: []string{"welcome"}}, nil
	})
	refuse := g.Node("refuse", func(context.Context, turnstile) (push, error) { return push{Says: []string{"pay first"}}, nil })
	g.Start(check)
	graph.Route(g, check, func(t turnstile) verdict {
		if t.Coins > 0 {
			return "paid"
		}
		return "unpaid"
	}, graph.Case[verdict]("paid", open), graph.Case[verdict]("unpaid", refuse))
	g.Edge(open, graph.End)
	g.Edge(refuse, graph.End)
	return g.Compile()
}

// The binding: what is given, done and seen.

type given struct {
	Broken bool `yaml:"broken"`
}

type when struct {
	Coins int `yaml:"coins"`
}

type seen struct {
	Open   bool           `json:"open"`
	Says   []string       `json:"says"`
	Share  float64        `json:"share"`
	Detail map[string]any `json:"detail"`
	Parts  []part         `json:"parts"`
}

type part struct {
	Name   string `json:"name"`
	Length int    `json:"length"`
}

type subject struct{ app *graph.App[turnstile, push] }

func (s subject) Topology() graph.Topology { return s.app.Topology() }
func (subject) Moves() []string            { return []string{"push"} }
func (s subject) Start(_ context.Context, g given) (scenario.Session[when, seen], error) {
	if g.Broken {
		return nil, errors.New("the turnstile is broken")
	}
	return session(s), nil
}

// tenth is a variable so that the sum is one of float64.
var tenth = 0.1

type session struct{ app *graph.App[turnstile, push] }

func (session) Close() error { return nil }
func (s session) Turn(ctx context.Context, w when) (seen, scenario.Trace, error) {
	trace := scenario.Trace{Moves: []string{"push"}}
	var last turnstile
	for e, err := range s.app.Stream(ctx, push{Coins: &w.Coins}, graph.Edges) {
		if err != nil {
			return seen{}, trace, err
		}
		if e.Kind == graph.EdgeTaken {
			trace.Edges = append(trace.Edges, e.Edge)
		}
		last = e.State
	}
	return seen{
		Open: last.Open, Says: last.Says, Share: tenth + 2*tenth, Detail: map[string]any{"coins": last.Coins},
		Parts: []part{{"arm", 3}, {"post", 1}},
	}, trace, nil
}

func newSubject(t *testing.T) subject {
	app, err := newTurnstile()
	require.NoError(t, err)
	return subject{app}
}

func parse(name, text string) ([]scenario.Scenario[given, when], error) {
	return scenario.Parse[given, when, seen](name, []byte(text))
}

// run plays one scenario whose turn puts coins in and expects then.
func run(t *testing.T, coins int, then string) scenario.Result {
	t.Helper()
	list, err := parse("x.yaml", fmt.Sprintf("scenario: s\nguards: g\nturns:\n  - when: {coins: %d}\n    then: %s\n", coins, then))
	require.NoError(t, err)
	return scenario.Run(t.Context(), newSubject(t), list, scenario.Options{}).Results[0]
}

func TestExpectationsThatHold(t *testing.T) {
	for claim, then := range map[string]string{
		"an object names only the fields that matter":  `{open: true}`,
		"a list matches in full":                       `{says: [checking, welcome]}`,
		"numbers are equal within 1e-9":                `{share: 0.3}`,
		"objects in lists match by the fields named":   `{parts: [{name: arm}, {name: post}]}`,
		"maps match by the keys named":                 `{detail: {coins: 1}}`,
		"contains: a piece of a text in a list":        `{says: {contains: wel}}`,
		"contains: several pieces":                     `{says: {contains: [check, welcome]}}`,
		"excludes: what must not be there":             `{says: {excludes: pay}}`,
		"matches: a regular expression":                `{says: [{matches: "^check"}, welcome]}`,
		"at_least and at_most: a range":                `{share: {at_least: 0.3, at_most: 0.3}}`,
		"length: of a list":                            `{says: {length: 2}}`,
		"includes: in this order, others between them": `{says: {includes: [checking, welcome]}}`,
		"absent: what is empty":                        `{detail: {nothing: {absent: true}}}`,
		"a field that is named like a matcher":         `{parts: [{length: 3}, {length: 1}]}`,
		"nothing":                                      `{}`,
	} {
		t.Run(claim, func(t *testing.T) {
			r := run(t, 1, then)
			assert.True(t, r.Passed, "%v %s", r.Mismatches, r.Error)
		})
	}
}

func TestExpectationsThatDoNotHoldAreShownWithTheirLine(t *testing.T) {
	for claim, c := range map[string]struct{ then, path, want, got string }{
		"another value":                  {`{open: true}`, "turns[0].then.open", "true", "false"},
		"a missing item":                 {`{says: [checking]}`, "turns[0].then.says", `["checking"]`, `["checking","pay first"]`},
		"another item":                   {`{says: [checking, welcome]}`, "turns[0].then.says[1]", `"welcome"`, `"pay first"`},
		"a field deep down":              {`{parts: [{name: arm}, {name: arm}]}`, "turns[0].then.parts[1].name", `"arm"`, `"post"`},
		"contains":                       {`{says: {contains: welcome}}`, "turns[0].then.says", `contains "welcome"`, `["checking","pay first"]`},
		"excludes":                       {`{says: {excludes: pay}}`, "turns[0].then.says", `excludes "pay"`, `["checking","pay first"]`},
		"includes in another order":      {`{says: {includes: [pay first, checking]}}`, "turns[0].then.says", `includes ["pay first","checking"]`, `["checking","pay first"]`},
		"at_least":                       {`{share: {at_least: 0.31}}`, "turns[0].then.share", "at_least 0.31", "0.30000000000000004"},
		"a number just beyond tolerance": {`{share: 0.30000001}`, "turns[0].then.share", "0.30000001", "0.30000000000000004"},
		"absent":                         {`{says: {absent: true}}`, "turns[0].then.says", "absent true", `["checking","pay first"]`},
	} {
		t.Run(claim, func(t *testing.T) {
			r := run(t, 0, c.then)
			require.Len(t, r.Mismatches, 1, r.Error)
			assert.Equal(t, scenario.Mismatch{File: "x.yaml", Line: 5, Path: c.path, Want: c.want, Got: c.got}, r.Mismatches[0])
			assert.False(t, r.Passed)
		})
	}
}

func TestMistakesInAFileAreRefusedWithLineColumnAndExcerpt(t *testing.T) {
	for claim, c := range map[string]struct{ text, want string }{
		"an unknown key of a scenario":   {"scenario: s\nguards: g\nexpects: x\nturns: [{when: {coins: 1}}]", "[3:1] unknown field \"expects\""},
		"an unknown key of given":        {"scenario: s\nguards: g\ngiven: {brocken: true}\nturns: [{when: {coins: 1}}]", "[3:9] unknown field \"brocken\""},
		"an unknown key of when":         {"scenario: s\nguards: g\nturns: [{when: {coin: 1}}]", "[3:17] unknown field \"coin\""},
		"a value of a wrong type":        {"scenario: s\nguards: g\nturns: [{when: {coins: many}}]", "[3:24] a number is wanted here, not \"many\""},
		"an unknown key of then":         {"scenario: s\nguards: g\nturns: [{when: {coins: 1}, then: {opne: true}}]", "[3:35] unknown key \"opne\"; did you mean \"open\"?"},
		"an unknown key deep down":       {"scenario: s\nguards: g\nturns: [{when: {coins: 1}, then: {parts: [{nmae: arm}]}}]", "unknown key \"nmae\"; did you mean \"name\"?"},
		"an expectation of a wrong type": {"scenario: s\nguards: g\nturns: [{when: {coins: 1}, then: {open: maybe}}]", "[3:41] maybe cannot be compared with a true/false"},
		"a list for a text":              {"scenario: s\nguards: g\nturns: [{when: {coins: 1}, then: {parts: [{name: [a]}]}}]", "a list cannot be compared with a text"},
		"an object for a number":         {"scenario: s\nguards: g\nturns: [{when: {coins: 1}, then: {share: {x: 1}}}]", "an object cannot be compared with a number"},
		"a broken regular expression":    {"scenario: s\nguards: g\nturns: [{when: {coins: 1}, then: {says: {matches: \"(\"}}}]", "missing closing )"},
		"a bound that is no number":      {"scenario: s\nguards: g\nturns: [{when: {coins: 1}, then: {share: {at_least: x}}}]", "at_least needs a number"},
		"no claim":                       {"guards: g\nturns: [{when: {coins: 1}}]", "missing key scenario"},
		"no defect":                      {"scenario: s\nturns: [{when: {coins: 1}}]", "missing key guards"},
		"no turns":                       {"scenario: s\nguards: g", "missing key turns"},
		"broken YAML":                    {"scenario: [", "[1:"},
	} {
		t.Run(claim, func(t *testing.T) {
			_, err := parse("x.yaml", c.text)
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), "x.yaml:["), err.Error())
			assert.Contains(t, err.Error(), c.want)
			assert.Contains(t, err.Error(), "^", "an excerpt with a caret")
		})
	}
}

func TestAllMistakesOfAllFilesAreReportedTogether(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("scenario: s\nguards: g\nturns: [{when: {coin: 1}}]\n---\nscenario: t\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.yml"), []byte("nope: 1"), 0o644))
	_, err := scenario.Load[given, when, seen](dir, filepath.Join(dir, "none.yaml"))
	for _, part := range []string{"coin", "missing key guards", "b.yml", "nope", "none.yaml"} {
		assert.ErrorContains(t, err, part)
	}
	_, err = scenario.Load[given, when, seen](t.TempDir())
	require.ErrorIs(t, err, scenario.ErrNoFiles)
}

func TestARunCountsAndCovers(t *testing.T) {
	list, err := parse("x.yaml", "scenario: paid\nguards: g\nturns: [{when: {coins: 1}, then: {open: true}}]\n---\nscenario: wrong\nguards: g\nturns: [{when: {coins: 1}, then: {open: false}}]\n---\nscenario: broken\nguards: g\ngiven: {broken: true}\nturns: [{when: {coins: 1}}]\n")
	require.NoError(t, err)
	report := scenario.Run(t.Context(), newSubject(t), list, scenario.Options{Parallel: 1})
	assert.Equal(t, 1, report.Passed)
	assert.Equal(t, 2, report.Failed)
	assert.Equal(t, "given: the turnstile is broken", report.Results[2].Error)
	assert.Equal(t, []string{"check —unpaid→ refuse", "refuse → END"}, report.Coverage.Edges.Missing)
	assert.Equal(t, 3, report.Coverage.Edges.Taken)
	assert.Empty(t, report.Coverage.Moves.Missing)
	assert.False(t, report.Coverage.Complete())

	var out strings.Builder
	require.NoError(t, report.Write(&out, false))
	assert.Contains(t, out.String(), "FAIL  x.yaml:5 wrong\n  x.yaml:7: turns[0].then.open\n    want false\n    got  true\n")
	assert.Contains(t, out.String(), "1 passed, 2 failed")
	assert.NotContains(t, out.String(), "ok    ")
}

func FuzzParse(f *testing.F) {
	f.Add("scenario: s\nguards: g\nturns: [{when: {coins: 1}, then: {says: {contains: x}}}]")
	f.Add("scenario: &a s\nguards: *a\nturns:\n- then: !!str {open: ~}")
	f.Add("{")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parse("x.yaml", text)
		if err != nil {
			return
		}
		app, err := newTurnstile()
		if err != nil {
			t.Fatal(err)
		}
		scenario.Run(t.Context(), subject{app}, list, scenario.Options{})
	})
}
