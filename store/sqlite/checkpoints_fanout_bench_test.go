package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/sqlite"
)

// BenchmarkPending compares runs whose steps fan out, so that each task's write is stored before the step is, with their
// floor: one prepared INSERT of the same bytes, in its own transaction, for every entry and every pending write. Both are in
// WAL mode with synchronous=NORMAL:
//
//	go test -run '^$' -bench Pending -count 10 ./store/sqlite
func BenchmarkPending(b *testing.B) {
	const rounds, width = 50, 8
	app := fanApp(b, rounds, width)
	sizes := writeSizes(b, app)
	b.Run("floor", func(b *testing.B) {
		insert := floorInsert(b)
		id := 0
		for b.Loop() {
			for _, size := range sizes {
				id++
				if _, err := insert.Exec(id, make([]byte, size)); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(sizes)), "ns/write")
	})
	b.Run("graph", func(b *testing.B) {
		store := openCheckpoints(b, filepath.Join(b.TempDir(), "kb.db"), sqlite.Options{Synchronous: "NORMAL"}).Checkpoints()
		n := 0
		for b.Loop() {
			n++
			if _, err := app.Thread(strconv.Itoa(n), graph.WithStore(store)).Invoke(b.Context(), ""); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(sizes)), "ns/write")
	})
}

// floorInsert is a prepared INSERT into a new file.
func floorInsert(b *testing.B) *sql.Stmt {
	path := filepath.Join(b.TempDir(), "floor.db")
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=busy_timeout(10000)&_txlock=immediate")
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE log (id INTEGER PRIMARY KEY, data BLOB NOT NULL)`)
	require.NoError(b, err)
	insert, err := db.Prepare(`INSERT INTO log (id, data) VALUES (?, ?)`)
	require.NoError(b, err)
	return insert
}

// fanApp runs width tasks at once, and that as often as rounds says.
func fanApp(b *testing.B, rounds, width int) *graph.App[counter, string] {
	g := graph.New[counter]("fan")
	split := g.Node("split", func(context.Context, counter) (string, error) { return "split", nil })
	tasks := make([]graph.Node, width)
	for i := range tasks {
		tasks[i] = g.Node(fmt.Sprint("task ", i), func(_ context.Context, c counter) (string, error) { return fmt.Sprint("line ", c.Count&15), nil })
	}
	g.Start(split)
	graph.Route(g, split, func(c counter) string {
		if c.Count < rounds*(width+1) {
			return "again"
		}
		return "done"
	}, graph.Case("again", tasks...), graph.Case("done", graph.End))
	for _, task := range tasks {
		g.Edge(task, split)
	}
	app, err := g.Compile(graph.MaxSteps(3 * rounds))
	require.NoError(b, err)
	return app
}

// writeSizes lists the sizes of all entries and pending writes of a run.
func writeSizes(b *testing.B, app *graph.App[counter, string]) []int {
	store := &sizeStore{Store: graph.NewMemoryStore()}
	_, err := app.Thread("t", graph.WithStore(store)).Invoke(b.Context(), "")
	require.NoError(b, err)
	return store.sizes
}

// sizeStore notes the sizes of what is written.
type sizeStore struct {
	graph.Store
	mu    sync.Mutex
	sizes []int
}

func (s *sizeStore) note(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes = append(s.sizes, len(data))
}

func (s *sizeStore) Commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
	for _, e := range entries {
		s.note(e.Data)
	}
	return s.Store.Commit(ctx, thread, fence, entries)
}

func (s *sizeStore) Pend(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
	for _, w := range writes {
		s.note(w.Data)
	}
	return s.Store.Pend(ctx, thread, fence, writes)
}
