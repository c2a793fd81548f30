package repl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestWhatIsTypedFindsWhatIsMeant(t *testing.T) {
	list := []candidate{{value: "/history"}, {value: "/sources"}, {value: "/compare"}, {value: "deploy-notes"}, {value: "old-deploy"}, {value: "Notes.md"}}
	for typed, want := range map[string][]string{
		"":       {"/history", "/sources", "/compare", "deploy-notes", "old-deploy", "Notes.md"},
		"/hi":    {"/history"},
		"/srcs":  {"/sources"},
		"/cmp":   {"/compare"},
		"/story": {"/history"},
		"deploy": {"deploy-notes"}, // a start leaves the others out
		"eploy":  {"deploy-notes", "old-deploy"},
		"notes":  {"Notes.md"},
		"dn":     {"deploy-notes"},
		"xyz":    nil,
		"/":      {"/history", "/sources", "/compare"},
	} {
		var got []string
		for _, c := range matching(typed, list) {
			got = append(got, c.value)
		}
		assert.Equal(t, want, got, "%q", typed)
	}
}

func TestEveryPartOfAValueFindsIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := []rune(rapid.StringMatching(`[a-z]{1,8}(-[a-z]{1,8}){0,3}`).Draw(t, "value"))
		from := rapid.IntRange(0, len(value)-1).Draw(t, "from")
		to := rapid.IntRange(from, len(value)).Draw(t, "to")
		if _, ok := fit(string(value[from:to]), string(value)); !ok {
			t.Fatalf("%q does not find %q", string(value[from:to]), string(value))
		}
	})
}

func TestTheLongestCommonStartIsFound(t *testing.T) {
	assert.Equal(t, "", commonStart(nil))
	assert.Equal(t, "/mode", commonStart([]candidate{{value: "/mode"}, {value: "/model"}}))
	assert.Equal(t, "/mode", commonStart([]candidate{{value: "/model"}, {value: "/mode"}}))
	assert.Equal(t, "", commonStart([]candidate{{value: "a"}, {value: "b"}}))
	assert.Equal(t, "é", commonStart([]candidate{{value: "éa"}, {value: "éb"}}))
}
