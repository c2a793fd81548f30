package graphtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kbagent/kbagent/graph"
)

// insideFile tells a process that it is to work until it is killed. It lies in its working directory.
const insideFile = "graphtest-kill-inside"

// KillInside checks that a store survives SIGKILL in the middle of whatever it is doing: a process commits steps with large
// states, forks and prunes without a pause, and is killed while it is at it, again and again, at no particular place.
// Whatever was confirmed before is there, and the thread goes on. Otherwise it is as [Kill].
func KillInside(t *testing.T, open func(t *testing.T, dir string) graph.Store) {
	if _, err := os.Stat(insideFile); err == nil {
		workForEver(t, open)
		return
	}
	if testing.Short() {
		t.Skip("starts a process for every kill")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, insideFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	confirmed := 0
	for round := range 12 {
		confirmed = killAfter(t, dir, confirmed+1+2*round)
		store := open(t, dir)
		thread := growingApp(t).Thread("t", graph.WithStore(store))
		if _, err := thread.Resume(t.Context()); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		head, err := thread.Head(t.Context())
		if err != nil || !head.Done {
			t.Fatalf("round %d: done %v, %v", round, head.Done, err)
		}
		if n := len(head.State.Path); n < confirmed {
			t.Fatalf("round %d: %d inputs were confirmed, %d are there", round, confirmed, n)
		}
		for i, word := range head.State.Path {
			if !strings.HasPrefix(word, fmt.Sprint(i, " ")) {
				t.Fatalf("round %d: word %d is %.8q", round, i, word)
			}
		}
		confirmed = len(head.State.Path)
	}
}

// killAfter runs a process until it has confirmed n inputs, kills it at once, and returns how many it had confirmed by then.
func killAfter(t *testing.T, dir string, n int) (confirmed int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^"+t.Name()+"$", "-test.count=1", "-test.v=false")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for confirmed < n && lines.Scan() {
		if _, err := fmt.Sscanf(lines.Text(), "confirmed %d", &confirmed); err != nil {
			t.Fatalf("the process failed: %s", lines.Text())
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(out) // what it has said meanwhile
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(rest)) {
		if _, err := fmt.Sscanf(line, "confirmed %d", &confirmed); err != nil && strings.HasSuffix(line, "\n") {
			t.Fatalf("the process failed: %s", line)
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the process ended by itself")
	}
	if confirmed < n {
		t.Fatalf("the process ended before it had confirmed %d inputs", n)
	}
	return confirmed
}

// workForEver adds a word with each input, and forks and prunes between.
func workForEver(t *testing.T, open func(t *testing.T, dir string) graph.Store) {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	thread := growingApp(t).Thread("t", graph.WithStore(open(t, dir)))
	for {
		n, err := workOnce(t.Context(), thread)
		if err != nil {
			fmt.Println(err)
			t.Fatal(err)
		}
		fmt.Println("confirmed", n)
	}
}

func workOnce(ctx context.Context, thread *graph.Thread[walk, []string]) (int, error) {
	res, err := thread.Invoke(ctx, nil)
	if err != nil {
		return 0, err
	}
	n := len(res.State.Path)
	if n%3 == 0 {
		head, err := thread.Head(ctx)
		if err != nil {
			return 0, err
		}
		if _, err := thread.Fork(ctx, head.Seq); err != nil {
			return 0, err
		}
	}
	if n%4 == 0 {
		_, err = thread.Prune(ctx, graph.Keep{Last: 2})
	}
	return n, errors.Join(err, ctx.Err())
}

// growingApp appends one word of 3 KB with each input.
func growingApp(t *testing.T) *graph.App[walk, []string] {
	t.Helper()
	g := graph.New[walk]("growing")
	grow := g.Node("grow", func(_ context.Context, w walk) ([]string, error) {
		return []string{fmt.Sprint(len(w.Path), " ", strings.Repeat("x", 3000))}, nil
	})
	g.Start(grow)
	g.Edge(grow, graph.End)
	app, err := g.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return app
}
