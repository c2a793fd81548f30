package main

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/state"
)

// doubtful are settings under which every answer of the extractive synthesizer is reviewed.
func doubtful(mode state.ReviewMode) []string {
	return []string{"KB_AGENT_VERIFY=on", "KB_AGENT_CONFIDENCE=on", "KB_AGENT_CONFIDENCE_PASS=1", "KB_AGENT_REVIEW=" + string(mode)}
}

// program runs kbagent in dir with more settings.
func program(t *testing.T, dir string, settings []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := kbagent(t, dir, nil, args...)
	cmd.Env = append(cmd.Env, settings...)
	return finish(t, cmd)
}

// openReview is the id of the only open review.
func openReview(t *testing.T, dir string) string {
	t.Helper()
	code, stdout, stderr := program(t, dir, nil, "review", "list", "--json")
	require.Zero(t, code, stderr)
	var list struct{ Reviews []reviewLine }
	require.NoError(t, json.Unmarshal([]byte(stdout), &list))
	require.Len(t, list.Reviews, 1)
	return list.Reviews[0].ID
}

func TestAReviewerNeedsNoSettingsOfWhoeverHasAsked(t *testing.T) {
	for _, mode := range []state.ReviewMode{state.ReviewBlocking, state.ReviewProvisional} {
		t.Run(string(mode), func(t *testing.T) {
			dir := newBase(t)
			_, _, _ = program(t, dir, doubtful(mode), "ask", "--thread", "t", question)
			decideOpen(t, dir)
			expectCorrected(t, dir)
		})
	}
}

func TestARunThatComesToItsReviewAgainKnowsTheDecision(t *testing.T) {
	for _, mode := range []state.ReviewMode{state.ReviewBlocking, state.ReviewProvisional} {
		t.Run(string(mode), func(t *testing.T) {
			dir := newBase(t)
			_, _, _ = program(t, dir, doubtful(mode), "ask", "--thread", "t", question)
			decideOpen(t, dir)
			code, _, stderr := program(t, dir, nil, "fork", "t", "--at", "6")
			require.Zero(t, code, stderr)
			code, _, stderr = program(t, dir, nil, "resume", "t")
			require.Zero(t, code, stderr)
			expectCorrected(t, dir)
		})
	}
}

func TestWhoeverHasAskedHearsOfADecisionThatHasNotReachedTheRun(t *testing.T) {
	t.Run("in a copy of the conversation", func(t *testing.T) {
		dir := newBase(t)
		_, _, _ = program(t, dir, doubtful(state.ReviewBlocking), "ask", "--thread", "original", question)
		code, _, stderr := program(t, dir, nil, "threads", "copy", "original", "t")
		require.Zero(t, code, stderr)
		decideOpen(t, dir)
		expectAnswer(t, dir, "original")
		expectAnswer(t, dir, "t")
	})
	t.Run("after the reviewer's process was killed", func(t *testing.T) {
		dir := newBase(t)
		_, _, _ = program(t, dir, doubtful(state.ReviewBlocking), "ask", "--thread", "t", question)
		_, q := reviewBase(t, dir+"/data")
		_, err := q.Decide(t.Context(), openReview(t, dir), review.Decision{Reviewer: "ada", Status: review.Corrected, Corrected: "Nine days."})
		require.NoError(t, err)
		code, stdout, stderr := program(t, dir, doubtful(state.ReviewBlocking), "ask", "--thread", "t", question)
		require.Zero(t, code, stderr)
		assert.Equal(t, "Nine days.\n\ncorrected by ada — CORRECTED\n", stdout)
	})
}

// dying is a review queue whose process is gone behind the next entry that it takes.
type dying struct {
	nodes.Reviews
	kill context.CancelFunc
}

func (d dying) Submit(ctx context.Context, q nodes.ReviewRequest) (state.Review, error) {
	defer d.kill()
	return d.Reviews.Submit(ctx, q)
}

// dyingAssistant is one on the data directory in dir that dies behind its next review.
func dyingAssistant(t *testing.T, dir string, mode state.ReviewMode) (*assistant, context.Context) {
	t.Helper()
	cfg, err := config.Load(config.Options{Environ: append(doubtful(mode), "KB_AGENT_DATA_DIR="+dir+"/data")})
	require.NoError(t, err)
	b, err := openConfigured(t.Context(), cfg, newLogger(cfg, os.Stderr), tapeFiles{})
	require.NoError(t, err)
	a := &assistant{base: b}
	t.Cleanup(func() { assert.NoError(t, a.close(context.WithoutCancel(t.Context()))) })
	require.NoError(t, a.build())
	ctx, kill := context.WithCancel(t.Context())
	n, err := a.nodes()
	require.NoError(t, err)
	n.Reviews = dying{n.Reviews, kill}
	a.agent, err = agent.New(agent.Config{Nodes: n, Store: b.db.Checkpoints(), Settings: cfg.Settings})
	require.NoError(t, err)
	return a, ctx
}

func TestARunThatWasKilledBesideItsReviewGetsTheDecision(t *testing.T) {
	for _, mode := range []state.ReviewMode{state.ReviewBlocking, state.ReviewProvisional} {
		t.Run(string(mode)+" on its way into the review", func(t *testing.T) {
			dir := newBase(t)
			a, ctx := dyingAssistant(t, dir, mode)
			_, err := a.agent.Do(ctx, agent.Question{Text: question, Thread: "t"})
			require.ErrorIs(t, err, context.Canceled)
			decideAndExpect(t, dir)
		})
	}
	t.Run("blocking on its way out of the review", func(t *testing.T) {
		dir := newBase(t)
		_, _, _ = program(t, dir, doubtful(state.ReviewBlocking), "ask", "--thread", "t", question)
		a, ctx := dyingAssistant(t, dir, state.ReviewBlocking)
		id := openReview(t, dir)
		e, err := a.queue.Decide(t.Context(), id, review.Decision{Reviewer: "ada", Status: review.Corrected, Corrected: "Nine days."})
		require.NoError(t, err)
		require.ErrorIs(t, a.decide(ctx, e), context.Canceled)
		head, err := a.agent.Thread("t").Head(t.Context())
		require.NoError(t, err)
		require.True(t, stranded(head, e.Run))
		code, _, stderr := program(t, dir, nil, "review", "list")
		require.Zero(t, code, stderr)
		expectCorrected(t, dir)
	})
}

// decideAndExpect corrects the only open review and looks for that in its conversation.
func decideAndExpect(t *testing.T, dir string) {
	t.Helper()
	decideOpen(t, dir)
	expectCorrected(t, dir)
}

// decideOpen corrects the only open review.
func decideOpen(t *testing.T, dir string) {
	t.Helper()
	code, _, stderr := program(t, dir, nil, "review", "correct", openReview(t, dir), "--as", "ada", "--answer", "Nine days.")
	require.Zero(t, code, stderr)
	assert.Empty(t, stderr)
}

// expectCorrected looks at the conversation without going on with it.
func expectCorrected(t *testing.T, dir string) {
	t.Helper()
	code, stdout, stderr := program(t, dir, nil, "threads", "show", "t", "--json")
	require.Zero(t, code, stderr)
	assert.Contains(t, stdout, `"done": true`)
	expectAnswer(t, dir, "t")
}

// expectAnswer goes on with a conversation, which has the corrected answer then.
func expectAnswer(t *testing.T, dir, thread string) {
	t.Helper()
	code, stdout, stderr := program(t, dir, nil, "resume", thread, "--json")
	require.Zero(t, code, stderr)
	got := readAnswer(t, stdout)
	assert.Equal(t, "Nine days.", got.Answer)
	assert.Equal(t, state.StatusCorrected, got.Status)
}
