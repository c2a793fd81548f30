package e2e

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/internal/traffic"
)

// A conversation with the real server is recorded; another agent on a store of its own has the same conversation with
// the recording.
func TestARecordedConversationReplaysTheSame(t *testing.T) {
	e := server(t)
	path := filepath.Join(t.TempDir(), "rec.jsonl")
	var recorder *traffic.Recorder
	w := build(t, e, options{settings: graded, wrap: func(next http.RoundTripper) http.RoundTripper {
		r, err := traffic.Create(path, traffic.Options{Transport: next})
		require.NoError(t, err)
		recorder = r
		return r
	}, fence: func() string { return recorder.Fence() }})
	want := talk(t, w)
	require.NoError(t, recorder.Close())

	replayer, err := traffic.Open(path, traffic.Options{})
	require.NoError(t, err)
	replayed := build(t, e, options{settings: graded, fence: replayer.Fence, wrap: func(http.RoundTripper) http.RoundTripper { return replayer }})
	assert.Equal(t, want, talk(t, replayed))
	require.NoError(t, replayer.Err())
	assert.Zero(t, replayer.Left())
}

// talk is a conversation: what was shown and what came of it.
func talk(t *testing.T, w *world) (all []string) {
	t.Helper()
	for _, q := range []string{"How long are old logs kept?", "and how large do they get?"} {
		r, err := w.ask(t.Context(), agent.Question{Text: q, Thread: "talk"})
		require.NoError(t, err)
		whole(t, r)
		all = append(all, r.shown, r.answer.Answer, r.answer.GradeSource, string(r.answer.StopReason))
		all = append(all, r.answer.Warnings...)
	}
	return all
}
