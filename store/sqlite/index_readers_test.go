package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

func TestAnotherProcessReadsWhileOneWrites(t *testing.T) {
	folder, path := t.TempDir(), filepath.Join(t.TempDir(), "kb.db")
	const files = 600 // several commits
	rewrite := func(round int) {
		for i := range files {
			text := fmt.Sprintf("# File %d\n\n%s\n", i, strings.Repeat(fmt.Sprintf("common round%d ", round), 20))
			require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%04d.md", i)), []byte(text), 0o600))
		}
	}
	rewrite(0)
	writer := openIndex(t, openIndexFile(t, path))
	reader := openIndex(t, openIndexFile(t, path)) // connections of its own, as another process has
	_, err := writer.Update(t.Context(), []string{folder}, index.UpdateOptions{})
	require.NoError(t, err)

	rewrite(1)
	done := make(chan error, 1)
	go func() {
		_, err := writer.Update(t.Context(), []string{folder}, index.UpdateOptions{})
		done <- err
	}()
	last := int64(0)
	for running := true; running; {
		select {
		case err := <-done:
			require.NoError(t, err)
			running = false
		default:
		}
		hits, err := reader.Keyword(t.Context(), "common", files+1)
		require.NoError(t, err)
		require.Len(t, hits, files, "every file is there at every moment, as it was or as it is")
		for _, h := range hits {
			old, changed := strings.Count(h.Content, "round0"), strings.Count(h.Content, "round1")
			require.Equal(t, 20, old+changed)
			require.True(t, old == 0 || changed == 0, "no file is seen half")
		}
		version, err := reader.Version(t.Context())
		require.NoError(t, err)
		require.GreaterOrEqual(t, version, last)
		last = version
	}
	hits, err := reader.Keyword(t.Context(), "round1", files+1)
	require.NoError(t, err)
	assert.Len(t, hits, files)
}
