package scenario_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/scenario"
)

func TestAProposalExpectsWhatWasSeenAndPasses(t *testing.T) {
	subject := newSubject(t)
	d := scenario.Draft[given, when]{
		Name: "a coin: opens", Guards: "yes", Comment: "made by a test\nin two lines",
		Turns: []scenario.DraftTurn[when]{{When: when{Coins: 1}}, {}},
	}
	d, err := scenario.Propose(t.Context(), subject, d, func(key string, v any) (any, bool) {
		return v, key != "share"
	})
	require.NoError(t, err)
	text, err := d.YAML()
	require.NoError(t, err)
	assert.Equal(t, `# made by a test
# in two lines
scenario: "a coin: opens"
guards: "yes"
turns:
  - when:
      coins: 1
    then:
      open: true
      says: [checking, welcome]
      detail: {coins: 1}
      parts: [{length: 3, name: arm}, {length: 1, name: post}]
  - when: {}
    then:
      says: [checking, pay first]
      detail: {coins: 0}
      parts: [{length: 3, name: arm}, {length: 1, name: post}]
`, string(text))
	list, err := parse("x.yaml", string(text))
	require.NoError(t, err)
	assert.Equal(t, 1, scenario.Run(t.Context(), subject, list, scenario.Options{}).Passed)
}

func TestADraftThatCannotBePlayedIsNoProposal(t *testing.T) {
	_, err := scenario.Propose(t.Context(), newSubject(t), scenario.Draft[given, when]{Given: given{Broken: true}, Turns: []scenario.DraftTurn[when]{{}}}, nil)
	assert.ErrorContains(t, err, "the turnstile is broken")
}
