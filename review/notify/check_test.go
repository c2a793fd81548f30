package notify_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/review/notify"
)

func TestAWebhookIsCheckedWithoutPostingAndWithoutItsSecret(t *testing.T) {
	var asked atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.Method + " " + r.URL.String())
		http.Error(w, "nothing here", http.StatusNotFound)
	}))
	n, err := notify.NewWebhook(notify.WebhookConfig{URL: server.URL + "/services/T0/s3cret"})
	require.NoError(t, err)
	require.NoError(t, n.Check(t.Context()), "a host that answers is there")
	assert.Equal(t, "HEAD /", asked.Load())

	server.Close()
	err = n.Check(t.Context())
	require.ErrorContains(t, err, "the webhook at 127.0.0.1:")
	assert.NotContains(t, err.Error(), "s3cret")
}

func TestAMailServerIsCheckedUpToTheLoginAndGetsNoMail(t *testing.T) {
	server := &mailServer{auth: "PLAIN", user: "kb", password: password}
	login := func(c *notify.SMTPConfig) { c.User, c.Password = "kb", password }
	require.NoError(t, sender(t, server, login).Check(t.Context()))
	assert.Contains(t, server.heard(), "AUTH PLAIN")
	assert.NotContains(t, server.heard(), "MAIL")

	server = &mailServer{auth: "PLAIN", user: "kb", password: "another"}
	err := sender(t, server, login).Check(t.Context())
	require.ErrorContains(t, err, "log in as kb: 535")
	assert.NotContains(t, err.Error(), password)
}

func TestACheckEndsWithItsContext(t *testing.T) {
	server := &mailServer{hang: "greeting", hung: make(chan struct{})}
	n := sender(t, server, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-server.hung
		cancel()
	}()
	require.ErrorIs(t, n.Check(ctx), context.Canceled)
}
