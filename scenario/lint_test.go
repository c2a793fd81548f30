package scenario_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/scenario"
)

// wordy is a turnstile that knows its words, and misses a second turn.
type wordy struct{ subject }

func (wordy) Words() map[string][]string {
	return map[string][]string{"then.says[]": {"checking", "welcome", "pay first"}}
}

func (s wordy) Start(ctx context.Context, g given) (scenario.Session[when, seen], error) {
	inner, err := s.subject.Start(ctx, g)
	return &lazySession{Session: inner}, err
}

// lazySession has nothing to do without a coin behind the first turn, and a script of two replies that it never uses.
type lazySession struct {
	scenario.Session[when, seen]
	turns int
}

func (s *lazySession) Turn(ctx context.Context, w when) (seen, scenario.Trace, error) {
	o, trace, err := s.Session.Turn(ctx, w)
	s.turns++
	trace.Idle = s.turns > 1 && w.Coins == 0
	return o, trace, err
}

func (s *lazySession) Close() error {
	if s.turns < 3 {
		return nil
	}
	return &scenario.UnusedError{Paths: []string{"turns[1].when.coins", "given.model[7]"}, Text: "two are left"}
}

// lint are the findings in a file, as "line:column rule text".
func lint(t *testing.T, text string) []scenario.Finding {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	findings, err := scenario.Lint(t.Context(), wordy{newSubject(t)}, scenario.Options{}, file)
	require.NoError(t, err)
	for i := range findings {
		assert.Equal(t, file, findings[i].File)
		assert.Contains(t, findings[i].Excerpt, "^")
		findings[i].File, findings[i].Excerpt = "", ""
	}
	return findings
}

func TestLintFindsExpectationsThatTestNothing(t *testing.T) {
	for then, want := range map[string]scenario.Finding{
		`{says: {contains: ""}}`:                 {Line: 5, Column: 29, Rule: "always", Text: `contains "" holds for everything`},
		`{says: {includes: []}}`:                 {Line: 5, Column: 29, Rule: "always", Text: `includes [] holds for everything`},
		`{parts: [{name: {matches: ".*"}}, {}]}`: {Line: 5, Column: 37, Rule: "always", Text: `matches ".*" holds for everything`},
		`{share: {contains: 1}}`:                 {Line: 5, Column: 30, Rule: "never", Text: "a number contains nothing"},
		`{open: {length: 2}}`:                    {Line: 5, Column: 27, Rule: "never", Text: "a true/false has no length"},
		`{says: {at_least: 2}}`:                  {Line: 5, Column: 29, Rule: "never", Text: "a list is no number: at_least never holds"},
		`{says: {length: 1.5}}`:                  {Line: 5, Column: 27, Rule: "never", Text: "a length is a whole number from 0"},
		`{share: {at_least: 2, at_most: 1}}`:     {Line: 5, Column: 20, Rule: "never", Text: "no number is at least 2 and at most 1"},
		`{says: {absent: true, length: 0}}`:      {Line: 5, Column: 19, Rule: "never", Text: "what is absent meets nothing else"},
		`{says: [checking, wellcome]}`:           {Line: 5, Column: 29, Rule: "word", Text: `there is no "wellcome" here; did you mean "welcome"?`},
		`{says: {contains: pay frist}}`:          {Line: 5, Column: 29, Rule: "word", Text: `nothing that can stand here contains "pay frist"; did you mean "pay first"?`},
	} {
		t.Run(then, func(t *testing.T) {
			want.Severity = scenario.Err
			findings := lint(t, "scenario: s\nguards: g\nturns:\n  - when: {coins: 1}\n    then: "+then+"\n")
			require.Len(t, findings, 1)
			assert.Equal(t, want, findings[0])
		})
	}
}

func TestLintAcceptsWhatMayFail(t *testing.T) {
	assert.Empty(t, lint(t, "scenario: s\nguards: g\nturns:\n  - when: {coins: 1}\n  - when: {coins: 1}\n    then: {open: false, says: {contains: wel, length: 2}, share: {at_least: 0, at_most: 1}, detail: {coins: {at_least: 5}}}\n"),
		"expectations that are not met are none of its business")
}

func TestLintLooksAtWholeScenarios(t *testing.T) {
	const ok = "    then: {open: true}\n"
	for claim, c := range map[string]struct {
		text string
		want scenario.Finding
	}{
		"nothing is expected": {
			"scenario: s\nguards: g\nturns:\n  - when: {coins: 1}\n    then: {}\n",
			scenario.Finding{Line: 1, Column: 11, Rule: "nothing", Text: "no turn expects anything: this scenario cannot fail"},
		},
		"a claim that stands twice": {
			"scenario: s\nguards: g\nturns:\n  - when: {coins: 1}\n" + ok + "---\nscenario: s\nguards: h\nturns:\n  - when: {coins: 1}\n" + ok,
			scenario.Finding{Line: 7, Column: 11, Rule: "duplicate"},
		},
		"what cannot be read": {
			"scenario: s\nguards: g\nturns:\n  - when: {coin: 1}\n" + ok,
			scenario.Finding{Line: 4, Column: 12, Rule: "read", Text: `unknown field "coin"`},
		},
		"what cannot be played": {
			"scenario: s\nguards: g\ngiven: {broken: true}\nturns:\n  - when: {coins: 1}\n" + ok,
			scenario.Finding{Line: 1, Column: 11, Rule: "unplayable", Text: "it cannot be run to its end: given: the turnstile is broken"},
		},
		"a turn after the end": {
			"scenario: s\nguards: g\nturns:\n  - when: {coins: 1}\n" + ok + "  - when: {coins: 0}\n",
			scenario.Finding{Line: 6, Column: 11, Rule: "idle", Text: "this turn finds nothing to do: the run has ended before"},
		},
	} {
		t.Run(claim, func(t *testing.T) {
			findings := lint(t, c.text)
			require.Len(t, findings, 1)
			c.want.Severity = scenario.Err
			if c.want.Rule == "duplicate" {
				assert.Contains(t, findings[0].Text, "x.yaml:1")
				findings[0].Text = ""
			}
			assert.Equal(t, c.want, findings[0])
		})
	}
}

func TestLintShowsWhatOfAScriptIsNotUsed(t *testing.T) {
	findings := lint(t, "scenario: s\nguards: g\ngiven: {broken: false}\nturns:\n  - when: {coins: 1}\n  - when: {coins: 2}\n  - when: {coins: 1}\n    then: {open: true}\n")
	require.Len(t, findings, 2)
	assert.Equal(t, scenario.Finding{Line: 3, Column: 8, Severity: scenario.Err, Rule: "unused", Text: "nobody asks for this"}, findings[0], "the nearest place that is there")
	assert.Equal(t, scenario.Finding{Line: 6, Column: 19, Severity: scenario.Err, Rule: "unused", Text: "nobody asks for this"}, findings[1])
}
