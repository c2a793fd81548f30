package changes

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func watch(t *testing.T, paths ...string) *Watcher {
	t.Helper()
	w, err := Watch(0, paths...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, w.Close()) })
	return w
}

func TestAChangedFileOfAFolderIsTold(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "below"), 0o700))
	w := watch(t, dir)
	write(t, filepath.Join(dir, "below", "a"), "1")
	changed, err := w.Next(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, "below", "a")}, changed)
}

func TestAFileOfANewFolderIsTold(t *testing.T) {
	dir := t.TempDir()
	w := watch(t, dir)
	folder := filepath.Join(dir, "new")
	require.NoError(t, os.Mkdir(folder, 0o700))
	changed, err := w.Next(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{folder}, changed)
	write(t, filepath.Join(folder, "a"), "1")
	changed, err = w.Next(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(folder, "a")}, changed)
}

func TestAFileThatIsReplacedIsToldAndItsNeighboursAreNot(t *testing.T) {
	dir := t.TempDir()
	file, other := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, file, "1")
	w := watch(t, file)
	write(t, other, "1")
	require.NoError(t, os.Rename(other, file))
	changed, err := w.Next(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{file}, changed)
}

func TestAPathThatIsNotThereCannotBeWatched(t *testing.T) {
	_, err := Watch(0, filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	w := watch(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.Next(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}
