package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

func TestAnAnswerIsMendedBySearchesAndThenByRankingAnew(t *testing.T) {
	for claim, c := range map[string]struct {
		means rules.MendingMeans
		want  state.Mending
	}{
		"a first correction searches":                     {rules.MendingMeans{Fresh: true, Improved: true, Pool: 9}, state.MendSearch},
		"one that did not help is followed by ranking":    {rules.MendingMeans{Fresh: true, Pool: 9}, state.MendRerank},
		"searches that only repeat are not made":          {rules.MendingMeans{Improved: true, Pool: 9}, state.MendRerank},
		"two passages can be ordered":                     {rules.MendingMeans{Pool: 2}, state.MendRerank},
		"one cannot":                                      {rules.MendingMeans{Pool: 1}, state.MendSearch},
		"ranking anew is done once":                       {rules.MendingMeans{Fresh: true, Pool: 9, Reranked: true}, state.MendSearch},
		"also when searches repeat: nothing else is left": {rules.MendingMeans{Pool: 9, Reranked: true}, state.MendSearch},
	} {
		assert.Equal(t, c.want, rules.NextMending(c.means), claim)
	}
}
