package peers_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	_ "github.com/mattn/go-sqlite3" // the driver that the saver's own tests use
	tagent "trpc.group/trpc-go/trpc-agent-go/agent"
	tevent "trpc.group/trpc-go/trpc-agent-go/event"
	tgraph "trpc.group/trpc-go/trpc-agent-go/graph"
	"trpc.group/trpc-go/trpc-agent-go/graph/checkpoint/inmemory"
	tsqlite "trpc.group/trpc-go/trpc-agent-go/graph/checkpoint/sqlite"
)

// trpc-agent-go: StateGraph with a schema, a map as state, its default engine (supersteps). A run is a stream of events,
// the last of which carries the state as JSON.
var trpc = peer{
	name:    "trpc",
	loop:    func(t testing.TB) work { return trpcLoop(t, nil) },
	history: func(t testing.TB) work { return trpcLoop(t, inmemory.NewSaver().WithMaxCheckpointsPerLineage(1<<20)) },
	sqlite: func(t testing.TB) work {
		db := must[*sql.DB](t)(sql.Open("sqlite3", "file:"+filepath.Join(t.TempDir(), "trpc.db")+"?_journal_mode=WAL&_synchronous=NORMAL&_busy_timeout=5000"))
		t.Cleanup(func() { db.Close() })
		return trpcLoop(t, must[*tsqlite.Saver](t)(tsqlite.NewSaver(db)))
	},
	fanOut: func(t testing.TB) work {
		schema := tgraph.NewStateSchema().
			AddField("items", tgraph.StateField{Type: typeOf[[]int](), Reducer: func(now, more any) any {
				list, _ := now.([]int)
				return append(list[:len(list):len(list)], more.([]int)...)
			}}).
			AddField("i", tgraph.StateField{Type: typeOf[int](), Reducer: tgraph.DefaultReducer})
		app := trpcExecutor(t, nil, tgraph.NewStateGraph(schema).
			AddNode("split", func(context.Context, tgraph.State) (any, error) {
				var sends []*tgraph.Command
				for i := range fanOut {
					sends = append(sends, &tgraph.Command{GoTo: "fetch", Update: tgraph.State{"i": i}})
				}
				return sends, nil
			}).
			AddNode("fetch", func(_ context.Context, s tgraph.State) (any, error) {
				return tgraph.State{"items": []int{s["i"].(int)}}, nil
			}).
			AddNode("sum", func(context.Context, tgraph.State) (any, error) { return tgraph.State{}, nil }).
			AddEdge("fetch", "sum").SetEntryPoint("split").SetFinishPoint("sum"))
		return work{run: func() error {
			var items []int
			if err := trpcRun(app, "fan-out", tgraph.State{}, map[string]any{"items": &items}); err != nil {
				return err
			}
			return gathered(items)
		}}
	},
}

type trpcEvent = tevent.Event

func trpcLoop(t testing.TB, saver tgraph.CheckpointSaver) work {
	schema := tgraph.NewStateSchema().
		AddField("count", tgraph.StateField{Type: typeOf[int](), Reducer: tgraph.DefaultReducer}).
		AddField("log", tgraph.StateField{Type: typeOf[[]string](), Reducer: tgraph.DefaultReducer})
	app := trpcExecutor(t, saver, tgraph.NewStateGraph(schema).
		AddNode("loop", func(_ context.Context, s tgraph.State) (any, error) {
			count, _ := s["count"].(int)
			log, _ := s["log"].([]string)
			next := state{count, log}.next()
			return tgraph.State{"count": next.Count, "log": next.Log}, nil
		}).
		AddConditionalEdges("loop", func(_ context.Context, s tgraph.State) (string, error) {
			if s["count"].(int) < loopSteps {
				return "again", nil
			}
			return "done", nil
		}, map[string]string{"again": "loop", "done": tgraph.End}).
		SetEntryPoint("loop"))
	runs := 0
	w := work{run: func() error {
		runs++
		var s state
		err := trpcRun(app, strconv.Itoa(runs), tgraph.State{}, map[string]any{"count": &s.Count, "log": &s.Log})
		if err != nil {
			return err
		}
		return ended(s)
	}}
	if saver != nil {
		w.saved = func() error {
			list, err := saver.List(context.Background(), tgraph.CreateCheckpointConfig(strconv.Itoa(runs), "", ""), nil)
			if err != nil {
				return err
			}
			return kept(len(list))
		}
	}
	return w
}

func trpcExecutor(t testing.TB, saver tgraph.CheckpointSaver, g *tgraph.StateGraph) *tgraph.Executor {
	t.Helper()
	opts := []tgraph.ExecutorOption{tgraph.WithMaxSteps(loopSteps + 1)}
	if saver != nil {
		opts = append(opts, tgraph.WithCheckpointSaver(saver))
	}
	return must[*tgraph.Executor](t)(tgraph.NewExecutor(must[*tgraph.Graph](t)(g.Compile()), opts...))
}

// trpcRun runs a graph on a lineage of its own and decodes fields of its last state.
func trpcRun(app *tgraph.Executor, lineage string, in tgraph.State, into map[string]any) error {
	in[tgraph.CfgKeyLineageID] = lineage
	events, err := app.Execute(context.Background(), in, &tagent.Invocation{InvocationID: lineage})
	if err != nil {
		return err
	}
	var last map[string][]byte
	var failures []error
	for e := range events {
		if e.Error != nil {
			failures = append(failures, errors.New(e.Error.Message))
		}
		if e.Done && e.Object == tgraph.ObjectTypeGraphExecution {
			last = e.StateDelta
		}
	}
	for field, v := range into {
		if err := json.Unmarshal(last[field], v); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", field, err))
		}
	}
	return errors.Join(failures...)
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }
