package scenario_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/scenario"
)

// rewrite runs a file of one scenario and returns its text with the expectations as seen.
func rewrite(t *testing.T, text string) (string, []scenario.Refusal) {
	t.Helper()
	list, err := parse("x.yaml", text)
	require.NoError(t, err)
	subject := newSubject(t)
	report := scenario.Run(t.Context(), subject, list, scenario.Options{})
	rewrites, refusals, err := scenario.Rewrites(t.Context(), subject, list, report, scenario.Options{})
	require.NoError(t, err)
	if len(rewrites) == 0 {
		return text, refusals
	}
	require.Len(t, rewrites, 1)
	assert.Equal(t, text, string(rewrites[0].Before))
	return string(rewrites[0].After), refusals
}

// head is a scenario up to what it expects; no coin is put in, so that it stays shut and says "pay first".
const head = "# a comment at the top\nscenario: s # é of the claim\nguards: g\nturns:\n  - when: {coins: 0}\n"

func TestExpectationsBecomeWhatWasSeen(t *testing.T) {
	for claim, c := range map[string][2]string{
		"a value":                            {"    then: {open: true}", "    then: {open: false}"},
		"beside one that is met":             {"    then: {says: [checking, 'pay first'], open: true, share: 0.3}", "    then: {says: [checking, 'pay first'], open: false, share: 0.3}"},
		"with comments and the order":        {"    then: # first\n      # second\n      open: true # third\n      share: 0.3 # fourth", "    then: # first\n      # second\n      open: false # third\n      share: 0.3 # fourth"},
		"in quotes behind other letters":     {"    then: {parts: [{name: \"é日本\"}, {name: post}]}", "    then: {parts: [{name: arm}, {name: post}]}"},
		"in single quotes":                   {"    then: {says: ['checking', 'pay ''never''']}", "    then: {says: ['checking', pay first]}"},
		"an item of a list on one line":      {"    then: {says: [checking, welcome]}", "    then: {says: [checking, pay first]}"},
		"a list that is too short":           {"    then: {says: [checking]}", "    then: {says: [checking, pay first]}"},
		"a list that is too long":            {"    then: {says: [a, b, c]} # why", "    then: {says: [checking, pay first]} # why"},
		"an item of a block":                 {"    then:\n      says:\n        - checking # one\n        - welcome # two", "    then:\n      says:\n        - checking # one\n        - pay first # two"},
		"a block that is too short":          {"    then:\n      says:\n        - checking # one\n      open: false", "    then:\n      says:\n        - checking # one\n        - pay first\n      open: false"},
		"a block that is too long":           {"    then:\n      says:\n        - checking\n        - pay first\n        - a # gone\n        - b\n      open: false", "    then:\n      says:\n        - checking\n        - pay first\n      open: false"},
		"objects keep to the keys they name": {"    then: {parts: [{name: arm}]}", "    then: {parts: [{name: arm}, {name: post}]}"},
		"objects in a block":                 {"    then:\n      parts:\n        - name: arm\n          length: 4\n        - {length: 1}", "    then:\n      parts:\n        - name: arm\n          length: 3\n        - {length: 1}"},
		"a block of objects grows":           {"    then:\n      parts:\n        - name: arm # one", "    then:\n      parts:\n        - name: arm # one\n        - {name: post}"},
		"a bound moves":                      {"    then: {share: {at_least: 0.5}}", "    then: {share: {at_least: 0.30000000000000004}}"},
		"a length":                           {"    then: {says: {length: 5, contains: pay}}", "    then: {says: {length: 2, contains: pay}}"},
		"absent":                             {"    then: {says: {absent: true}}", "    then: {says: {absent: false}}"},
		"a matcher that cannot move":         {"    then: {says: {contains: welcome}}", "    then: {says: [checking, pay first]}"},
		"a matcher in a list that grows":     {"    then: {says: [{matches: ^check}]}", "    then: {says: [{matches: \"^check\"}, pay first]}"},
		"a matcher in a block":               {"    then:\n      share:\n        at_most: 0.1", "    then:\n      share:\n        at_most: 0.30000000000000004"},
		"a text over several lines":          {"    then:\n      says:\n        - |\n          a\n          b\n        - pay first\n      open: false", "    then:\n      says:\n        - checking\n        - pay first\n      open: false"},
		"escapes in double quotes":           {"    then: {says: [\"a \\\"b\\\" \\\\\", \"c\\nd\\u009b\"]} # why", "    then: {says: [checking, pay first]} # why"},
		"an item with escapes":               {"    then:\n      says: [checking, \"c\\n\\\"d\"] # why", "    then:\n      says: [checking, pay first] # why"},
		"an object of any form":              {"    then: {detail: {coins: 7}}", "    then: {detail: {coins: 0}}"},
	} {
		t.Run(claim, func(t *testing.T) {
			got, refusals := rewrite(t, head+c[0]+"\n")
			assert.Empty(t, refusals)
			assert.Equal(t, head+c[1]+"\n", got)
			windows, _ := rewrite(t, strings.ReplaceAll(head+c[0]+"\n", "\n", "\r\n"))
			assert.Equal(t, strings.ReplaceAll(head+c[1]+"\n", "\n", "\r\n"), windows, "with the line breaks of Windows")
			unended, _ := rewrite(t, head+c[0])
			assert.Equal(t, strings.TrimSuffix(head+c[1], "\n"), strings.TrimSuffix(unended, "\n"), "without a line break at the end")
		})
	}
}

func TestOtherScenariosOfTheFileStayAsTheyAre(t *testing.T) {
	text := head + "    then: {open: false} # right\n---\n" + head + "    then: {open: true}\n---\n# between\n" + head + "    then: {open:   false}\n"
	got, refusals := rewrite(t, text)
	assert.Empty(t, refusals)
	assert.Equal(t, strings.Replace(text, "{open: true}", "{open: false}", 1), got)
}

func TestWhatCannotBeRewrittenIsRefusedWithItsReason(t *testing.T) {
	for claim, c := range map[string][2]string{
		"a scenario that cannot be run": {"scenario: s\nguards: g\ngiven: {broken: true}\nturns: [{when: {coins: 1}, then: {open: false}}]\n", "it could not be run to its end: given: the turnstile is broken"},
		"an alias":                      {"scenario: s\nguards: g\nturns:\n  - when: {coins: 0}\n    then: {parts: [{name: &n door}, {name: *n}]}\n", "change the expectation by hand"},
	} {
		t.Run(claim, func(t *testing.T) {
			got, refusals := rewrite(t, c[0])
			assert.Equal(t, c[0], got)
			require.Len(t, refusals, 1)
			assert.ErrorContains(t, refusals[0].Reason, c[1])
		})
	}
}

func TestARewriteOfAFilteredRunLeavesTheRestOfTheFileAlone(t *testing.T) {
	text := strings.ReplaceAll(head, "scenario: s", "scenario: one") + "    then: {open: true}\n---\n" + strings.ReplaceAll(head, "scenario: s", "scenario: two") + "    then: {open: true}\n"
	path := filepath.Join(t.TempDir(), "x.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o640))
	list, err := scenario.Load[given, when, seen](path)
	require.NoError(t, err)
	list = scenario.Filter(list, regexp.MustCompile("^two"))
	require.Len(t, list, 1)
	subject := newSubject(t)
	rewrites, refusals, err := scenario.Rewrites(t.Context(), subject, list, scenario.Run(t.Context(), subject, list, scenario.Options{}), scenario.Options{})
	require.NoError(t, err)
	assert.Empty(t, refusals)
	require.Len(t, rewrites, 1)
	assert.Equal(t, []string{"two"}, rewrites[0].Scenarios)
	assert.Contains(t, string(rewrites[0].Diff()), "-    then: {open: true}\n+    then: {open: false}\n")
	require.NoError(t, rewrites[0].Write())
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(written), "open: false"))
	require.ErrorIs(t, rewrites[0].Write(), scenario.ErrChanged, "a file that somebody else changed is not overwritten")
}

func TestAFileThatIsNamedTwiceIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.yaml")
	require.NoError(t, os.WriteFile(path, []byte(head+"    then: {open: true}\n"), 0o600))
	list, err := scenario.Load[given, when, seen](path, dir, dir+string(filepath.Separator)+"."+string(filepath.Separator)+"x.yaml")
	require.NoError(t, err)
	assert.Len(t, list, 1)
}
