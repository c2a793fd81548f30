package sqlite_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/sqlite"
)

// The environment of the child: where to work, and at which boundary to die.
const (
	killDir = "SQLITE_KILL_TEST_DIR"
	killAt  = "SQLITE_KILL_TEST_AT"
)

// walk is the state of the graph that is killed.
type walk struct {
	Path []string `json:"path"`
}

func (w walk) Apply(more []string) (walk, error) {
	w.Path = graph.Append(w.Path, more...)
	return w, nil
}

// A process that dies at every boundary: before and after each call of the store, at the start and the end of each node.
func TestAfterSIGKILLAtAnyBoundaryAResumeEndsInTheStateOfAnUndisturbedRun(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process for every boundary")
	}
	want, err := walkApp(t, t.TempDir(), func() {}).Invoke(t.Context(), []string{"in"})
	require.NoError(t, err)
	killed := 0
	for n := 1; ; n++ {
		dir := t.TempDir()
		if !dies(t, dir, n) {
			break
		}
		killed++
		resumeAfterKill(t, dir, n, want.State)
	}
	t.Logf("killed at %d boundaries", killed)
	require.Greater(t, killed, 40)
}

// dies runs the child until its n-th boundary and says whether it was killed there.
func dies(t *testing.T, dir string, n int) bool {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestChildOfTheKillTest$", "-test.count=1")
	cmd.Env = append(os.Environ(), killDir+"="+dir, killAt+"="+strconv.Itoa(n))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "%s", out)
	require.NotContains(t, string(out), "--- FAIL", "the child failed instead of being killed")
	require.NotContains(t, string(out), "panic:", "the child failed instead of being killed")
	return true
}

func resumeAfterKill(t *testing.T, dir string, n int, want walk) {
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "kb.db"), sqlite.Options{})
	require.NoError(t, err)
	defer db.Close()
	stored := storedTasks(t, db.Checkpoints())
	before := len(journal(t, dir))
	thread := walkApp(t, dir, func() {}).Thread("t", graph.WithStore(db.Checkpoints()))
	res, err := thread.Resume(t.Context())
	if errors.Is(err, graph.ErrNothingToResume) {
		require.Empty(t, stored)
		res, err = thread.Invoke(t.Context(), []string{"in"})
	}
	require.NoError(t, err, "boundary %d", n)
	require.Equal(t, want, res.State, "boundary %d", n)
	for _, key := range journal(t, dir)[before:] {
		require.NotContains(t, stored, key, "boundary %d: a committed task ran again", n)
	}
	head, err := thread.Head(t.Context())
	require.NoError(t, err)
	require.True(t, head.Done)
	require.Equal(t, want, head.State)
}

// TestChildOfTheKillTest is the process that dies.
func TestChildOfTheKillTest(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" {
		t.Skip("runs only as a child of the kill test")
	}
	at, err := strconv.ParseInt(os.Getenv(killAt), 10, 64)
	require.NoError(t, err)
	var passed atomic.Int64
	boundary := func() {
		if passed.Add(1) == at {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill() // SIGKILL: nothing is flushed, nothing deferred runs
			}
			panic(fmt.Sprint("still alive: ", err))
		}
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "kb.db"), sqlite.Options{})
	require.NoError(t, err)
	defer db.Close()
	store := boundaryStore{db.Checkpoints(), boundary}
	_, err = walkApp(t, dir, boundary).Thread("t", graph.WithStore(store)).Invoke(t.Context(), []string{"in"})
	require.NoError(t, err)
}

// boundaryStore calls boundary before and after every call that a run makes.
type boundaryStore struct {
	graph.Store
	boundary func()
}

func (b boundaryStore) Claim(ctx context.Context, thread string) (int64, error) {
	b.boundary()
	defer b.boundary()
	return b.Store.Claim(ctx, thread)
}

func (b boundaryStore) Load(ctx context.Context, thread string) (graph.Record, error) {
	b.boundary()
	defer b.boundary()
	return b.Store.Load(ctx, thread)
}

func (b boundaryStore) Commit(ctx context.Context, thread string, fence int64, e []graph.Entry) error {
	b.boundary()
	defer b.boundary()
	return b.Store.Commit(ctx, thread, fence, e)
}

func (b boundaryStore) Pend(ctx context.Context, thread string, fence int64, w []graph.PendingWrite) error {
	b.boundary()
	defer b.boundary()
	return b.Store.Pend(ctx, thread, fence, w)
}

// walkApp has a chain, two Sends beside a plain node, a join, a loop and a snapshot (its updates are large).
// Every node writes the key of its task to a file before it does anything else.
func walkApp(t *testing.T, dir string, boundary func()) *graph.App[walk, []string] {
	t.Helper()
	note := func(ctx context.Context, word string) ([]string, error) {
		boundary()
		defer boundary()
		info, _ := graph.InfoFrom(ctx)
		f, err := os.OpenFile(filepath.Join(dir, "journal"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, err
		}
		_, err = fmt.Fprintln(f, info.Key)
		return []string{word + strings.Repeat(".", 4000)}, errors.Join(err, f.Close())
	}
	plain := func(name string) graph.NodeFunc[walk, []string] {
		return func(ctx context.Context, _ walk) ([]string, error) { return note(ctx, name) }
	}
	g := graph.New[walk]("walk")
	begin := g.Node("begin", plain("begin"))
	fetch := graph.Work(g, "fetch", func(ctx context.Context, _ walk, url string) ([]string, error) { return note(ctx, url) })
	split := g.Dynamic("split", func(ctx context.Context, _ walk) (c graph.Command[[]string], err error) {
		c.Update, err = note(ctx, "split")
		c.Sends = []graph.Send{fetch.Send("one"), fetch.Send("two")}
		return c, err
	})
	side, sum := g.Node("side", plain("side")), g.Node("sum", plain("sum"))
	g.Start(begin)
	g.Edge(begin, split)
	g.Edge(begin, side)
	g.Targets(split, fetch.Node)
	g.Join(sum, fetch.Node, side)
	graph.Route(g, sum, func(w walk) string {
		if len(w.Path) < 8 {
			return "again"
		}
		return "done"
	}, graph.Case("again", begin), graph.Case("done", graph.End))
	app, err := g.Compile(graph.MaxConcurrency(2))
	require.NoError(t, err)
	return app
}

func journal(t *testing.T, dir string) []string {
	data, err := os.ReadFile(filepath.Join(dir, "journal"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	return strings.Fields(string(data))
}

// storedTasks lists the keys of the tasks whose writes are stored, pending ones included.
func storedTasks(t *testing.T, store graph.Store) []string {
	type row struct {
		Run, Step int
		Task      string
		Writes    []struct{ Task string }
	}
	var keys []string
	read := func(data []byte, pending bool) {
		var r row
		require.NoError(t, json.Unmarshal(data, &r))
		if pending {
			r.Writes = append(r.Writes, struct{ Task string }{r.Task})
		}
		for _, w := range r.Writes {
			keys = append(keys, fmt.Sprintf("t/%d/%d/%s", r.Run, r.Step, w.Task))
		}
	}
	for e, err := range store.Log(t.Context(), "t", 0) {
		require.NoError(t, err)
		read(e.Data, false)
	}
	rec, err := store.Load(t.Context(), "t")
	require.NoError(t, err)
	for _, w := range rec.Pending {
		read(w.Data, true)
	}
	return keys
}
