package repl

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// childVariable names the scene that a test binary plays instead of its tests.
const childVariable = "KBAGENT_REPL_TEST_SCENE"

// child is a program whose standard input and output are a terminal: what cmd/kbagent does, with a scripted agent. The
// scene is a list of words: plain (no colours), listener (words for a screen reader), history=<file>.
func child(scene string) int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cfg := Config{
		Agent: newScripted(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Interactive: true, Thread: "first",
		NewThread: func() string { return "second" }, Banner: []string{"kbagent test"}, Signals: signals,
		Threads: func(context.Context) ([]string, error) { return []string{"first", "yesterday"}, nil },
	}
	for word := range strings.FieldsSeq(scene) {
		if file, ok := strings.CutPrefix(word, "history="); ok {
			cfg.HistoryFile = file
		}
		cfg.NoColor = cfg.NoColor || word == "plain"
		cfg.Plain = cfg.Plain || word == "listener"
	}
	err := Run(ctx, cfg)
	var asked []string
	script := cfg.Agent.(*scripted)
	for i, q := range script.questions() {
		how := ""
		if slices.Contains(script.again, i) {
			how = " (again)"
		}
		asked = append(asked, strings.TrimSpace(fmt.Sprintf("%q on %s %s", q.Text, q.Thread, q.Mode))+how)
	}
	fmt.Printf("END %v ASKED %s DONE\n", err, strings.Join(asked, "; "))
	return 0
}
