package nodes

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// callTool runs the node tool_call on one call of grep that does work.
func callTool(t *testing.T, work func() (tools.Result, error)) (state.Update, error) {
	t.Helper()
	tool := tools.New("grep", "", state.ScoreNone, func(context.Context, struct{}) (tools.Result, error) { return work() })
	node := New(Config{Library: shelf{}, Audit: Discard{}, Tools: tools.NewSet(tool)}).ToolCall()
	return node(t.Context(), state.AgentState{
		Settings: state.DefaultSettings(), Phase: state.PhaseRetrieve, Strategy: state.StrategyKeyword,
		PendingToolCalls: []state.ToolCall{{ID: "r1c1", Name: "grep"}},
	})
}

func TestAToolThatPanicsIsAFailedCallAndNotTheEndOfTheProcess(t *testing.T) {
	u, err := callTool(t, func() (tools.Result, error) { panic("boom") })
	require.NoError(t, err)
	require.Len(t, u.Round.Records, 1)
	assert.Equal(t, "FAILED: grep panicked: boom", u.Round.Records[0].Error)
	assert.Empty(t, u.Round.Found)
}

func TestADamagedIndexFailsTheNodeInsteadOfFindingNothing(t *testing.T) {
	_, err := callTool(t, func() (tools.Result, error) { return tools.Result{}, fmt.Errorf("search: %w", index.ErrDamaged) })
	require.ErrorIs(t, err, index.ErrDamaged)
}

func TestAnOrdinaryFailureIsRecordedAndTheRunGoesOn(t *testing.T) {
	u, err := callTool(t, func() (tools.Result, error) { return tools.Result{}, errors.New("no luck") })
	require.NoError(t, err)
	assert.Equal(t, "FAILED: no luck", u.Round.Records[0].Error)
}
