package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
	"github.com/kbagent/kbagent/store/sqlite"
)

func openCheckpoints(t testing.TB, path string, opts sqlite.Options) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func TestCheckpointsKeepTheContractOfGraphStore(t *testing.T) {
	graphtest.Store(t, func(t *testing.T) graph.Store {
		return openCheckpoints(t, filepath.Join(t.TempDir(), "kb.db"), sqlite.Options{}).Checkpoints()
	})
}

// Two handles on one file stand for two processes.
func TestTwoProcessesShareOneFileAndTheLaterClaimWins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	one, two := openCheckpoints(t, path, sqlite.Options{}).Checkpoints(), openCheckpoints(t, path, sqlite.Options{}).Checkpoints()
	first, err := one.Claim(t.Context(), "t")
	require.NoError(t, err)
	require.NoError(t, one.Commit(t.Context(), "t", first, []graph.Entry{{Seq: 1, Data: []byte("a")}}))
	second, err := two.Claim(t.Context(), "t")
	require.NoError(t, err)
	require.Greater(t, second, first)
	require.ErrorIs(t, one.Commit(t.Context(), "t", first, []graph.Entry{{Seq: 2, Data: []byte("b")}}), graph.ErrFenced)
	require.NoError(t, two.Commit(t.Context(), "t", second, []graph.Entry{{Seq: 2, Data: []byte("c")}}))
	rec, err := one.Load(t.Context(), "t")
	require.NoError(t, err)
	require.Equal(t, "c", string(rec.Log[1].Data))
}

func TestThreadsSurviveClosingTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	for i := range 3 {
		db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		require.NoError(t, err)
		res, err := grower(t, 2, 10).Thread("t", graph.WithStore(db.Checkpoints())).Invoke(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, res.State.Path, 2*(i+1))
		require.NoError(t, db.Close())
	}
}

// walk is a list of words that grows.
type walk struct {
	Path []string `json:"path"`
}

func (w walk) Apply(more []string) (walk, error) {
	w.Path = graph.Append(w.Path, more...)
	return w, nil
}

// grower appends n words of the given size to the state, one a step.
func grower(t testing.TB, n, size int) *graph.App[walk, []string] {
	t.Helper()
	g := graph.New[walk]("grower")
	grow := g.Node("grow", func(_ context.Context, w walk) ([]string, error) {
		return []string{fmt.Sprintf("%0*d", size, len(w.Path))}, nil
	})
	g.Start(grow)
	graph.Route(g, grow, func(w walk) string {
		if len(w.Path)%n != 0 {
			return "again"
		}
		return "done"
	}, graph.Case("again", grow), graph.Case("done", graph.End))
	app, err := g.Compile(graph.MaxSteps(n))
	require.NoError(t, err)
	return app
}

func TestStorageIsLinearPageOverheadIncluded(t *testing.T) {
	const steps, size = 400, 500
	path := filepath.Join(t.TempDir(), "kb.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	require.NoError(t, db.Close()) // what an empty file takes is not the thread's
	empty, err := os.Stat(path)
	require.NoError(t, err)
	db, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	_, err = grower(t, steps, size).Thread("t", graph.WithStore(db.Checkpoints())).Invoke(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	full, err := os.Stat(path)
	require.NoError(t, err)
	ratio := float64(full.Size()-empty.Size()) / (steps * size)
	t.Logf("%.2f times the content", ratio)
	require.Less(t, ratio, 2.5)
}

func TestADamagedFileIsReportedByName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("no database ", 1000)), 0o600))
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.ErrorIs(t, err, sqlite.ErrDamaged)
}
