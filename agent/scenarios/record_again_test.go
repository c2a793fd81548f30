package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/scenario"
)

func TestAQuestionThatWasAskedAgainIsRecordedAsItWasAskedLast(t *testing.T) {
	list, err := scenario.Parse[Given, When, Observation]("x.yaml", []byte(`
scenario: s
guards: g
given:
  documents: {a.md: "Rotate the logs every week.", b.md: "The keys are kept in the vault."}
turns: [{when: {ask: "How often do I rotate the logs?"}}, {when: {ask: "Where is the vault?"}}]
`))
	require.NoError(t, err)
	w := play(t, list[0])
	for _, words := range []string{"", "Where are the keys kept?"} {
		for _, err := range w.agent.Again(t.Context(), agent.Question{Thread: "t", Text: words}) {
			require.NoError(t, err)
		}
		r, err := Record(t.Context(), w.agent.Thread("t").Changes(t.Context()), Recording{Library: w.lib})
		require.NoError(t, err)
		assert.True(t, r.Result.Passed, "%s\n%v\n%s", r.Result.Error, r.Result.Mismatches, r.YAML)
		assert.Equal(t, 2, r.Turns)
		if words != "" {
			assert.Contains(t, string(r.YAML), words)
			assert.NotContains(t, string(r.YAML), "Where is the vault?")
		}
	}
}
