package graph_test

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"testing"

	"github.com/kbagent/kbagent/graph"
)

// The benchmarks come in pairs: a floor, which does the same work by hand, and the graph. Compare within one run:
//
//	go test -run '^$' -bench . -benchmem -count 10 ./graph

const (
	loopSteps = 1000
	fanOut    = 100
)

// small is the state of the cost table: a counter and a log bounded to eight lines.
type small struct {
	Count int      `json:"count"`
	Log   []string `json:"log"`
}

type tick struct {
	Line string `json:"line,omitzero"`
}

func (s small) Apply(t tick) (small, error) {
	s.Count++
	if t.Line != "" {
		from := max(0, len(s.Log)-7)
		s.Log = graph.Append(s.Log[from:], t.Line)
	}
	return s, nil
}

// wide is the second row: 700 bytes of state.
type wide struct {
	Count int      `json:"count"`
	Log   []string `json:"log"`
	Blob  [84]int  `json:"-"`
}

func (s wide) Apply(t tick) (wide, error) {
	s.Count++
	from := max(0, len(s.Log)-7)
	s.Log = graph.Append(s.Log[from:], t.Line)
	return s, nil
}

var lines = func() (lines [16]string) {
	for i := range lines {
		lines[i] = "line " + strconv.Itoa(i)
	}
	return lines
}()

func compile[S graph.Reducer[S, U], U any](b testing.TB, build func(g *graph.Graph[S, U]), opts ...graph.Option) *graph.App[S, U] {
	b.Helper()
	g := graph.New[S, U]("bench")
	build(g)
	app, err := g.Compile(opts...)
	if err != nil {
		b.Fatal(err)
	}
	return app
}

func again1000(count int) verdict {
	if count%(loopSteps+1) < loopSteps {
		return again
	}
	return good
}

func smallLoop(b testing.TB) *graph.App[small, tick] {
	return compile(b, func(g *graph.Graph[small, tick]) {
		loop := g.Node("loop", func(_ context.Context, s small) (tick, error) { return tick{lines[s.Count&15]}, nil })
		g.Start(loop)
		graph.Route(g, loop, func(s small) verdict { return again1000(s.Count) }, graph.Case(again, loop), graph.Case(good, graph.End))
	}, graph.MaxSteps(loopSteps+1))
}

func wideLoop(b testing.TB) *graph.App[wide, tick] {
	return compile(b, func(g *graph.Graph[wide, tick]) {
		loop := g.Node("loop", func(_ context.Context, s wide) (tick, error) { return tick{lines[s.Count&15]}, nil })
		g.Start(loop)
		graph.Route(g, loop, func(s wide) verdict { return again1000(s.Count) }, graph.Case(again, loop), graph.Case(good, graph.End))
	}, graph.MaxSteps(loopSteps+1))
}

func perStep(b *testing.B, steps int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(steps), "ns/step")
}

func BenchmarkLoop(b *testing.B) {
	b.Run("floor", func(b *testing.B) { // a for, a function value and a switch; the state is changed in place
		node := func(s *small) {
			s.Log[s.Count&7] = lines[s.Count&15]
			s.Count++
		}
		for b.Loop() {
			s := small{Log: make([]string, 8)}
			for next := 0; next == 0; {
				switch next {
				case 0:
					node(&s)
				}
				if s.Count >= loopSteps {
					next = 1
				}
			}
		}
		perStep(b, loopSteps)
	})
	b.Run("floor-pure", func(b *testing.B) { // the same with the Apply that the graph has to call
		node := func(s small) tick { return tick{lines[s.Count&15]} }
		b.ReportAllocs()
		for b.Loop() {
			for s := (small{}); s.Count < loopSteps; {
				s, _ = s.Apply(node(s))
			}
		}
		perStep(b, loopSteps)
	})
	b.Run("graph", func(b *testing.B) {
		app := smallLoop(b)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := app.Invoke(context.Background(), tick{}); err != nil {
				b.Fatal(err)
			}
		}
		perStep(b, loopSteps)
	})
	b.Run("graph-700B", func(b *testing.B) {
		app := wideLoop(b)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := app.Invoke(context.Background(), tick{}); err != nil {
				b.Fatal(err)
			}
		}
		perStep(b, loopSteps)
	})
}

// bag is the state of the fan-out: a list that grows.
type bag struct {
	Items []int `json:"items"`
}

type items []int

func (s bag) Apply(more items) (bag, error) {
	s.Items = append(s.Items[:len(s.Items):cap(s.Items)], more...)
	return s, nil
}

func BenchmarkFanOut(b *testing.B) {
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var wg sync.WaitGroup
			results := make([]items, fanOut)
			for i := range fanOut {
				wg.Go(func() { results[i] = items{i} })
			}
			wg.Wait()
			var s bag
			for _, r := range results {
				s, _ = s.Apply(r)
			}
		}
	})
	b.Run("graph", func(b *testing.B) {
		app := compile(b, func(g *graph.Graph[bag, items]) {
			fetch := graph.Work(g, "fetch", func(_ context.Context, _ bag, i int) (items, error) { return items{i}, nil })
			split := g.Dynamic("split", func(context.Context, bag) (graph.Command[items], error) {
				c := graph.Command[items]{Sends: make([]graph.Send, fanOut)}
				for i := range c.Sends {
					c.Sends[i] = fetch.Send(i)
				}
				return c, nil
			})
			sum := g.Node("sum", func(context.Context, bag) (items, error) { return nil, nil })
			g.Start(split)
			g.Targets(split, fetch.Node)
			g.Join(sum, fetch.Node)
			g.Edge(sum, graph.End)
		})
		b.ReportAllocs()
		for b.Loop() {
			res, err := app.Invoke(context.Background(), nil)
			if err != nil || len(res.State.Items) != fanOut {
				b.Fatal(len(res.State.Items), err)
			}
		}
	})
}

func BenchmarkHistory(b *testing.B) {
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s := small{}
			var history [][]byte
			for s.Count < loopSteps {
				s, _ = s.Apply(tick{lines[s.Count&15]})
				data, err := json.Marshal(s)
				if err != nil {
					b.Fatal(err)
				}
				history = append(history, data)
			}
			if len(history) != loopSteps {
				b.Fatal("a step is missing in the history")
			}
		}
		perStep(b, loopSteps)
	})
	b.Run("graph", func(b *testing.B) {
		app := smallLoop(b)
		b.ReportAllocs()
		for b.Loop() {
			thread := app.Thread("t", graph.WithStore(graph.NewMemoryStore()))
			if _, err := thread.Invoke(context.Background(), tick{}); err != nil {
				b.Fatal(err)
			}
		}
		perStep(b, loopSteps)
	})
}
