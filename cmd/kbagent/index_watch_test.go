package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An indexWatch is a running `kbagent index --watch --json`.
type indexWatch struct {
	t      *testing.T
	dir    string
	lines  *bufio.Scanner
	stop   context.CancelFunc
	ended  chan int
	stderr string // a file
}

func startWatch(t *testing.T, dir string, args ...string) *indexWatch {
	t.Helper()
	t.Setenv("KB_AGENT_DATA_DIR", filepath.Join(t.TempDir(), "data"))
	read, write, err := os.Pipe()
	require.NoError(t, err)
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	w := &indexWatch{t: t, dir: dir, lines: bufio.NewScanner(read), stop: stop, ended: make(chan int, 1), stderr: stderr.Name()}
	go func() {
		code := run(ctx, append([]string{"index", "--watch", "--json", dir}, args...), streams{in: os.Stdin, out: write, err: stderr})
		assert.NoError(t, write.Close())
		assert.NoError(t, stderr.Close())
		w.ended <- code
	}()
	t.Cleanup(func() {
		stop()
		for w.lines.Scan() { //nolint:revive // so that nobody waits for a reader
		}
		assert.NoError(t, read.Close())
	})
	return w
}

// report is the next line.
func (w *indexWatch) report() map[string]string {
	w.t.Helper()
	require.True(w.t, w.lines.Scan(), "the watch ended")
	var r struct {
		Entries []struct{ Path, Status string }
	}
	require.NoError(w.t, json.Unmarshal(w.lines.Bytes(), &r))
	all := map[string]string{}
	for _, e := range r.Entries {
		rel, err := filepath.Rel(w.dir, e.Path)
		require.NoError(w.t, err)
		all[filepath.ToSlash(rel)] = e.Status
	}
	return all
}

// wants reads reports until the file has this status.
func (w *indexWatch) wants(file, status string) {
	w.t.Helper()
	for w.report()[file] != status { //nolint:revive // a watch that does not tell lets the test run into its time limit
	}
}

func (w *indexWatch) write(file, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(file))
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o600))
}

func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return dir
}

func TestAWatchedFileThatWasAwayOrHalfWrittenComesBack(t *testing.T) {
	file := filepath.Join(realDir(t), "a.json")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	write(`[{"text":"alpha"}]`)
	w := startWatch(t, file)
	assert.Equal(t, map[string]string{".": "indexed"}, w.report())
	require.NoError(t, os.Remove(file))
	w.wants(".", "removed")
	write(`[{"text":"alpha"}]`)
	w.wants(".", "indexed")
	write(`[{"text":"al`)
	w.wants(".", "failed")
	write(`[{"text":"alpha"}]`)
	w.wants(".", "indexed")
	w.stop()
	assert.Zero(t, <-w.ended)
}

func TestAWatchFollowsTheFilesAndEndsWithoutAnError(t *testing.T) {
	dir := realDir(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("alpha"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("out\n"), 0o600))
	w := startWatch(t, dir, "--exclude", "drafts")
	assert.Equal(t, map[string]string{"a.md": "indexed"}, w.report(), "a normal update comes first")

	w.write("a.md", "changed")
	w.wants("a.md", "indexed")
	w.write("new/deep/b.md", "beta")
	w.wants("new/deep/b.md", "indexed")
	require.NoError(t, os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "old")))
	w.wants("old/deep/b.md", "indexed")
	w.write("old/deep/.b.tmp", "by rename")
	require.NoError(t, os.Rename(filepath.Join(dir, "old/deep/.b.tmp"), filepath.Join(dir, "old/deep/b.md")))
	w.wants("old/deep/b.md", "indexed")

	w.write("drafts/d.md", "left out by its patterns")
	w.write("out/e.md", "ignored")
	w.write("z.md", "last")
	for {
		r := w.report()
		assert.NotContains(t, r, "drafts/d.md")
		assert.NotContains(t, r, "out/e.md")
		if r["z.md"] == "indexed" {
			break
		}
	}
	w.write(".gitignore", "drafts\n")
	w.wants("out/e.md", "indexed")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "old")))
	w.wants("old/deep/b.md", "removed")

	w.stop()
	assert.Equal(t, exitOK, <-w.ended)
	text, err := os.ReadFile(w.stderr)
	require.NoError(t, err)
	assert.Equal(t, "kbagent: watching 1 folders; Ctrl-C ends\n", string(text))
}

func TestAWatchOfAFileFollowsThatFile(t *testing.T) {
	dir := realDir(t)
	file := filepath.Join(dir, "notes.log")
	require.NoError(t, os.WriteFile(file, []byte("alpha"), 0o600))
	w := startWatch(t, file)
	w.dir = dir
	assert.Equal(t, map[string]string{"notes.log": "indexed"}, w.report())
	w.write("other.md", "none of its business")
	w.write("sub/other.md", "neither")
	w.write("notes.log", "changed")
	w.wants("notes.log", "indexed")
	require.NoError(t, os.Remove(file))
	w.wants("notes.log", "removed")
	w.stop()
	assert.Equal(t, exitOK, <-w.ended)
}

func TestAWatchOfNothingIsRefused(t *testing.T) {
	w := startWatch(t, filepath.Join(t.TempDir(), "nowhere"))
	assert.Equal(t, exitError, <-w.ended)
}
