//go:build unix

package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/postgres"
)

// stoppedSchema makes the test binary be the process that is stopped, and says where its thread is.
const stoppedSchema = "KBAGENT_TEST_STOPPED_SCHEMA"

// stoppedLease is short, so that the test does not take long. Nothing depends on how short.
const stoppedLease = 500 * time.Millisecond

// TestChildThatIsStopped is the process that is stopped: in its third step, until its input says more.
func TestChildThatIsStopped(t *testing.T) {
	schema := os.Getenv(stoppedSchema)
	if schema == "" {
		t.Skip("runs only as a child of TestAProcessThatWasStoppedAndReplacedWritesNothingWhenItWakesUp")
	}
	store := openAt(t, shareServer(t), postgres.Options{Schema: schema, Lease: stoppedLease}).Checkpoints()
	input := bufio.NewReader(os.Stdin)
	_, err := steps(t, func(n int) {
		if n == 3 {
			fmt.Println("inside")
			_, err := input.ReadString('\n')
			require.NoError(t, err)
		}
	}).Thread("t", graph.WithStore(store)).Invoke(context.WithoutCancel(t.Context()), nil)
	fmt.Println("fenced:", errors.Is(err, graph.ErrFenced), err)
}

func TestAProcessThatWasStoppedAndReplacedWritesNothingWhenItWakesUp(t *testing.T) {
	url, schema := shareServer(t), newSchema()
	store := openAt(t, url, postgres.Options{Schema: schema, Lease: stoppedLease}).Checkpoints()
	exe, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), exe, "-test.run=^TestChildThatIsStopped$", "-test.count=1")
	child.Env = append(os.Environ(), stoppedSchema+"="+schema)
	in, err := child.StdinPipe()
	require.NoError(t, err)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	words := bufio.NewScanner(out)
	require.Equal(t, "inside", nextWord(t, words))
	stop(t, child.Process.Pid)

	require.Eventually(t, func() bool {
		threads, err := store.TakeAbandoned(t.Context(), 1)
		require.NoError(t, err)
		return len(threads) == 1 && threads[0] == "t"
	}, time.Minute, 10*time.Millisecond, "nobody finds the thread of the stopped process")
	res, err := steps(t, func(int) {}).Thread("t", graph.WithStore(store)).Resume(t.Context())
	require.NoError(t, err)
	require.Len(t, res.State, 5)
	before := wholeLog(t, store)

	require.NoError(t, syscall.Kill(child.Process.Pid, syscall.SIGCONT))
	_, err = io.WriteString(in, "go on\n")
	require.NoError(t, err)
	require.Contains(t, nextWord(t, words), "fenced: true")
	require.NoError(t, child.Wait())
	require.Equal(t, before, wholeLog(t, store))
}

// stop stops a child and waits until it has stopped.
func stop(t *testing.T, pid int) {
	t.Helper()
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped(), "the child has ended: %v", status)
}

// nextWord is the next line, without what the test framework says.
func nextWord(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	for lines.Scan() {
		if line := lines.Text(); line == "inside" || len(line) > 6 && line[:6] == "fenced" {
			return line
		}
		t.Log(lines.Text())
	}
	t.Fatal("the child has ended without a word")
	return ""
}

func wholeLog(t *testing.T, store graph.Store) (log []graph.Entry) {
	t.Helper()
	for e, err := range store.Log(t.Context(), "t", 0) {
		require.NoError(t, err)
		log = append(log, e)
	}
	return log
}
