package graphtest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kbagent/kbagent/graph"
)

// boundaryFile tells a process that it is the one to be killed, and at which boundary. It lies in its working directory.
const boundaryFile = "graphtest-kill-at"

// Kill checks that a run on a store goes on after its process was killed (SIGKILL) at any boundary: before and after each
// call of the store, at the start and at the end of each node, inside of a fan-out, around a snapshot, while it waits for a
// person, in a sub-graph, while its log is pruned. What the store has confirmed is there then; a resume runs no
// task whose result was stored, and no effect of a Once that was; it runs all others, and ends in the state of an undisturbed run.
//
// Each boundary gets a folder and a process of its own, which is the test binary, running nothing but the test that has
// called Kill. open opens the store that belongs to a folder: each time the same one, in whichever process it is called.
// It closes it with t.Cleanup. Kill takes a process start for each of some 120 boundaries and is skipped with -short.
func Kill(t *testing.T, open func(t *testing.T, dir string) graph.Store) {
	if at, err := os.ReadFile(boundaryFile); err == nil {
		dieAt(t, string(at), open)
		return
	}
	if testing.Short() {
		t.Skip("starts a process for every boundary")
	}
	want, err := drive(t.Context(), walkApp(t, t.TempDir(), func() {}).Thread("t"))
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for dir := t.TempDir(); dies(t, dir, killed+1); dir = t.TempDir() {
		killed++
		resumeAfterKill(t, dir, killed, open, want)
	}
	if killed < 100 {
		t.Fatalf("the process was killed at %d boundaries only", killed)
	}
	t.Logf("killed at %d boundaries", killed)
}

// dies runs a process until its n-th boundary and says whether it was killed there.
func dies(t *testing.T, dir string, n int) bool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, boundaryFile), []byte(strconv.Itoa(n)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^"+t.Name()+"$", "-test.count=1", "-test.v=false")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || strings.Contains(string(out), "--- FAIL") || strings.Contains(string(out), "panic:") {
		t.Fatalf("boundary %d: the process was to be killed: %v %v\n%s", n, err, exit, out)
	}
	return true
}

// dieAt runs the graph and ends this process at its boundary.
func dieAt(t *testing.T, at string, open func(t *testing.T, dir string) graph.Store) {
	t.Helper()
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	var passed atomic.Int64
	boundary := func() {
		if passed.Add(1) == n {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill() // nothing is flushed, nothing deferred runs
			}
			if err != nil {
				panic(err)
			}
			select {}
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	thread := walkApp(t, dir, boundary).Thread("t", graph.WithStore(boundaryStore{open(t, dir), boundary, dir}))
	if _, err := drive(t.Context(), thread); err != nil {
		t.Fatal(err)
	}
}

// keptEntries is what is left of the log in the end.
const keptEntries = 3

// drive brings a thread from wherever it stands to its end: it runs, waits for a person, goes on with the answer, and prunes.
func drive(ctx context.Context, thread *graph.Thread[walk, []string]) (walk, error) {
	for {
		head, err := thread.Head(ctx)
		switch {
		case err != nil:
		case !head.Exists:
			_, err = thread.Invoke(ctx, []string{"in"})
		case len(head.Interrupts) > 0:
			_, err = thread.Resume(ctx, graph.Reply("yes"))
		case !head.Done:
			_, err = thread.Resume(ctx)
		default:
			_, err = thread.Prune(ctx, graph.Keep{Last: keptEntries})
			return head.State, err
		}
		if err != nil {
			return walk{}, err
		}
	}
}

func resumeAfterKill(t *testing.T, dir string, n int, open func(t *testing.T, dir string) graph.Store, want walk) {
	t.Helper()
	store := open(t, dir)
	stored := storedTasks(t, store)
	done := false
	for _, confirmed := range words(t, dir, confirmedFile) {
		done = done || strings.HasPrefix(confirmed, onceNote)
		settled := strings.HasPrefix(confirmed, onceNote) || slices.Contains(stored, trimmed) // it need not be there any more
		if !settled && !slices.Contains(stored, confirmed) {
			t.Fatalf("boundary %d: the store has confirmed %s and does not have it; it has %q", n, confirmed, stored)
		}
	}
	before, effects := len(words(t, dir, journalFile)), len(words(t, dir, effectFile))
	thread := walkApp(t, dir, func() {}).Thread("t", graph.WithStore(store))
	state, err := drive(t.Context(), thread)
	if err != nil {
		t.Fatalf("boundary %d: %v", n, err)
	}
	if !slices.Equal(state.Path, want.Path) {
		t.Fatalf("boundary %d: the run ends in another state:\ngot  %.20q\nwant %.20q", n, state.Path, want.Path)
	}
	for _, key := range words(t, dir, journalFile)[before:] {
		if slices.Contains(stored, key) {
			t.Errorf("boundary %d: task %s was stored and ran again", n, key)
		}
	}
	if done && len(words(t, dir, effectFile)) != effects {
		t.Errorf("boundary %d: the result of a Once was stored, and its effect was repeated", n)
	}
	head, err := thread.Head(t.Context())
	if err != nil || !head.Done || !slices.Equal(head.State.Path, want.Path) {
		t.Fatalf("boundary %d: the thread is not stored as it ended: done %v, %v", n, head.Done, err)
	}
	kept := 0
	for _, err := range thread.History(t.Context()) {
		if kept++; err != nil {
			t.Fatalf("boundary %d: %v", n, err)
		}
	}
	if kept != keptEntries {
		t.Errorf("boundary %d: %d checkpoints are left, want %d", n, kept, keptEntries)
	}
}

// boundaryStore calls boundary before and after every call that a run makes, and writes down what was confirmed.
type boundaryStore struct {
	graph.Store
	boundary func()
	dir      string
}

// Unwrap lets leases through.
func (b boundaryStore) Unwrap() graph.Store { return b.Store }

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

func (b boundaryStore) Commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
	b.boundary()
	defer b.boundary()
	if err := b.Store.Commit(ctx, thread, fence, entries); err != nil {
		return err
	}
	var keys []string
	for _, e := range entries {
		more, err := taskKeys(thread, e.Data)
		if err != nil {
			return err
		}
		keys = append(keys, more...)
	}
	return appendWords(b.dir, confirmedFile, keys...)
}

func (b boundaryStore) Pend(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
	b.boundary()
	defer b.boundary()
	if err := b.Store.Pend(ctx, thread, fence, writes); err != nil {
		return err
	}
	var keys []string
	for _, w := range writes {
		more, err := taskKeys(thread, w.Data)
		if err != nil {
			return err
		}
		keys = append(keys, more...)
	}
	return appendWords(b.dir, confirmedFile, keys...)
}

func (b boundaryStore) Trim(ctx context.Context, thread string, cut graph.Cut) error {
	b.boundary()
	defer b.boundary()
	return b.Store.Trim(ctx, thread, cut)
}

func (b boundaryStore) Delete(ctx context.Context, thread string) error {
	b.boundary()
	defer b.boundary()
	return b.Store.Delete(ctx, thread)
}
