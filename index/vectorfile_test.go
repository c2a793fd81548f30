package index_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

// rowsRead counts how often a store's vectors are read row by row.
type rowsRead struct {
	index.Store
	times atomic.Int64
}

func (s *rowsRead) Vectors(ctx context.Context, model string) (index.Vectors, error) {
	s.times.Add(1)
	return s.Store.Vectors(ctx, model)
}

// copied is an index with a copy of its vectors: each process opens it anew.
type copied struct {
	store *rowsRead
	path  string

	mu   sync.Mutex
	told []error
}

func newCopied(t *testing.T) *copied {
	t.Helper()
	return &copied{store: &rowsRead{Store: newStore(t)}, path: filepath.Join(t.TempDir(), "vectors.bin")}
}

// process is the index as a process that just started has it.
func (c *copied) process(t *testing.T, model string) *index.Index {
	t.Helper()
	return open(t, c.store, &wordEmbedder{model: model, dim: 32}, index.Options{VectorFile: c.path, VectorFileFailed: func(err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.told = append(c.told, err)
	}})
}

// finds searches for alpha and returns how often rows were read for it.
func (c *copied) finds(t *testing.T, x *index.Index, want ...string) int64 {
	t.Helper()
	before := c.store.times.Load()
	hits, err := x.Vector(t.Context(), "alpha", 10)
	require.NoError(t, err)
	assert.Equal(t, want, hitPaths(hits))
	return c.store.times.Load() - before
}

func TestAProcessReadsTheVectorsFromTheirFile(t *testing.T) {
	c := newCopied(t)
	dir := folder(t, map[string]string{"a.md": "alpha", "b.md": "alpha beta gamma delta"})
	update(t, c.process(t, "m"), dir)
	assert.Zero(t, c.finds(t, c.process(t, "m"), "a.md", "b.md"), "an update keeps the file up to date")

	write(t, dir, map[string]string{"c.md": "alpha beta"})
	update(t, c.process(t, "m"), dir)
	assert.Zero(t, c.finds(t, c.process(t, "m"), "a.md", "c.md", "b.md"))
	assert.Empty(t, c.told)
}

func TestASmallUpdateLeavesTheFileToTheFirstSearch(t *testing.T) {
	c := newCopied(t)
	files := map[string]string{}
	for i := range 30 {
		files[string(rune('a'+i%26))+string(rune('a'+i/26))+".md"] = "beta"
	}
	dir := folder(t, files)
	update(t, c.process(t, "m"), dir)
	write(t, dir, map[string]string{"new.md": "alpha"})
	before := c.store.times.Load()
	update(t, c.process(t, "m"), dir)
	assert.Equal(t, before, c.store.times.Load(), "one passage of 31 is not worth all vectors")
	hits, err := c.process(t, "m").Vector(t.Context(), "alpha", 40)
	require.NoError(t, err)
	assert.Contains(t, hitPaths(hits), "new.md")
	assert.Equal(t, before+1, c.store.times.Load())
}

func TestAFileOfAnotherStateIsMadeAnew(t *testing.T) {
	c := newCopied(t)
	dir := folder(t, map[string]string{"a.md": "alpha"})
	update(t, c.process(t, "m"), dir)
	stale, err := os.ReadFile(c.path)
	require.NoError(t, err)
	write(t, dir, map[string]string{"b.md": "alpha beta"})
	update(t, c.process(t, "m"), dir)
	require.NoError(t, os.WriteFile(c.path, stale, 0o600))

	assert.EqualValues(t, 1, c.finds(t, c.process(t, "m"), "a.md", "b.md"))
	assert.Zero(t, c.finds(t, c.process(t, "m"), "a.md", "b.md"), "the first search wrote it")

	other := newCopied(t)
	other.path = c.path
	update(t, other.process(t, "m"), folder(t, map[string]string{"z.md": "alpha"}))
	assert.Zero(t, other.finds(t, other.process(t, "m"), "z.md"))
	assert.EqualValues(t, 1, c.finds(t, c.process(t, "m"), "a.md", "b.md"), "the file is that of another store")
	assert.Empty(t, c.told)
}

func TestAFileOfAnotherModelIsMadeAnew(t *testing.T) {
	c := newCopied(t)
	dir := folder(t, map[string]string{"a.md": "alpha"})
	update(t, c.process(t, "old"), dir)
	_, err := c.process(t, "new").Vector(t.Context(), "alpha", 1)
	require.ErrorIs(t, err, index.ErrNoVectors)
	update(t, c.process(t, "new"), dir)
	assert.Zero(t, c.finds(t, c.process(t, "new"), "a.md"))
}

func TestADamagedFileIsToldAndMadeAnew(t *testing.T) {
	c := newCopied(t)
	update(t, c.process(t, "m"), folder(t, map[string]string{"a.md": "alpha", "b.md": "alpha beta"}))
	whole, err := os.ReadFile(c.path)
	require.NoError(t, err)
	flipped := func(at int) []byte {
		b := append([]byte(nil), whole...)
		b[at] ^= 0x40
		return b
	}
	n := binary.NativeEndian.Uint64(whole[8:])                                                          // the length of the header
	header := bytes.Replace(whole[16:16+n], []byte(`"dim":32`), []byte(`"dim":4611686018427387936`), 1) // 2⁶² more
	overflow := binary.NativeEndian.AppendUint64(bytes.Clone(whole[:8]), uint64(len(header)))
	overflow = append(append(overflow, header...), make([]byte, -len(header)&7)...)
	overflow = append(overflow, whole[16+(n+7)&^7:]...)
	for name, content := range map[string][]byte{
		"empty":              {},
		"an overflow":        overflow,
		"cut in the header":  whole[:20],
		"cut in the values":  whole[:len(whole)-1],
		"longer":             append(append([]byte(nil), whole...), 0),
		"another magic":      flipped(0),
		"an endless header":  flipped(14),
		"a header no JSON":   flipped(16),
		"a changed key":      flipped(len(whole) - 2*(8+32*4)),
		"a changed value":    flipped(len(whole) - 1),
		"something else":     []byte("a text that is long enough to be read as the begin of a file"),
		"all values missing": whole[:len(whole)-2*32*4],
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(c.path, content, 0o600))
			c.told = nil
			assert.EqualValues(t, 1, c.finds(t, c.process(t, "m"), "a.md", "b.md"))
			require.Len(t, c.told, 1)
			require.ErrorContains(t, c.told[0], "no whole copy of vectors")
			require.ErrorContains(t, c.told[0], c.path)
			assert.Zero(t, c.finds(t, c.process(t, "m"), "a.md", "b.md"))
		})
	}
}

func TestASearchNeedsNoFile(t *testing.T) {
	c := newCopied(t)
	c.path = filepath.Join(c.path, "no such folder", "vectors.bin")
	update(t, c.process(t, "m"), folder(t, map[string]string{"a.md": "alpha"}))
	assert.EqualValues(t, 1, c.finds(t, c.process(t, "m"), "a.md"))
	require.NotEmpty(t, c.told)
	require.ErrorContains(t, c.told[0], "keep a copy of the vectors")
}

func TestWhatAKilledWriterLeftIsRemoved(t *testing.T) {
	c := newCopied(t)
	old, young := c.path+".1.tmp", c.path+".2.tmp"
	for _, name := range []string{old, young} {
		require.NoError(t, os.WriteFile(name, []byte("half"), 0o600))
	}
	past := time.Now().Add(-2 * time.Hour)
	require.NoError(t, os.Chtimes(old, past, past))
	update(t, c.process(t, "m"), folder(t, map[string]string{"a.md": "alpha"}))
	assert.NoFileExists(t, old)
	assert.FileExists(t, young, "its writer may still be at work")
	assert.FileExists(t, c.path)
}

func TestProcessesShareAFileWhileTheIndexChanges(t *testing.T) {
	c := newCopied(t)
	dir := folder(t, map[string]string{"a.md": "alpha"})
	update(t, c.process(t, "m"), dir)
	var all sync.WaitGroup
	for range 4 {
		x := c.process(t, "m")
		all.Go(func() {
			for range 10 {
				hits, err := x.Vector(t.Context(), "alpha", 100)
				if assert.NoError(t, err) {
					assert.Equal(t, "a.md", hits[0].Path)
				}
			}
		})
	}
	for i := range 5 {
		write(t, dir, map[string]string{string(rune('b'+i)) + ".md": "alpha beta"})
		update(t, c.process(t, "m"), dir)
	}
	all.Wait()
	assert.LessOrEqual(t, c.finds(t, c.process(t, "m"), "a.md", "b.md", "c.md", "d.md", "e.md", "f.md"), int64(1))
	for _, err := range c.told { // on Windows a file that is read cannot be replaced at that moment
		var path *os.LinkError
		assert.True(t, errors.As(err, &path), err)
	}
}
