package graphtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kbagent/kbagent/graph"
)

// walk is the state of the graph that is killed.
type walk struct {
	Path []string `json:"path"`
}

// Apply implements graph.Reducer.
func (w walk) Apply(more []string) (walk, error) {
	w.Path = graph.Append(w.Path, more...)
	return w, nil
}

// walker makes the nodes of the graph that is killed. Each writes the key of its task to a file before it does anything else.
type walker struct {
	dir      string
	boundary func()
}

func (w walker) note(ctx context.Context, word string) ([]string, error) {
	w.boundary()
	defer w.boundary()
	info, _ := graph.InfoFrom(ctx)
	return []string{word + strings.Repeat(".", 4000)}, appendWords(w.dir, journalFile, info.Key)
}

func (w walker) plain(name string) graph.NodeFunc[walk, []string] {
	return func(ctx context.Context, _ walk) ([]string, error) { return w.note(ctx, name) }
}

// person has an effect, and asks.
func (w walker) person(ctx context.Context, _ walk) ([]string, error) {
	update, err := w.note(ctx, "person")
	if err != nil {
		return nil, err
	}
	_, err = graph.Once(ctx, "mail", func(context.Context) (bool, error) { return true, appendWords(w.dir, effectFile, "mail") })
	if err != nil {
		return nil, err
	}
	answer, err := graph.Ask[string](ctx, "publish", "Publish?")
	return append(update, answer), err
}

// fails is a node whose handler stands in.
func (w walker) fails(ctx context.Context, _ walk) ([]string, error) {
	if _, err := w.note(ctx, "fails"); err != nil {
		return nil, err
	}
	return nil, errors.New("on purpose")
}

// walkApp has a chain, two Sends beside a plain node, a join, a loop, snapshots (its updates are large), a person,
// a sub-graph and an error handler.
func walkApp(t *testing.T, dir string, boundary func()) *graph.App[walk, []string] {
	t.Helper()
	w := walker{dir, boundary}
	g := graph.New[walk]("walk")
	begin := g.Node("begin", w.plain("begin"))
	fetch := graph.Work(g, "fetch", func(ctx context.Context, _ walk, url string) ([]string, error) { return w.note(ctx, url) })
	split := g.Dynamic("split", func(ctx context.Context, _ walk) (c graph.Command[[]string], err error) {
		c.Update, err = w.note(ctx, "split")
		c.Sends = []graph.Send{fetch.Send("one"), fetch.Send("two")}
		return c, err
	})
	side, sum := g.Node("side", w.plain("side")), g.Node("sum", w.plain("sum"))
	person, child := g.Node("person", w.person), graph.Inline(g, "child", childApp(t, w))
	fails := g.Node("fails", w.fails)
	handler := graph.Work(g, "handler", func(ctx context.Context, _ walk, f graph.Failure) ([]string, error) { return w.note(ctx, f.Task) })
	g.Start(begin)
	g.Edge(begin, split)
	g.Edge(begin, side)
	g.Targets(split, fetch.Node)
	g.Join(sum, fetch.Node, side)
	graph.Route(g, sum, func(w walk) string {
		if len(w.Path) < 8 {
			return "again"
		}
		return "done"
	}, graph.Case("again", begin), graph.Case("done", person))
	g.Edge(person, child)
	g.Edge(child, fails)
	g.OnError(fails, handler)
	g.Edge(fails, graph.End)
	g.Edge(handler.Node, graph.End)
	app, err := g.Compile(graph.MaxConcurrency(2))
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// childApp is the sub-graph: one node after another.
func childApp(t *testing.T, w walker) *graph.App[walk, []string] {
	t.Helper()
	g := graph.New[walk]("child")
	first, second := g.Node("first", w.plain("first")), g.Node("second", w.plain("second"))
	g.Start(first)
	g.Edge(first, second)
	g.Edge(second, graph.End)
	app, err := g.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// What a process leaves behind for the next one, one key of a task a line.
const (
	journalFile   = "journal"   // tasks that have started
	confirmedFile = "confirmed" // tasks whose writes the store has confirmed
	effectFile    = "effects"   // of Once
)

func appendWords(dir, name string, list ...string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, word := range list {
		if err == nil {
			_, err = f.WriteString(word + "\n")
		}
	}
	return errors.Join(err, f.Close())
}

func words(t *testing.T, dir, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Fields(string(data))
}

// storedTasks lists the keys of the tasks whose writes are stored, pending ones included.
func storedTasks(t *testing.T, store graph.Store) (keys []string) {
	t.Helper()
	read := func(thread string, data []byte) {
		more, err := taskKeys(thread, data)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, more...)
	}
	child := "t" + graph.ChildMark + "1.10.child" // the only one
	for _, thread := range []string{"t", child} {
		for e, err := range store.Log(t.Context(), thread, 0) {
			if err != nil {
				t.Fatal(err)
			}
			read(thread, e.Data)
		}
		rec, err := store.Load(t.Context(), thread)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range rec.Pending {
			read(thread, w.Data)
		}
	}
	return keys
}

// onceNote begins the key of a result of Once.
const onceNote = "once_"

// trimmed stands for the entries that are not in a log any more.
const trimmed = "trimmed"

// taskKeys lists the keys of the tasks that a stored row has the writes of.
func taskKeys(thread string, data []byte) ([]string, error) {
	var row struct {
		Kind      string
		Run, Step int
		Was       string // of what was pruned
		Task      string // of a pending write
		Writes    []struct{ Task string }
	}
	if err := json.Unmarshal(data, &row); err != nil {
		return nil, err
	}
	var keys []string
	add := func(task string) {
		keys = append(keys, fmt.Sprintf("%s/%d/%d/%s", thread, row.Run, row.Step, task))
	}
	for _, w := range row.Writes {
		add(w.Task)
	}
	switch {
	case row.Kind == "pending":
		add(row.Task)
	case row.Kind == "once":
		keys = append(keys, onceNote+row.Task)
	case row.Was != "":
		keys = append(keys, trimmed)
	}
	return keys, nil
}
