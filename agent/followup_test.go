package agent_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/store/sqlite"
	"github.com/kbagent/kbagent/tools"
)

// overRecords is an agent without a model over these files.
func overRecords(t *testing.T, records ...index.Record) *agent.Agent {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "kb.db"), sqlite.Options{Synchronous: "NORMAL"})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	ix, err := index.Open(t.Context(), db.Index(), nil, index.Options{})
	require.NoError(t, err)
	_, err = ix.Put(t.Context(), "kb", records)
	require.NoError(t, err)
	a, err := agent.New(agent.Config{Nodes: nodes.Config{
		Library: agent.Library(ix, false), Audit: nodes.Discard{}, Tools: tools.NewSet(tools.Local(ix)...),
	}})
	require.NoError(t, err)
	return a
}

func TestAFollowUpWithoutAModelFindsItsOwnPassageAndKeepsTheEarlierOneAtHand(t *testing.T) {
	a := overRecords(t,
		index.Record{Path: "rotation.md", Text: "The logrotate service rotates the server logs every night and keeps seven old files."},
		index.Record{Path: "windows.md", Text: "On Windows a scheduled task rotates the server logs."},
		index.Record{Path: "windows-setup.md", Text: "On Windows the installer asks for a folder. Windows needs two restarts. Windows 10 is enough."},
		index.Record{Path: "bread.md", Text: "Bread needs an hour in the oven."},
	)
	paths := func(question string) (list []string, answer agent.Answer) {
		answer, err := a.Do(t.Context(), agent.Question{Text: question, Thread: "t"})
		require.NoError(t, err)
		for _, item := range answer.State.Context {
			list = append(list, item.Path)
		}
		return list, answer
	}
	_, first := paths("Which service rotates the server logs every night?")
	require.NotEmpty(t, first.Citations)
	assert.Equal(t, "rotation.md", first.Citations[0].Path)

	kept, second := paths("and on Windows?")
	assert.Equal(t, "Which service rotates the server logs every night?\nand on Windows?", second.State.ResolvedQuery)
	assert.Contains(t, kept, "windows.md")
	assert.Contains(t, kept, "rotation.md", "what the first answer cited is found again, since its question is searched too")
	assert.NotContains(t, kept, "bread.md")
	require.NotEmpty(t, second.Citations)
	assert.Equal(t, "windows.md", second.Citations[0].Path)
	assert.Len(t, second.State.Messages, 4)
}
