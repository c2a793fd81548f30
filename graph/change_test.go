package graph_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Rule 28.
func TestResumingOnAChangedTopologyIsRefusedUnlessAllowed(t *testing.T) {
	store := graph.NewMemoryStore()
	broken := true
	build := func(label verdict, name string) *graph.App[trail, step] {
		return compile(t, func(g *graph.Graph[trail, step]) {
			a, b := g.Node("a", say("a")), g.Node(name, failing(name, &broken))
			g.Start(a)
			g.Edge(a, b)
			graph.Route(g, b, func(trail) verdict { return label }, graph.Case(label, graph.End))
		})
	}
	old := build(good, "b").Thread("t", graph.WithStore(store))
	_, err := old.Invoke(t.Context(), step{})
	require.ErrorIs(t, err, errBoom)

	changed := build(again, "b")
	_, err = changed.Thread("t", graph.WithStore(store)).Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrGraphChanged)
	assert.ErrorContains(t, err, changed.Fingerprint())

	renamed := build(good, "bb").Thread("t", graph.WithStore(store), graph.AllowGraphChange())
	_, err = renamed.Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrGraphChanged)
	assert.ErrorContains(t, err, `no node "b"`)

	allowed := changed.Thread("t", graph.WithStore(store), graph.AllowGraphChange())
	_, err = allowed.Resume(t.Context())
	require.ErrorIs(t, err, errBoom)
	broken = false
	res, err := allowed.Resume(t.Context())
	require.NoError(t, err)
	graphtest.Path(t, res.State.Path, "a", "b")

	res, err = build(good, "other").Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
	require.NoError(t, err, "a new input needs no permission")
	graphtest.Path(t, res.State.Path, "a", "b", "a", "other")
}

// Rule 28.
func TestAStepOnAnAllowedChangedGraphRecordsTheNewFingerprint(t *testing.T) {
	store := graph.NewMemoryStore()
	build := func(name string) *graph.App[trail, step] {
		return compile(t, func(g *graph.Graph[trail, step]) {
			a, b := g.Node("a", say("a")), g.Node(name, say(name))
			g.Start(a)
			graph.Route(g, a, func(trail) verdict { return again }, graph.Case(again, a), graph.Case(good, b))
			g.Edge(b, graph.End)
		}, graph.MaxSteps(2))
	}
	_, err := build("b").Thread("t", graph.WithStore(store)).Invoke(t.Context(), step{})
	require.ErrorIs(t, err, graph.ErrStepLimit)
	_, err = build("c").Thread("t", graph.WithStore(store), graph.AllowGraphChange()).Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrStepLimit)
	_, err = build("c").Thread("t", graph.WithStore(store)).Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrStepLimit, "the thread is of graph c now")
	_, err = build("b").Thread("t", graph.WithStore(store)).Resume(t.Context())
	require.ErrorIs(t, err, graph.ErrGraphChanged)
}

// Rule 28.
func TestUnknownVersionsAndDamagedRowsAreTypedErrorsThatNameTheRow(t *testing.T) {
	app := twins(t, say("a"), func(context.Context, trail) (step, error) { return step{}, errBoom })
	cases := []struct {
		name  string
		plant func(t *testing.T, s graph.Store, fence, seq int64) error
		want  error
		row   string
	}{
		{"an entry that is not JSON", plantEntry(`{"v":1,`), graph.ErrDamaged, "entry 2"},
		{"an entry without a version", plantEntry(`{"kind":"step"}`), graph.ErrDamaged, "entry 2"},
		{"an entry of a later version", plantEntry(`{"v":2,"news":true}`), graph.ErrNewerFormat, "entry 2"},
		{"an entry of an unknown kind", plantEntry(`{"v":1,"kind":"surprise"}`), graph.ErrDamaged, "entry 2"},
		{"an update of another type", plantEntry(`{"v":1,"kind":"step","writes":[{"task":"a","node":"a","update":{"path":7}}]}`), graph.ErrDamaged, "entry 2"},
		{"an update that does not apply any more", plantEntry(`{"v":1,"kind":"step","writes":[{"task":"a","node":"a","update":{"path":["poison"]}}]}`), errPoison, "entry 2"},
		{"a snapshot of a later version", plantSnapshot(`{"v":9}`), graph.ErrNewerFormat, "snapshot 2"},
		{"a snapshot without a state", plantSnapshot(`{"v":1}`), graph.ErrDamaged, "snapshot 2"},
		{"a pending write that is not JSON", plantPending(`oops`), graph.ErrDamaged, "pending write a 2"},
		{"a pending write of a later version", plantPending(`{"v":2}`), graph.ErrNewerFormat, "pending write a 2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			store := graph.NewMemoryStore()
			thread := app.Thread("t", graph.WithStore(store))
			_, err := thread.Invoke(t.Context(), step{})
			require.ErrorIs(t, err, errBoom)
			fence, err := store.Claim(t.Context(), "t")
			require.NoError(t, err)
			require.NoError(t, c.plant(t, store, fence, 2))
			for _, use := range []func() error{
				func() error { _, err := thread.Resume(t.Context()); return err },
				func() error { _, err := thread.Head(t.Context()); return err },
				func() error { _, err := thread.Invoke(t.Context(), step{}); return err },
			} {
				err := use()
				require.ErrorIs(t, err, c.want)
				var row *graph.RowError
				require.ErrorAs(t, err, &row)
				assert.Equal(t, "t", row.Thread)
				assert.ErrorContains(t, err, c.row)
			}
		})
	}
}

func plantEntry(data string) func(*testing.T, graph.Store, int64, int64) error {
	return func(t *testing.T, s graph.Store, fence, seq int64) error {
		return s.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: seq, Data: []byte(data), Settles: true}})
	}
}

func plantSnapshot(data string) func(*testing.T, graph.Store, int64, int64) error {
	return func(t *testing.T, s graph.Store, fence, seq int64) error {
		return s.Commit(t.Context(), "t", fence, []graph.Entry{{Seq: seq, Data: []byte(`{"v":1,"kind":"step"}`), Snapshot: []byte(data)}})
	}
}

func plantPending(data string) func(*testing.T, graph.Store, int64, int64) error {
	return func(t *testing.T, s graph.Store, fence, seq int64) error {
		return s.Pend(t.Context(), "t", fence, []graph.PendingWrite{{Seq: seq, Key: "a", Data: []byte(data)}})
	}
}

// Rule 28.
func TestAMissingEntryIsNoticed(t *testing.T) {
	store := &spy{Store: graph.NewMemoryStore()}
	thread := chain(t, nil, "a", "b").Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(t.Context(), step{})
	require.NoError(t, err)
	store.twist = func(rec *graph.Record) { rec.Log = slices.Delete(rec.Log, 1, 2) }
	_, err = thread.Head(t.Context())
	var row *graph.RowError
	require.ErrorAs(t, err, &row)
	require.ErrorIs(t, err, graph.ErrDamaged)
	assert.ErrorContains(t, err, "entry 2 is missing")
}
