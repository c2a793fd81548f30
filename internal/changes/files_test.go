package changes

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A mirror holds what a folder of real files holds, by looking at what a watcher tells and nothing else.
type mirror struct {
	t     *testing.T
	dir   string
	files map[string]string      // of the goroutine of Run
	seen  chan map[string]string // files after each call
}

func watchFolder(t *testing.T) *mirror {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub", "deep"), 0o755))
	w, err := New(t.Context(), Everything{}, []string{dir}, Options{Quiet: 5 * time.Millisecond, Problem: func(err error) { t.Error(err) }})
	require.NoError(t, err)
	m := &mirror{t: t, dir: dir, files: map[string]string{}, seen: make(chan map[string]string, 1000)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx, m.look) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
		assert.NoError(t, w.Close())
	})
	return m
}

// look reads paths and all below them anew.
func (m *mirror) look(_ context.Context, paths []string) error {
	assert.True(m.t, slices.IsSorted(paths))
	for _, path := range paths {
		maps.DeleteFunc(m.files, func(file, _ string) bool { return below(path, file) })
		err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(p)
			m.files[p] = string(text)
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	m.seen <- maps.Clone(m.files)
	return nil
}

func (m *mirror) at(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

func (m *mirror) write(name, text string) {
	m.t.Helper()
	require.NoError(m.t, os.WriteFile(m.at(name), []byte(text), 0o600))
}

// shows waits until the mirror holds these files, name after name with its text, and no others. A watcher that does not tell
// lets the test run into its time limit.
func (m *mirror) shows(files ...string) {
	m.t.Helper()
	want := map[string]string{}
	for i := 0; i < len(files); i += 2 {
		want[m.at(files[i])] = files[i+1]
	}
	for !maps.Equal(<-m.seen, want) { //nolint:revive // waits
	}
}

func TestNewChangedRenamedAndRemovedFilesAreTold(t *testing.T) {
	m := watchFolder(t)
	m.write("a.md", "1")
	m.shows("a.md", "1")
	m.write("sub/deep/b.md", "b")
	m.shows("a.md", "1", "sub/deep/b.md", "b")
	m.write("a.md", "2")
	m.shows("a.md", "2", "sub/deep/b.md", "b")
	require.NoError(t, os.Rename(m.at("a.md"), m.at("sub/c.md")))
	m.shows("sub/c.md", "2", "sub/deep/b.md", "b")
	require.NoError(t, os.Remove(m.at("sub/c.md")))
	m.shows("sub/deep/b.md", "b")
}

func TestAnEditorThatWritesByRenameIsSeen(t *testing.T) {
	m := watchFolder(t)
	m.write("a.md", "1")
	m.shows("a.md", "1")
	require.NoError(t, os.Rename(m.at("a.md"), m.at("a.md~"))) // as vim with its backup
	m.write("a.md", "2")
	m.shows("a.md", "2", "a.md~", "1")
	m.write(".a.md.tmp", "3")
	require.NoError(t, os.Rename(m.at(".a.md.tmp"), m.at("a.md"))) // as most others
	m.shows("a.md", "3", "a.md~", "1")
}

func TestNewFoldersAreWatchedWithWhatIsInThem(t *testing.T) {
	m := watchFolder(t)
	require.NoError(t, os.MkdirAll(m.at("new/inner"), 0o755))
	m.write("new/inner/a.md", "1")
	m.shows("new/inner/a.md", "1")
	m.write("new/inner/a.md", "2")
	m.shows("new/inner/a.md", "2")
}

func TestARenamedFolderIsWatchedUnderItsNewName(t *testing.T) {
	m := watchFolder(t)
	m.write("sub/deep/a.md", "1")
	m.shows("sub/deep/a.md", "1")
	require.NoError(t, os.Rename(m.at("sub"), m.at("moved")))
	m.shows("moved/deep/a.md", "1")
	m.write("moved/deep/a.md", "2")
	m.shows("moved/deep/a.md", "2")
	require.NoError(t, os.RemoveAll(m.at("moved")))
	m.shows()
	require.NoError(t, os.MkdirAll(m.at("moved/deep"), 0o755))
	m.write("moved/deep/a.md", "3")
	m.shows("moved/deep/a.md", "3")
	m.write("moved/deep/a.md", "4")
	m.shows("moved/deep/a.md", "4")
}

func TestAFolderThatWentAwayIsWatchedAgainWhenItIsBack(t *testing.T) {
	parent, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(parent, "docs")
	require.NoError(t, os.Mkdir(dir, 0o755))
	w, err := New(t.Context(), Everything{}, []string{dir}, Options{Quiet: time.Millisecond, Retry: time.Millisecond})
	require.NoError(t, err)
	gone, back := make(chan struct{}, 1), make(chan struct{}, 1)
	seen := make(chan []string, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- w.Run(ctx, func(_ context.Context, paths []string) error {
			if _, err := os.Stat(dir); err != nil {
				signal(gone)
				return errors.New("the folder is gone")
			}
			signal(back)
			seen <- paths
			return nil
		})
	}()
	require.NoError(t, os.Rename(dir, filepath.Join(parent, "away")))
	<-gone
	require.NoError(t, os.Rename(filepath.Join(parent, "away"), dir))
	<-back
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), nil, 0o600))
	for !slices.Contains(<-seen, filepath.Join(dir, "a.md")) { //nolint:revive // until it was told
	}
	cancel()
	require.NoError(t, <-ended)
	require.NoError(t, w.Close())
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func TestTheNeighboursOfAFileAreNotTold(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	file := filepath.Join(dir, "a.md")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	w, err := New(t.Context(), Everything{}, []string{file}, Options{Quiet: time.Millisecond})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.md"), nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	require.NoError(t, os.Rename(filepath.Join(dir, "b.md"), file))
	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, w.Run(ctx, func(_ context.Context, paths []string) error {
		assert.Equal(t, []string{file}, paths)
		cancel()
		return nil
	}))
	require.NoError(t, w.Close())
}

func TestAFolderThatIsNotThereCannotBeWatched(t *testing.T) {
	_, err := New(t.Context(), Everything{}, []string{filepath.Join(t.TempDir(), "none")}, Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = New(t.Context(), Everything{}, nil, Options{Quiet: -1})
	require.ErrorContains(t, err, "negative")
}
