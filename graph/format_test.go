package graph_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 28: what this version stores is what the first one stored.
func TestTheStoredFormatIsThatOfTheGoldenLog(t *testing.T) {
	store := &spy{Store: graph.NewMemoryStore()}
	_, err := mixed(t, new(graphtest.Journal)).Thread("t", graph.WithStore(store)).Invoke(
		graph.WithClock(t.Context(), graphtest.NewClock(noon)), step{Value: graph.To("<é>")})
	require.NoError(t, err)
	var rows strings.Builder
	for _, e := range store.entries {
		fmt.Fprintf(&rows, "%d %s\n", e.Seq, e.Data)
	}
	golden(t, "log-v1.txt", rows.String())
}

// Rule 28: a log of the first version can be read and gone on with for ever.
func TestALogOfTheFirstVersionCanBeResumedAtEveryEntry(t *testing.T) {
	rows := goldenRows(t)
	want, err := mixed(t, new(graphtest.Journal)).Invoke(t.Context(), step{Value: graph.To("<é>")})
	require.NoError(t, err)
	for n := 1; n <= len(rows); n++ {
		store := graph.NewMemoryStore()
		fence, err := store.Claim(t.Context(), "t")
		require.NoError(t, err)
		for i, row := range rows[:n] {
			require.NoError(t, store.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: int64(i + 1), Data: []byte(row)}}))
		}
		res, err := mixed(t, new(graphtest.Journal)).Thread("t", graph.WithStore(store)).Resume(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want.State, res.State, "resumed after entry %d", n)
	}
}

func goldenRows(t *testing.T) []string {
	data, err := os.ReadFile(filepath.Join("testdata", "log-v1.txt"))
	require.NoError(t, err)
	var rows []string
	for line := range strings.Lines(string(data)) {
		_, row, ok := strings.Cut(strings.TrimSpace(line), " ")
		require.True(t, ok)
		rows = append(rows, row)
	}
	require.Greater(t, len(rows), 5)
	return rows
}
