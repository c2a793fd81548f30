package sqlite_test

import (
	"context"
	"database/sql"
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

// producers is the number of threads that write at once in BenchmarkGroup.
const producers = 64

// BenchmarkGroup compares commits of many threads at once with their floor, one goroutine that drains a channel into
// transactions of prepared INSERTs, all in WAL mode with synchronous=FULL and 64 producers:
//
//	go test -run '^$' -bench Group -count 10 ./store/sqlite
//
// An operation of floor and store is one commit of 1 KB, one of graph is a step whose update is 1 KB.
func BenchmarkGroup(b *testing.B) {
	data := make([]byte, 1<<10)
	b.Run("floor", func(b *testing.B) {
		d := newDrain(b, filepath.Join(b.TempDir(), "floor.db"))
		together(b, func(int) func() error {
			done := make(chan error, 1)
			return func() error {
				d.queue <- insert{data, done}
				return <-done
			}
		})
	})
	b.Run("store", func(b *testing.B) {
		store := openCheckpoints(b, filepath.Join(b.TempDir(), "kb.db"), sqlite.Options{}).Checkpoints()
		together(b, func(p int) func() error {
			thread, seq := strconv.Itoa(p), int64(0)
			fence, err := store.Claim(b.Context(), thread)
			require.NoError(b, err)
			return func() error {
				seq++
				return store.Commit(context.Background(), thread, fence, []graph.Entry{{Seq: seq, Data: data}})
			}
		})
	})
}

// together runs b.N operations on 64 goroutines, each with what open made for it, and reports their rate and latency.
func together(b *testing.B, open func(producer int) func() error) {
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
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
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
