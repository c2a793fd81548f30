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

// walkApp has a chain, two Sends beside a plain node, a join, a loop and a snapshot (its updates are large).
// Every node writes the key of its task to a file before it does anything else.
func walkApp(t *testing.T, dir string, boundary func()) *graph.App[walk, []string] {
	t.Helper()
	note := func(ctx context.Context, word string) ([]string, error) {
		boundary()
		defer boundary()
		info, _ := graph.InfoFrom(ctx)
		return []string{word + strings.Repeat(".", 4000)}, appendWords(dir, journalFile, info.Key)
	}
	plain := func(name string) graph.NodeFunc[walk, []string] {
		return func(ctx context.Context, _ walk) ([]string, error) { return note(ctx, name) }
	}
	g := graph.New[walk]("walk")
	begin := g.Node("begin", plain("begin"))
	fetch := graph.Work(g, "fetch", func(ctx context.Context, _ walk, url string) ([]string, error) { return note(ctx, url) })
	split := g.Dynamic("split", func(ctx context.Context, _ walk) (c graph.Command[[]string], err error) {
		c.Update, err = note(ctx, "split")
		c.Sends = []graph.Send{fetch.Send("one"), fetch.Send("two")}
		return c, err
	})
	side, sum := g.Node("side", plain("side")), g.Node("sum", plain("sum"))
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
	}, graph.Case("again", begin), graph.Case("done", graph.End))
	app, err := g.Compile(graph.MaxConcurrency(2))
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// What a process leaves behind for the next one, one key of a task a line.
const (
	journalFile   = "journal"   // tasks that have started
	confirmedFile = "confirmed" // tasks whose writes the store has confirmed
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
	read := func(data []byte) {
		more, err := taskKeys(data)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, more...)
	}
	for e, err := range store.Log(t.Context(), "t", 0) {
		if err != nil {
			t.Fatal(err)
		}
		read(e.Data)
	}
	rec, err := store.Load(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range rec.Pending {
		read(w.Data)
	}
	return keys
}

// taskKeys lists the keys of the tasks that a stored row has the writes of.
func taskKeys(data []byte) ([]string, error) {
	var row struct {
		Run, Step int
		Task      string // of a pending write
		Writes    []struct{ Task string }
	}
	if err := json.Unmarshal(data, &row); err != nil {
		return nil, err
	}
	tasks := []string{row.Task}
	for _, w := range row.Writes {
		tasks = append(tasks, w.Task)
	}
	var keys []string
	for _, task := range tasks {
		if task != "" {
			keys = append(keys, fmt.Sprintf("t/%d/%d/%s", row.Run, row.Step, task))
		}
	}
	return keys, nil
}
