package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// Three versions of one state: a text became a list of lines, and then the list got another name.
type (
	textState struct {
		Text string `json:"text"`
	}
	textUpdate struct {
		Add string `json:"add"`
	}
	lineState struct {
		Lines []string `json:"lines"`
	}
	lineUpdate struct {
		Add []string `json:"add"`
	}
	wordState struct {
		Words []string `json:"words"`
	}
	wordUpdate struct {
		Words []string `json:"words"`
	}
)

func (s textState) Apply(u textUpdate) (textState, error) {
	return textState{strings.TrimPrefix(s.Text+";"+u.Add, ";")}, nil
}

func (s lineState) Apply(u lineUpdate) (lineState, error) {
	return lineState{graph.Append(s.Lines, u.Add...)}, nil
}

func (s wordState) Apply(u wordUpdate) (wordState, error) {
	return wordState{graph.Append(s.Words, u.Words...)}, nil
}

// toLines splits a text, toWords renames the list.
var (
	toLines = graph.Migration{
		State: func(data json.RawMessage) (json.RawMessage, error) {
			var old textState
			err := json.Unmarshal(data, &old)
			return encoded(lineState{strings.Split(old.Text, ";")}), err
		},
		Update: func(data json.RawMessage) (json.RawMessage, error) {
			var old textUpdate
			err := json.Unmarshal(data, &old)
			return encoded(lineUpdate{[]string{old.Add}}), err
		},
	}
	toWords = graph.Migration{
		State: func(data json.RawMessage) (json.RawMessage, error) {
			var old lineState
			err := json.Unmarshal(data, &old)
			return encoded(wordState{old.Lines}), err
		},
		Update: func(data json.RawMessage) (json.RawMessage, error) {
			var old lineUpdate
			err := json.Unmarshal(data, &old)
			return encoded(wordUpdate{old.Add}), err
		},
	}
)

func encoded(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// versioned is one graph in all versions: a first node, then one that finishes beside one that asks, then a last one.
func versioned[S graph.Reducer[S, U], U any](t testing.TB, j *graphtest.Journal, says func(string) U, opts ...graph.Option) *graph.App[S, U] {
	return compile(t, func(g *graph.Graph[S, U]) {
		note := func(name string) graph.Node {
			return g.Node(name, func(ctx context.Context, _ S) (U, error) {
				j.Note(ctx)
				return says(name), nil
			})
		}
		begin, work := note("begin"), note("work")
		ask := g.Node("ask", func(ctx context.Context, _ S) (U, error) {
			j.Note(ctx)
			answer, err := graph.Ask[string](ctx, "q", "which?")
			return says(answer), err
		})
		last := note("last")
		g.Start(begin)
		g.Edge(begin, work)
		g.Edge(begin, ask)
		g.Join(last, work, ask)
		g.Edge(last, graph.End)
	}, append(opts, graph.MaxConcurrency(1))...)
}

func askingText(t testing.TB, j *graphtest.Journal) *graph.App[textState, textUpdate] {
	return versioned[textState](t, j, func(s string) textUpdate { return textUpdate{s} })
}

func askingWords(t testing.TB, j *graphtest.Journal, migrations ...graph.Migration) *graph.App[wordState, wordUpdate] {
	return versioned[wordState](t, j, func(s string) wordUpdate { return wordUpdate{[]string{s}} }, graph.StateVersion(len(migrations)+1, migrations...))
}

// stopped is a store with a thread that version 1 has left in the middle: it was forked, so that there is a whole state in
// its log and a snapshot, and in its unfinished step one task has finished and one has asked.
func stopped(t testing.TB) *graph.MemoryStore {
	store := graph.NewMemoryStore()
	ctx := graph.WithClock(t.Context(), graphtest.NewClock(noon))
	thread := askingText(t, new(graphtest.Journal)).Thread("t", graph.WithStore(store))
	_, err := thread.Invoke(ctx, textUpdate{"in"})
	require.NoError(t, err)
	_, err = thread.Fork(ctx, 2)
	require.NoError(t, err)
	res, err := thread.Resume(ctx)
	require.NoError(t, err)
	require.Len(t, res.Interrupts, 1)
	return store
}

// dump writes down all rows of the thread t.
func dump(t testing.TB, store graph.Store) string {
	var b strings.Builder
	for e, err := range store.Log(t.Context(), "t", 0) {
		require.NoError(t, err)
		fmt.Fprintf(&b, "entry %d %s\n", e.Seq, e.Data)
	}
	rec, err := store.Load(t.Context(), "t")
	require.NoError(t, err)
	if rec.SnapshotSeq > 0 {
		fmt.Fprintf(&b, "snapshot %d %s\n", rec.SnapshotSeq, rec.Snapshot)
	}
	for _, w := range rec.Pending {
		fmt.Fprintf(&b, "pending %s %s\n", w.Key, w.Data)
	}
	return b.String()
}

// undump is a store with the rows that dump has written into testdata, except those that twist makes empty.
func undump(t testing.TB, name string, twist func(kind, row string) string) *graph.MemoryStore {
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	var entries []graph.Entry
	var pending []graph.PendingWrite
	for line := range strings.Lines(string(data)) {
		part := strings.SplitN(strings.TrimSpace(line), " ", 3)
		require.Len(t, part, 3)
		row := []byte(twist(part[0], part[2]))
		if len(row) == 0 {
			continue
		}
		switch part[0] {
		case "entry":
			entries = append(entries, graph.Entry{Seq: int64(len(entries) + 1), Data: row})
		case "snapshot":
			seq, err := strconv.Atoi(part[1])
			require.NoError(t, err)
			entries[seq-1].Snapshot = row
		case "pending":
			pending = append(pending, graph.PendingWrite{Key: part[1], Data: row})
		}
	}
	for i := range pending {
		pending[i].Seq = int64(len(entries) + 1)
	}
	store := graph.NewMemoryStore()
	fence, err := store.Claim(t.Context(), "t")
	require.NoError(t, err)
	require.NoError(t, store.Commit(t.Context(), "t", fence, entries))
	if len(pending) > 0 {
		require.NoError(t, store.Pend(t.Context(), "t", fence, pending))
	}
	return store
}

func asIs(_, row string) string { return row }
