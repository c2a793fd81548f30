package graph_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 28: rows of the first version of a state do not name it, so that no log of before is of another format.
func TestTheRowsOfAStateOfTheFirstVersionAreThoseOfTheGoldenFile(t *testing.T) {
	golden(t, "state-v1.txt", dump(t, stopped(t)))
}

// Rule 28. LangGraph leaves a changed state to the code that meets it: a renamed key is silently empty after a resume.
func TestAThreadThatVersionOneHasStoppedInTheMiddleIsResumedUnderVersionThree(t *testing.T) {
	store := undump(t, "state-v1.txt", asIs)
	var j graphtest.Journal
	thread := askingWords(t, &j, toLines, toWords).Thread("t", graph.WithStore(store))
	ctx := graph.WithClock(t.Context(), graphtest.NewClock(noon))
	head, err := thread.Head(ctx)
	require.NoError(t, err)
	assert.Equal(t, []string{"in", "begin"}, head.State.Words)
	require.Len(t, head.Interrupts, 1)

	res, err := thread.Resume(ctx, graph.Answer(head.Interrupts[0].ID, "this"))
	require.NoError(t, err)
	assert.Equal(t, []string{"in", "begin", "work", "this", "last"}, res.State.Words)
	assert.Zero(t, j.Count("work"), "its pending write is of version 1, and was taken")
	golden(t, "state-v3.txt", dump(t, store))

	_, first, err := thread.At(ctx, 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"in"}, first.Words, "the whole past can be read")
}

func TestRowsOfAVersionInBetweenGoThroughTheLaterMigrationsOnly(t *testing.T) {
	store := graph.NewMemoryStore()
	never := graph.Migration{
		State:  func(json.RawMessage) (json.RawMessage, error) { return nil, errors.New("called for a newer row") },
		Update: func(json.RawMessage) (json.RawMessage, error) { return nil, errors.New("called for a newer row") },
	}
	two := versioned[lineState](t, new(graphtest.Journal), func(s string) lineUpdate { return lineUpdate{[]string{s}} }, graph.StateVersion(2, never))
	_, err := two.Thread("t", graph.WithStore(store)).Invoke(t.Context(), lineUpdate{[]string{"in"}})
	require.NoError(t, err)
	thread := askingWords(t, new(graphtest.Journal), never, toWords).Thread("t", graph.WithStore(store))
	res, err := thread.Resume(t.Context(), graph.Reply("that"))
	require.NoError(t, err)
	assert.Equal(t, []string{"in", "begin", "work", "that", "last"}, res.State.Words)
}

func TestAnEditAForkAndAPruneUnderANewVersionStoreThatVersion(t *testing.T) {
	store := undump(t, "state-v1.txt", asIs)
	thread := askingWords(t, new(graphtest.Journal), toLines, toWords).Thread("t", graph.WithStore(store))
	_, err := thread.UpdateState(t.Context(), wordUpdate{[]string{"by hand"}})
	require.NoError(t, err)
	_, err = thread.Fork(t.Context(), 4)
	require.NoError(t, err)
	_, err = thread.Prune(t.Context(), graph.Keep{Last: 2})
	require.NoError(t, err)
	for line := range strings.Lines(dump(t, store)) {
		assert.Contains(t, line, `,"sv":3,`)
	}
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"in", "begin", "by hand"}, head.State.Words)
}
