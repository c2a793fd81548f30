package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/sqlite"
)

const (
	producers = 64 // threads that write at once in BenchmarkGroupCommit
	runSteps  = 50 // steps of one of its graph's runs
)

// BenchmarkGroupCommit compares commits of many threads at once with their floor, one goroutine that drains a channel into
// transactions of prepared INSERTs, all in WAL mode with synchronous=FULL and 64 producers:
//
//	go test -run '^$' -bench GroupCommit -count 10 ./store/sqlite
//
// Each commit is of 1 KB. An operation of floor and store is one commit; one of graph is the run of a new thread, whose
// input and steps are a commit each and which claims and loads besides.
func BenchmarkGroupCommit(b *testing.B) {
	data := make([]byte, 1<<10)
	b.Run("floor", func(b *testing.B) {
		d := newDrain(b, filepath.Join(b.TempDir(), "floor.db"))
		together(b, 1, func(int) func() error {
			done := make(chan error, 1)
			return func() error {
				d.queue <- insert{data, done}
				return <-done
			}
		})
	})
	b.Run("store", func(b *testing.B) {
		store := openCheckpoints(b, filepath.Join(b.TempDir(), "kb.db"), sqlite.Options{}).Checkpoints()
		together(b, 1, func(p int) func() error {
			thread, seq := strconv.Itoa(p), int64(0)
			fence, err := store.Claim(b.Context(), thread)
			require.NoError(b, err)
			return func() error {
				seq++
				return store.Commit(context.Background(), thread, fence, []graph.Entry{{Seq: seq, Data: data}})
			}
		})
	})
	b.Run("graph", func(b *testing.B) {
		app := repeater(b, string(bytes.Repeat([]byte("x"), len(data))))
		store := openCheckpoints(b, filepath.Join(b.TempDir(), "kb.db"), sqlite.Options{}).Checkpoints()
		together(b, 1+runSteps, func(p int) func() error {
			n := 0
			return func() error {
				n++
				_, err := app.Thread(fmt.Sprint(p, " ", n), graph.WithStore(store)).Invoke(context.Background(), repeated{})
				return err
			}
		})
	})
}

// repeated is a state whose updates are as large as itself.
type repeated struct {
	Steps int    `json:"steps"`
	Text  string `json:"text"`
}

// Apply replaces the text.
func (r repeated) Apply(u repeated) (repeated, error) {
	return repeated{r.Steps + u.Steps, u.Text}, nil
}

// repeater is a graph whose runs have runSteps steps, each with an update of text.
func repeater(b *testing.B, text string) *graph.App[repeated, repeated] {
	g := graph.New[repeated]("repeater")
	repeat := g.Node("repeat", func(context.Context, repeated) (repeated, error) { return repeated{1, text}, nil })
	g.Start(repeat)
	graph.Route(g, repeat, func(r repeated) string {
		if r.Steps < runSteps {
			return "again"
		}
		return "done"
	}, graph.Case("again", repeat), graph.Case("done", graph.End))
	app, err := g.Compile(graph.MaxSteps(runSteps))
	require.NoError(b, err)
	return app
}

// together runs b.N operations on 64 goroutines, each with what open made for it. It reports the rate of the commits, of
// which an operation makes some, and the latency of an operation.
func together(b *testing.B, commits int, open func(producer int) func() error) {
	ops := make([]func() error, producers)
	for p := range ops {
		ops[p] = open(p)
	}
	var (
		wg    sync.WaitGroup
		left  atomic.Int64
		times = make([][]time.Duration, producers)
	)
	left.Store(int64(b.N))
	b.ResetTimer()
	for p, op := range ops {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				start := time.Now()
				if err := op(); err != nil {
					b.Error(err)
					return
				}
				times[p] = append(times[p], time.Since(start))
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	all := slices.Concat(times...)
	slices.Sort(all)
	b.ReportMetric(float64(b.N*commits)/b.Elapsed().Seconds(), "commits/s")
	unit := "p99-ms"
	if commits > 1 {
		unit = "p99-run-ms"
	}
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, unit)
}

// A drain is the floor: one goroutine that puts everything that waits in its channel into one transaction.
type drain struct {
	db     *sql.DB
	insert *sql.Stmt
	queue  chan insert
	id     int
}

type insert struct {
	data []byte
	done chan<- error
}

func newDrain(b *testing.B, path string) *drain {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
	require.NoError(b, err)
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE log (id INTEGER PRIMARY KEY, data BLOB NOT NULL)`)
	require.NoError(b, err)
	d := &drain{db: db, queue: make(chan insert, producers)}
	d.insert, err = db.Prepare(`INSERT INTO log (id, data) VALUES (?, ?)`)
	require.NoError(b, err)
	var wg sync.WaitGroup
	wg.Go(d.run)
	b.Cleanup(func() {
		close(d.queue)
		wg.Wait()
		require.NoError(b, db.Close())
	})
	return d
}

func (d *drain) run() {
	for first := range d.queue {
		waiting, err := d.transaction(first)
		for _, done := range waiting {
			done <- err
		}
	}
}

// transaction inserts first and all that has come meanwhile.
func (d *drain) transaction(first insert) (waiting []chan<- error, err error) {
	tx, err := d.db.Begin()
	if err != nil {
		return []chan<- error{first.done}, err
	}
	stmt := tx.Stmt(d.insert)
	for next, more := first, true; more; {
		d.id++
		_, e := stmt.Exec(d.id, next.data)
		waiting, err = append(waiting, next.done), firstOf(err, e)
		select {
		case next, more = <-d.queue:
		default:
			more = false
		}
	}
	return waiting, firstOf(err, tx.Commit())
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
