package nodes

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/state"
)

func TestTokensCountWhereAServerLeavesTheTotalOut(t *testing.T) {
	m := &meter{}
	m.charge(10, 5, 0)
	m.charge(1, 2, 4)
	assert.Equal(t, state.Usage{PromptTokens: 11, CompletionTokens: 7, TotalTokens: 19}, m.usage())
}
