package graphtest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kbagent/kbagent/graph"
)

// Benchmarks measures a store: what every store has to do, with entries of 1 KB. open must return a fresh, empty store each
// time and close it with b.Cleanup. Run it beside a floor of the same technology:
//
//	func BenchmarkStore(b *testing.B) { graphtest.Benchmarks(b, open) }
func Benchmarks(b *testing.B, open func(b *testing.B) graph.Store) {
	b.Run("commit", func(b *testing.B) { benchCommit(b, open(b), 1) })
	b.Run("commit-64-threads", func(b *testing.B) { benchCommit(b, open(b), 64) })
	b.Run("pend-8-and-commit", func(b *testing.B) { benchPend(b, open(b)) })
	b.Run("load-1000-steps", func(b *testing.B) { benchLoad(b, open(b), 1000) })
	b.Run("waiting-10000-threads", func(b *testing.B) { Waiting(b, open(b), 10_000) })
}

var kilobyte = make([]byte, 1024)

// benchCommit commits on several threads at once and reports commits a second and the latency of one.
func benchCommit(b *testing.B, store graph.Store, threads int) {
	ctx := b.Context()
	fences := make([]int64, threads)
	for i := range fences {
		fences[i] = claim(b, store, strconv.Itoa(i))
	}
	var next atomic.Int64
	var mu sync.Mutex
	var all []time.Duration
	b.ResetTimer()
	var wg sync.WaitGroup
	for i := range threads {
		wg.Go(func() {
			var took []time.Duration
			for seq := int64(1); next.Add(1) <= int64(b.N); seq++ {
				begin := time.Now()
				if err := store.Commit(ctx, strconv.Itoa(i), fences[i], []graph.Entry{{Seq: seq, Data: kilobyte}}); err != nil {
					b.Error(err)
					return
				}
				took = append(took, time.Since(begin))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
	reportLatency(b, all)
}

// benchPend does what a parallel step of eight tasks does.
func benchPend(b *testing.B, store graph.Store) {
	fence := claim(b, store, "t")
	for seq := int64(1); seq <= int64(b.N); seq++ {
		for task := range 8 {
			w := graph.PendingWrite{Seq: seq, Key: "task#" + strconv.Itoa(task), Data: kilobyte[:128]}
			if err := store.Pend(b.Context(), "t", fence, []graph.PendingWrite{w}); err != nil {
				b.Fatal(err)
			}
		}
		if err := store.Commit(b.Context(), "t", fence, []graph.Entry{{Seq: seq, Data: kilobyte, Settles: true}}); err != nil {
			b.Fatal(err)
		}
	}
}

// benchLoad loads a thread with a snapshot and twenty entries behind it.
func benchLoad(b *testing.B, store graph.Store, steps int) {
	fence := claim(b, store, "t")
	for seq := 1; seq <= steps; seq++ {
		e := graph.Entry{Seq: int64(seq), Data: kilobyte}
		if seq == steps-20 {
			e.Snapshot = kilobyte
		}
		if err := store.Commit(b.Context(), "t", fence, []graph.Entry{e}); err != nil {
			b.Fatal(err)
		}
	}
	b.ResetTimer()
	for range b.N {
		rec, err := store.Load(b.Context(), "t")
		if err != nil || len(rec.Log) != 20 {
			b.Fatal(len(rec.Log), err)
		}
	}
}

// Waiting starts n threads that each end with an open question, and reports the memory that they take in this process
// (B/thread, after a garbage collection) and the latency of a Resume with the answer (p50 and p99, one at a time).
func Waiting(b *testing.B, store graph.Store, n int) {
	app := askingApp(b)
	before := heap()
	for i := range n {
		res, err := app.Thread(strconv.Itoa(i), graph.WithStore(store)).Invoke(b.Context(), "")
		if err != nil || len(res.Interrupts) != 1 {
			b.Fatal(res.Interrupts, err)
		}
	}
	memory := float64(heap()-before) / float64(n)
	took := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for i := range b.N {
		begin := time.Now()
		if i < n {
			res, err := app.Thread(strconv.Itoa(i), graph.WithStore(store)).Resume(b.Context(), graph.Reply("yes"))
			if err != nil || len(res.Interrupts) != 0 {
				b.Fatal(res.Interrupts, err)
			}
		} else { // all are answered: a question and its answer
			thread := app.Thread(strconv.Itoa(i), graph.WithStore(store))
			if _, err := thread.Invoke(b.Context(), ""); err != nil {
				b.Fatal(err)
			}
			begin = time.Now()
			if _, err := thread.Resume(b.Context(), graph.Reply("yes")); err != nil {
				b.Fatal(err)
			}
		}
		took = append(took, time.Since(begin))
	}
	b.ReportMetric(memory, "B/thread")
	reportLatency(b, took)
	runtime.KeepAlive(store)
}

func askingApp(b *testing.B) *graph.App[graph.Simple[string], string] {
	g := graph.New[graph.Simple[string]]("waiting")
	ask := g.Node("ask", func(ctx context.Context, _ graph.Simple[string]) (string, error) {
		return graph.Ask[string](ctx, "publish", "Publish this?")
	})
	g.Start(ask)
	g.Edge(ask, graph.End)
	app, err := g.Compile()
	if err != nil {
		b.Fatal(err)
	}
	return app
}

func claim(b *testing.B, store graph.Store, thread string) int64 {
	b.Helper()
	fence, err := store.Claim(b.Context(), thread)
	if err != nil {
		b.Fatal(err)
	}
	return fence
}

// heap is the memory in use after a garbage collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func reportLatency(b *testing.B, took []time.Duration) {
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	for _, p := range []int{50, 99} {
		b.ReportMetric(float64(took[min(len(took)-1, len(took)*p/100)].Microseconds()), fmt.Sprintf("p%d-µs", p))
	}
}
