package tools

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/store/sqlite"
)

// twoFolders is an index of two files that say the same; one is in the collection "ops".
func twoFolders(t *testing.T) *index.Index {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range []string{"ops", "dev"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, name+".md"), []byte("Old logs are kept for seven days."), 0o644))
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "kb.db"), sqlite.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	ix, err := index.Open(t.Context(), db.Index(), nil, index.Options{})
	require.NoError(t, err)
	_, err = ix.Update(t.Context(), []string{dir}, index.UpdateOptions{})
	require.NoError(t, err)
	require.NoError(t, ix.Collect(t.Context(), "ops", []string{filepath.Join(dir, "ops")}))
	return ix
}

func TestEveryToolOfTheKnowledgeBaseStaysWithinTheScope(t *testing.T) {
	set := NewSet(Local(twoFolders(t))...)
	for name, args := range map[string]string{
		"keyword_search": `{"query":"logs"}`, "hybrid_search": `{"query":"logs"}`, "grep": `{"pattern":"logs"}`,
	} {
		tool, ok := set.Lookup(name)
		require.True(t, ok)
		everything, err := tool.Call(t.Context(), json.RawMessage(args))
		require.NoError(t, err)
		assert.Len(t, everything.Items, 2, name)
		for _, scope := range []state.Scope{{Collections: "ops"}, {Paths: "ops/*"}, {Collections: "default,ops", Paths: "nothing\nops.md"}} {
			bound, err := tool.Call(WithScope(t.Context(), scope), json.RawMessage(args))
			require.NoError(t, err)
			require.Len(t, bound.Items, 1, name)
			assert.Equal(t, "ops/ops.md", bound.Items[0].Path, name)
		}
	}
	ops := WithScope(t.Context(), state.Scope{Collections: "ops"})
	read, _ := set.Lookup("read_file")
	_, err := read.Call(ops, json.RawMessage(`{"path":"ops/ops.md"}`))
	require.NoError(t, err)
	_, err = read.Call(ops, json.RawMessage(`{"path":"dev/dev.md"}`))
	assert.Equal(t, CodeNotFound, code(err))
	list, _ := set.Lookup("list_files")
	result, err := list.Call(ops, json.RawMessage(`{}`))
	require.NoError(t, err)
	said, err := json.Marshal(result)
	require.NoError(t, err)
	assert.Contains(t, string(said), "ops/ops.md")
	assert.NotContains(t, string(said), "dev.md")
}

func TestALibraryThatCannotBeBoundIsNotSearched(t *testing.T) {
	args := map[string]string{"read_file": `{"path":"x"}`, "list_files": `{}`, "grep": `{"pattern":"x"}`}
	for _, tool := range Local(&shelf{hits: []index.Hit{{}}}) {
		_, err := tool.Call(WithScope(t.Context(), state.Scope{Collections: "ops"}), json.RawMessage(cmp.Or(args[tool.Name], `{"query":"x"}`)))
		assert.ErrorContains(t, err, "cannot be bound", tool.Name)
	}
}
