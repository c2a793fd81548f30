package repl

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// The whole way with a real agent: stopped, read, resumed, taken again from a step, and once more.
func TestAConversationCanBeReadAndTakenAgainFromAnyStep(t *testing.T) {
	a, hanging, searches := hangingAgent(t)
	signals := make(chan os.Signal, 1)
	go func() {
		<-hanging
		signals <- os.Interrupt
	}()
	cfg := Config{Agent: a, In: strings.NewReader("When do I rotate the signing key?\n"), Out: io.Discard, Err: io.Discard, Thread: "t", Signals: signals}
	require.ErrorIs(t, Run(t.Context(), cfg), ErrInterrupted)

	const answer = "Rotate the signing key once a month. [1]\n\n[1] keys.md:L3-L3\n"
	say := func(lines string) string {
		var out bytes.Buffer
		cfg.In, cfg.Out = strings.NewReader(lines), &out
		require.NoError(t, Run(t.Context(), cfg))
		return out.String()
	}
	assert.Equal(t, `*   3  plan                 → tool_call
*   2  analyze_and_route    → plan
*   1  a question           → analyze_and_route
`, say("/history\n"))
	assert.Contains(t, say("/resume\n"), answer)
	assert.EqualValues(t, 2, searches.Load())
	assert.Contains(t, say("/resume\n"), answer, "of a finished run it is the last one")
	assert.EqualValues(t, 2, searches.Load())

	assert.Equal(t, "Back at 3, as 7. Next: tool_call. /resume goes on.\n", say("/fork 3\n"))
	assert.Contains(t, say("/resume\n"), answer)
	assert.EqualValues(t, 3, searches.Load())
	assert.Equal(t, `*  10  synthesize           → the end
*   9  grade_evidence       → synthesize
*   8  tool_call            → grade_evidence
*   7  back at 3            → tool_call
    6  synthesize           → the end
    5  grade_evidence       → synthesize
    4  tool_call            → grade_evidence
*   3  plan                 → tool_call
*   2  analyze_and_route    → plan
*   1  a question           → analyze_and_route
`, say("/history\n"))
	assert.Equal(t, "Back at 10, as 11. Next: the end.\n", say("/fork 10\n"))
}

func TestEveryStepOfAHistoryIsOneLine(t *testing.T) {
	for _, c := range []graph.Checkpoint{
		{Seq: 1, Origin: graph.FromInput, Next: []string{"a", "b"}}, {Seq: 2, Origin: graph.FromStep, Nodes: []string{"a", "b"}, Done: true},
		{Seq: 3, Origin: graph.FromEdit, Nodes: []string{"a"}}, {Seq: 4, Origin: graph.FromFork}, {Seq: 5, Origin: graph.FromFork, Parent: 2, Current: true},
	} {
		line := newSession(Config{}).checkpoint(c)
		assert.NotContains(t, line, "\n")
		assert.LessOrEqual(t, len(line), 80)
	}
}
