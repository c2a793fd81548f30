package main

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const watched = `scenario: a claim
guards: a defect
given:
  tools: [{tool: keyword_search, items: [{id: a, path: a.md, content: "Rotate the logs."}]}]
turns:
  - when: {ask: "How do I rotate the logs?"}
    then: {rule: read_file}
`

// until reads lines up to one that holds text. The pipe ends with the command.
func until(t *testing.T, lines *bufio.Scanner, text string) {
	t.Helper()
	for lines.Scan() {
		if strings.Contains(lines.Text(), text) {
			return
		}
	}
	t.Fatalf("the command ended without saying %q: %v", text, lines.Err())
}

func TestWatchRunsAgainWhenAFileChangesAndEndsWithCtrlC(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.yaml")
	require.NoError(t, os.WriteFile(file, []byte(watched), 0o600))
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	ctx, ctrlC := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"scenario", "run", "--watch", file}, streams{os.Stdin, writer, writer})
		assert.NoError(t, writer.Close())
	}()
	lines := bufio.NewScanner(reader)
	until(t, lines, "0 passed, 1 failed")
	until(t, lines, "watching for changes")
	require.NoError(t, os.WriteFile(file, []byte("scenario: ["), 0o600))
	until(t, lines, "sequence end token") // a mistake in the file is shown, and watching goes on
	until(t, lines, "watching for changes")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(watched, "read_file}", "few_context}", 1)), 0o600))
	until(t, lines, "1 passed, 0 failed")
	ctrlC()
	for lines.Scan() { // until the pipe is closed
	}
	assert.Equal(t, exitOK, <-ended)
	assert.NoError(t, reader.Close())
}
