package graphtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kbagent/kbagent/graph"
)

// storeTest is one check with its store.
type storeTest struct {
	testing.TB
	store graph.Store
}

func (t *storeTest) ok(err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

func (t *storeTest) fails(err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("the error is %v, want %v", err, want)
	}
}

func (t *storeTest) equal(got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Fatalf("got  %s\nwant %s", g, w)
	}
}

func (t *storeTest) claim(thread string) int64 {
	t.Helper()
	fence, err := t.store.Claim(t.Context(), thread)
	t.ok(err)
	return fence
}

// commit appends entries in one commit.
func (t *storeTest) commit(thread string, fence int64, entries ...graph.Entry) {
	t.Helper()
	t.ok(t.store.Commit(t.Context(), thread, fence, entries))
}

// pend saves pending writes in one call.
func (t *storeTest) pend(thread string, fence int64, writes ...graph.PendingWrite) {
	t.Helper()
	t.ok(t.store.Pend(t.Context(), thread, fence, writes))
}

// tryCommit commits one entry.
func (t *storeTest) tryCommit(ctx context.Context, thread string, fence int64, e graph.Entry) error {
	return t.store.Commit(ctx, thread, fence, []graph.Entry{e})
}

// tryPend saves one pending write.
func (t *storeTest) tryPend(ctx context.Context, thread string, fence int64, w graph.PendingWrite) error {
	return t.store.Pend(ctx, thread, fence, []graph.PendingWrite{w})
}

func (t *storeTest) load(thread string) graph.Record {
	t.Helper()
	rec, err := t.store.Load(t.Context(), thread)
	t.ok(err)
	return rec
}

// log returns the whole log as "seq:data" words.
func (t *storeTest) log(thread string, after int64) string {
	t.Helper()
	var words []string
	for e, err := range t.store.Log(t.Context(), thread, after) {
		t.ok(err)
		words = append(words, fmt.Sprintf("%d:%s", e.Seq, e.Data))
	}
	return strings.Join(words, " ")
}

// fill claims a thread and commits one entry for each word, one at a time.
func (t *storeTest) fill(thread string, words ...string) (fence int64) {
	t.Helper()
	fence = t.claim(thread)
	for i, w := range words {
		t.commit(thread, fence, entry(int64(i+1), w))
	}
	return fence
}

// threads returns the list as "id=seq" words.
func (t *storeTest) threads() string {
	t.Helper()
	var words []string
	for info, err := range t.store.Threads(t.Context()) {
		t.ok(err)
		words = append(words, fmt.Sprintf("%s=%d", info.Thread, info.Seq))
	}
	return strings.Join(words, " ")
}

func entry(seq int64, data string) graph.Entry { return graph.Entry{Seq: seq, Data: []byte(data)} }

func withSnapshot(seq int64, data, snapshot string) graph.Entry {
	return graph.Entry{Seq: seq, Data: []byte(data), Snapshot: []byte(snapshot)}
}

func write(seq int64, key, data string) graph.PendingWrite {
	return graph.PendingWrite{Seq: seq, Key: key, Data: []byte(data)}
}

// show is a record as a line of text.
func show(r graph.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "snapshot %d:%s log", r.SnapshotSeq, r.Snapshot)
	for _, e := range r.Log {
		fmt.Fprintf(&b, " %d:%s", e.Seq, e.Data)
	}
	b.WriteString(" pending")
	for _, w := range r.Pending {
		fmt.Fprintf(&b, " %d/%s:%s", w.Seq, w.Key, w.Data)
	}
	return b.String()
}

// ignore returns nil in place of some errors.
func ignore(err error, some ...error) error {
	for _, e := range some {
		if errors.Is(err, e) {
			return nil
		}
	}
	return err
}
