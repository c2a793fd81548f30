package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/store/sqlite"
)

// The scripts need entries, which only a run makes: submit ID CONFIDENCE QUESTION puts one into the queue.
func TestReviewScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/review", RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"submit": func(ts *testscript.TestScript, _ bool, args []string) {
				confidence, err := strconv.ParseFloat(args[1], 64)
				ts.Check(err)
				ts.Check(submit(context.Background(), ts.MkAbs(ts.Getenv("KB_AGENT_DATA_DIR")), args[0], confidence, args[2]))
			},
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("KB_AGENT_DATA_DIR", "data")
			env.Setenv("NO_COLOR", "1")
			return nil
		},
	})
}

// submit puts an entry into the queue of a data directory, with a notice for each of notifiers.
func submit(ctx context.Context, dataDir, id string, confidence float64, question string, notifiers ...review.Notifier) error {
	db, err := sqlite.Open(ctx, filepath.Join(dataDir, databaseFile), sqlite.Options{})
	if err != nil {
		return err
	}
	q, err := review.New(db.Reviews(), review.Options{NewID: func() string { return id }, Notifiers: notifiers})
	if err == nil {
		_, _, err = q.Submit(ctx, review.Entry{
			Thread: "t", Run: id, Question: question, Answer: "Seven days [1]", Confidence: confidence, HasConfidence: true, Mode: review.Provisional,
			Sources: []review.Source{{Path: "kb/logs.md", StartLine: 3, EndLine: 3, Quote: "seven days"}},
		})
	}
	return errors.Join(err, db.Close())
}

// anyNotifier stands for the one of a name that the program has.
type anyNotifier string

func (n anyNotifier) Name() string                               { return string(n) }
func (anyNotifier) Notify(context.Context, review.Message) error { return nil }

const decideDatabase = "KBAGENT_TEST_DECIDE_DIR" // set in the child only: the data directory

// TestDecideInAChildProcess is no test by itself: it is what TestAProcessThatWasKilled… kills.
func TestDecideInAChildProcess(t *testing.T) {
	dir := os.Getenv(decideDatabase)
	if dir == "" {
		t.Skip("run by TestAProcessThatWasKilledBehindADecisionIsMadeUpFor")
	}
	b, q := reviewBase(t, dir)
	step := os.Getenv("KBAGENT_TEST_DECIDE_STEP")
	afterDecisions = []afterDecision{func(ctx context.Context, b *base, e review.Entry) error {
		if step == "file" {
			if err := writeWhole(filepath.Join(b.cfg.DataDir, correctionsFolder, e.ID+".md"), correctionText(e)); err != nil {
				return err
			}
		}
		fmt.Println("decided") // the parent kills us from here on
		<-ctx.Done()
		return ctx.Err()
	}}
	_, err := q.Decide(t.Context(), "abc1", review.Decision{Reviewer: "ada", Status: review.Corrected, Corrected: "Zebra logs are kept for nine days."})
	require.NoError(t, err)
	require.NoError(t, settleReviews(t.Context(), b, q))
}

// reviewBase opens a data directory in this process.
func reviewBase(t *testing.T, dir string) (*base, *review.Queue) {
	t.Helper()
	cfg, err := config.Load(config.Options{Environ: []string{"KB_AGENT_DATA_DIR=" + dir}})
	require.NoError(t, err)
	b, err := openConfigured(t.Context(), cfg, newLogger(cfg, os.Stderr), tapeFiles{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.close()) })
	q, err := reviewQueue(b)
	require.NoError(t, err)
	return b, q
}

func TestAProcessThatWasKilledBehindADecisionIsMadeUpFor(t *testing.T) {
	for _, step := range []string{"decision", "file"} {
		t.Run("killed behind the "+step, func(t *testing.T) {
			dir := t.TempDir()
			data := filepath.Join(dir, "data")
			require.NoError(t, submit(t.Context(), data, "abc1", 0.3, "How long are the zebra logs kept?"))
			killBehindDecision(t, data, step)

			b, q := reviewBase(t, data)
			e, err := q.Get(t.Context(), "abc1")
			require.NoError(t, err)
			require.Equal(t, review.Corrected, e.Status)
			require.Zero(t, e.SettledAt, "it was killed before")

			for range 2 { // the second time there is nothing to do
				require.NoError(t, settleReviews(t.Context(), b, q))
				hits, err := b.index.Keyword(t.Context(), "zebra logs", 5)
				require.NoError(t, err)
				require.NotEmpty(t, hits)
				assert.Contains(t, hits[0].Content, "nine days")
				stats, err := b.index.Stats(t.Context())
				require.NoError(t, err)
				assert.Equal(t, 1, stats.Files, "it is there once")
			}
			e, err = q.Get(t.Context(), "abc1")
			require.NoError(t, err)
			assert.NotZero(t, e.SettledAt)
		})
	}
}

// killBehindDecision runs the child until it has decided, and kills it.
func killBehindDecision(t *testing.T, data, step string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), self, "-test.run=^TestDecideInAChildProcess$", "-test.v")
	child.Env = append(os.Environ(), decideDatabase+"="+data, "KBAGENT_TEST_DECIDE_STEP="+step)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := bufio.NewScanner(out)
	decided := false
	for !decided && lines.Scan() {
		decided = lines.Text() == "decided"
	}
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait(), "the child was killed before it was done")
	require.True(t, decided)
}

func TestWhatFollowsADecisionIsTriedAgainWhenItFails(t *testing.T) {
	old := afterDecisions
	t.Cleanup(func() { afterDecisions = old })
	data := filepath.Join(t.TempDir(), "data")
	require.NoError(t, submit(t.Context(), data, "abc1", 0.3, "q?"))
	b, q := reviewBase(t, data)
	_, err := q.Decide(t.Context(), "abc1", review.Decision{Reviewer: "ada", Status: review.Approved})
	require.NoError(t, err)
	broken, calls := errors.New("the disk is full"), 0
	afterDecisions = []afterDecision{func(context.Context, *base, review.Entry) error {
		if calls++; calls == 1 {
			return broken
		}
		return nil
	}}
	err = settleReviews(t.Context(), b, q)
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "abc1")
	require.NoError(t, settleReviews(t.Context(), b, q))
	require.NoError(t, settleReviews(t.Context(), b, q))
	assert.Equal(t, 2, calls, "once it has succeeded it is done")
}

func TestACorrectionIsOneDocumentWhateverItsTexts(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	text := string(correctionText(review.Entry{
		ID: "abc1", Question: "## Is\n---\nthis: a heading?", Corrected: "\nYes.\n", Reviewer: `a"da: [x]`, DecidedAt: at,
		Sources: []review.Source{{Path: "a: \"b\".md", StartLine: 3, EndLine: 4}},
	}))
	assert.Equal(t, `---
review: abc1
reviewer: "a\"da: [x]"
date: 2026-03-01T09:00:00Z
sources:
  - "a: \"b\".md:L3-L4"
---

# Is --- this: a heading?

Yes.

## About this correction

Corrected by a"da: [x] on 2026-03-01 (review abc1). The answer before cited a: "b".md:L3-L4.
`, text)
}

func TestAFileIsWrittenWholeAndOnceOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "a.md")
	require.NoError(t, writeWhole(path, []byte("one")))
	before, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, writeWhole(path, []byte("one")))
	after, err := os.Stat(path)
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after), "what is there already is left alone")
	require.NoError(t, writeWhole(path, []byte("two")))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "two", string(data))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing is left behind")
	require.Error(t, writeWhole(filepath.Join(path, "below-a-file"), nil))
}

func TestANotificationThatFailedIsShownAndSentAgain(t *testing.T) {
	var down atomic.Bool
	var got atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if down.Load() {
			http.Error(w, "out of order", http.StatusBadGateway)
			return
		}
		if assert.Contains(t, string(body), "zebra") {
			got.Add(1)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	require.NoError(t, submit(t.Context(), filepath.Join(dir, "data"), "abc1", 0.3, "the zebra?", anyNotifier("webhook")))
	program := func(args ...string) (int, string, string) {
		cmd := kbagent(t, dir, nil, append([]string{"review"}, args...)...)
		cmd.Env = append(cmd.Env, "KB_AGENT_REVIEW_WEBHOOK_URL="+server.URL+"/s3cret")
		return finish(t, cmd)
	}

	code, _, stderr := finish(t, kbagent(t, dir, nil, "review", "notify"))
	assert.Equal(t, exitError, code)
	assert.Contains(t, stderr, "set KB_AGENT_REVIEW_WEBHOOK_URL", "what waits for a notifier that is gone is said")

	down.Store(true)
	code, stdout, stderr := program("notify")
	assert.Equal(t, exitError, code)
	assert.Equal(t, "0 sent, 1 failed, 1 waiting\n", stdout)
	assert.Contains(t, stderr, "502 Bad Gateway: out of order")
	_, stdout, _ = program("show", "abc1")
	assert.Regexp(t, `(?m)^notice: +webhook failed 1 times, again from .*: the webhook at 127.0.0.1:\d+ answers 502`, stdout)
	assert.NotContains(t, stdout+stderr, "s3cret")

	down.Store(false)
	_, stdout, _ = program("notify")
	assert.Equal(t, "0 sent, 0 failed, 1 waiting\n", stdout, "it is not due yet")
	code, stdout, stderr = program("notify", "--all", "--json")
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, `"sent": 1`)
	_, stdout, _ = program("show", "abc1")
	assert.Regexp(t, `(?m)^notice: +webhook sent at `, stdout)
	_, _, _ = program("notify", "--all")
	assert.EqualValues(t, 1, got.Load(), "what was sent is not sent again")
}

func TestAReviewCommandSendsWhatIsDueByTheWay(t *testing.T) {
	var got atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got.Add(1) }))
	defer server.Close()
	dir := t.TempDir()
	require.NoError(t, submit(t.Context(), filepath.Join(dir, "data"), "abc1", 0.3, "q?", anyNotifier("webhook")))
	cmd := kbagent(t, dir, nil, "review", "list")
	cmd.Env = append(cmd.Env, "KB_AGENT_REVIEW_WEBHOOK_URL="+server.URL)
	code, stdout, stderr := finish(t, cmd)
	require.Zero(t, code, stderr)
	assert.True(t, strings.HasPrefix(stdout, "ID "))
	assert.EqualValues(t, 1, got.Load())
}
