package index_test

import (
	"context"
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/store/sqlite"
)

// newStore opens a database file of its own.
func newStore(t testing.TB) index.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "kb.db"), sqlite.Options{Synchronous: "NORMAL"})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db.Index()
}

func open(t testing.TB, store index.Store, embedder index.Embedder, opts index.Options) *index.Index {
	t.Helper()
	x, err := index.Open(t.Context(), store, embedder, opts)
	require.NoError(t, err)
	return x
}

func newIndex(t testing.TB) *index.Index { return open(t, newStore(t), nil, index.Options{}) }

// folder writes files, path to text, into a new folder and returns its real path.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	write(t, dir, files)
	return dir
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for path, content := range files {
		full := filepath.Join(dir, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(content), 0o600))
	}
}

func update(t testing.TB, x *index.Index, paths ...string) index.Report {
	t.Helper()
	report, err := x.Update(t.Context(), paths, index.UpdateOptions{})
	require.NoError(t, err)
	return report
}

// paths lists the indexed files that match pattern, without their roots.
func paths(t testing.TB, x *index.Index, pattern string) []string {
	t.Helper()
	files, err := x.Files(t.Context(), pattern)
	require.NoError(t, err)
	out := []string{}
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

func keyword(t testing.TB, x *index.Index, query string) []index.Hit {
	t.Helper()
	hits, err := x.Keyword(t.Context(), query, 100)
	require.NoError(t, err)
	return hits
}

func hitPaths(hits []index.Hit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.Path)
	}
	return out
}

// wordEmbedder counts terms into a few dimensions, so that texts with common words are near.
type wordEmbedder struct {
	model string
	dim   int

	mu     sync.Mutex
	texts  []string // all that were embedded
	calls  int
	refuse func(texts []string) error // nil: never
}

var errDown = errors.New("connection refused")

func (e *wordEmbedder) Model() string { return e.model }

func (e *wordEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
	if e.refuse != nil {
		if err := e.refuse(texts); err != nil {
			return nil, err
		}
	}
	vectors := make([][]float32, len(texts))
	for i, s := range texts {
		vectors[i] = make([]float32, e.dim)
		vectors[i][0] = 0.01
		for _, term := range text.Terms(s) {
			h := fnv.New32a()
			h.Write([]byte(term))
			vectors[i][h.Sum32()%uint32(e.dim)]++
		}
	}
	e.texts = append(e.texts, texts...)
	return vectors, ctx.Err()
}

// embedded is how many texts hold part.
func (e *wordEmbedder) embedded(part string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.texts {
		if strings.Contains(s, part) {
			n++
		}
	}
	return n
}
