package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/review/reviewtest"
)

const (
	killReviews = "KBAGENT_TEST_KILL_REVIEWS" // set in the child only: the file with the queue
	killStep    = "KBAGENT_TEST_KILL_STEP"    // behind what it waits to be killed: submit, send
)

// chat is a notifier of the tests.
type chat struct {
	sent []string // keys
	send func()
}

func (c *chat) Name() string { return "chat" }

func (c *chat) Notify(_ context.Context, m review.Message) error {
	c.sent = append(c.sent, m.Key)
	if c.send != nil {
		c.send()
	}
	return nil
}

// TestSubmitInAChildProcess is no test by itself: it is what TestANotificationOutlives… kills.
func TestSubmitInAChildProcess(t *testing.T) {
	path := os.Getenv(killReviews)
	if path == "" {
		t.Skip("run by TestANotificationOutlivesTheProcessThatWasToSendIt")
	}
	wait := func() {
		fmt.Println("here") // the parent kills us from this line on
		<-t.Context().Done()
	}
	c := &chat{send: wait}
	q := reviewQueue(t, path, c, time.Now)
	e := reviewtest.Entry("a")
	_, _, err := q.Submit(t.Context(), review.Entry{Thread: e.Thread, Run: e.Run, Question: e.Question, Answer: e.Answer, Mode: e.Mode})
	require.NoError(t, err)
	if os.Getenv(killStep) == "submit" {
		wait()
	}
	_, err = q.Deliver(t.Context())
	require.NoError(t, err)
}

func reviewQueue(t *testing.T, path string, c *chat, now func() time.Time) *review.Queue {
	t.Helper()
	q, err := review.New(openIndexFile(t, path).Reviews(), review.Options{Notifiers: []review.Notifier{c}, Now: now})
	require.NoError(t, err)
	return q
}

func TestANotificationOutlivesTheProcessThatWasToSendIt(t *testing.T) {
	for _, step := range []string{"submit", "send"} {
		t.Run("killed behind "+step, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kb.db")
			killAt(t, path, step)
			c := &chat{}
			later := time.Now().Add(time.Minute) // when a notice that was taken is free again
			q := reviewQueue(t, path, c, func() time.Time { return later })
			for range 2 {
				_, err := q.Deliver(t.Context())
				require.NoError(t, err)
			}
			require.Len(t, c.sent, 1, "it is sent, and not again")
			assert.True(t, strings.HasPrefix(c.sent[0], "kbagent-review-"))
			for e, err := range q.List(t.Context(), review.Filter{}) {
				require.NoError(t, err)
				assert.Equal(t, review.Pending, e.Status)
			}
		})
	}
}

// killAt runs the child until it is behind a step, and kills it.
func killAt(t *testing.T, path, step string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), self, "-test.run=^TestSubmitInAChildProcess$", "-test.v")
	child.Env = append(os.Environ(), killReviews+"="+path, killStep+"="+step)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := bufio.NewScanner(out)
	there := false
	for !there && lines.Scan() {
		there = lines.Text() == "here"
	}
	require.NoError(t, child.Process.Kill()) // SIGKILL
	require.Error(t, child.Wait(), "the child was killed before it was done")
	require.True(t, there)
}

// claimReviews is set in the child only: the file with the queue.
const claimReviews = "KBAGENT_TEST_CLAIM_REVIEWS"

// TestClaimInAChildProcess is no test by itself: it is a reviewer of TestOfManyProcessesOneGetsTheReview.
func TestClaimInAChildProcess(t *testing.T) {
	path := os.Getenv(claimReviews)
	if path == "" {
		t.Skip("run by TestOfManyProcessesOneGetsTheReview")
	}
	store := openIndexFile(t, path).Reviews()
	fmt.Println("ready")
	_, err := bufio.NewReader(os.Stdin).ReadString('\n')
	require.NoError(t, err)
	_, err = store.Change(t.Context(), "a", func(e *review.Entry) error { return e.Claim(fmt.Sprint("process ", os.Getpid()), e.CreatedAt) })
	if err == nil {
		fmt.Println("mine")
		return
	}
	require.ErrorIs(t, err, review.ErrClaimed)
	fmt.Println("not mine")
}

func TestOfManyProcessesOneGetsTheReview(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	_, _, err := openIndexFile(t, path).Reviews().Submit(t.Context(), reviewtest.Entry("a"), nil)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	type reviewer struct {
		lines *bufio.Scanner
		start func()
		wait  func() error
	}
	var all []reviewer
	for range 4 {
		child := exec.CommandContext(t.Context(), self, "-test.run=^TestClaimInAChildProcess$", "-test.v")
		child.Env = append(os.Environ(), claimReviews+"="+path)
		in, err := child.StdinPipe()
		require.NoError(t, err)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		all = append(all, reviewer{bufio.NewScanner(out), func() { fmt.Fprintln(in, "go") }, child.Wait})
	}
	said := func(r reviewer, words ...string) string {
		for r.lines.Scan() {
			for _, w := range words {
				if r.lines.Text() == w {
					return w
				}
			}
		}
		return ""
	}
	for _, r := range all {
		require.Equal(t, "ready", said(r, "ready"))
	}
	for _, r := range all {
		r.start()
	}
	won := 0
	for _, r := range all {
		switch said(r, "mine", "not mine") {
		case "mine":
			won++
		case "":
			t.Error("a process has said nothing")
		}
		assert.NoError(t, r.wait())
	}
	assert.Equal(t, 1, won)
}
