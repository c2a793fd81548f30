package sealed_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// betraying are words of what the app below stores: its nodes, questions and values, and names of the format.
var betraying = []string{"plaintext", `"kind"`, `"step"`, `"node"`, `"writes"`, `"state"`}

func TestNothingButIDsAndNumbersReachesTheStoreInside(t *testing.T) {
	spy := &recorder{Store: graph.NewMemoryStore()}
	live(t, spy, seal(t, spy, keyOf(1)))
	require.Greater(t, len(spy.rows), 20)
	for _, row := range spy.rows {
		for _, word := range betraying {
			require.NotContains(t, row, word)
		}
	}
}

func TestWithoutASealEveryBetrayingWordIsThere(t *testing.T) {
	spy := &recorder{Store: graph.NewMemoryStore()}
	live(t, spy, spy)
	all := strings.Join(spy.rows, "\n")
	for _, word := range betraying {
		require.Contains(t, all, word, "or the test above would find nothing either")
	}
}

// live leads a thread through questions, answers, a copy and a trim, in store, which writes to the spy.
func live(t *testing.T, spy *recorder, store graph.Store) {
	t.Helper()
	g := graph.New[graph.Simple[string]]("secrets")
	ask := g.Node("plaintext node", func(ctx context.Context, _ graph.Simple[string]) (string, error) {
		return graph.Ask[string](ctx, "plaintext key", "plaintext prompt")
	})
	g.Start(ask)
	g.Edge(ask, graph.End)
	app, err := g.Compile()
	require.NoError(t, err)
	thread := app.Thread("one", graph.WithStore(store))
	res, err := thread.Invoke(t.Context(), "plaintext input")
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 1)
	require.NotEmpty(t, load(t, store, "one").Pending, "the question is pending")
	require.NoError(t, store.Copy(t.Context(), "one", "two"))
	res, err = thread.Resume(t.Context(), graph.Reply("plaintext answer"))
	require.NoError(t, err)
	require.Equal(t, "plaintext answer", res.State.Value)
	for range 10 { // so that a snapshot is due
		_, err := thread.Invoke(t.Context(), strings.Repeat("plaintext", 1000))
		require.NoError(t, err)
	}
	require.NotNil(t, load(t, store, "one").Snapshot)
	for e, err := range store.Log(t.Context(), "one", 0) {
		require.NoError(t, err)
		require.NoError(t, store.Trim(t.Context(), "one", graph.Cut{Seq: e.Seq, Old: e.Data, New: []byte("plaintext base")}))
		break
	}
	spy.read(t, "one")
	spy.read(t, "two")
}

// A recorder keeps every byte that a store is given, and on demand every byte that it has.
type recorder struct {
	graph.Store
	rows    []string
	entries []graph.Entry // as they were committed
}

func (r *recorder) keep(rows ...[]byte) {
	for _, row := range rows {
		r.rows = append(r.rows, string(row))
	}
}

// read keeps what the store has of a thread now.
func (r *recorder) read(t *testing.T, thread string) {
	t.Helper()
	rec := load(t, r.Store, thread)
	r.keep(rec.Snapshot)
	for _, w := range rec.Pending {
		r.keep([]byte(w.Key), w.Data)
	}
	for e, err := range r.Log(t.Context(), thread, 0) {
		require.NoError(t, err)
		r.keep(e.Data)
	}
}

func (r *recorder) Commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
	for i := range entries {
		r.keep(entries[i].Data, entries[i].Snapshot)
	}
	r.entries = append(r.entries, entries...)
	return r.Store.Commit(ctx, thread, fence, entries)
}

func (r *recorder) Pend(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
	for i := range writes {
		r.keep([]byte(writes[i].Key), writes[i].Data)
	}
	return r.Store.Pend(ctx, thread, fence, writes)
}

func (r *recorder) Trim(ctx context.Context, thread string, cut graph.Cut) error {
	r.keep(cut.Old, cut.New)
	return r.Store.Trim(ctx, thread, cut)
}
