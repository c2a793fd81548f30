package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/config"
)

// stagesOf is what doctor says about the stages under these settings, by name.
func stagesOf(t *testing.T, environ ...string) map[string]check {
	t.Helper()
	cfg, err := config.Load(config.Options{Environ: environ})
	require.NoError(t, err)
	all := map[string]check{}
	for _, c := range checkStages(t.Context(), cfg, false) {
		all[c.Name] = c
	}
	return all
}

// deadServer is the address of a server that has gone.
func deadServer() string {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	return s.URL
}

func TestDoctorFailsForHostsThatAQuestionWouldFailFor(t *testing.T) {
	c := stagesOf(t, "KB_AGENT_WEB_ALLOW=10.0.0.0/99")["web search"]
	assert.Equal(t, stateFailed, c.State)
	assert.Contains(t, c.Detail, `KB_AGENT_WEB_ALLOW: netguard: "10.0.0.0/99"`)
}

func TestDoctorAsksThoseWhoAreToldOfReviews(t *testing.T) {
	var posts int
	alive := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead {
			posts++
		}
	}))
	defer alive.Close()
	c := stagesOf(t, "KB_AGENT_REVIEW=provisional", "KB_AGENT_VERIFY=on", "KB_AGENT_REVIEW_WEBHOOK_URL="+alive.URL+"/s3cret")["review"]
	assert.Equal(t, check{"review", stateOK, "provisional, to be decided within 2h0m0s; told: a webhook"}, c)
	assert.Zero(t, posts, "nothing is posted")

	c = stagesOf(t, "KB_AGENT_REVIEW=provisional", "KB_AGENT_VERIFY=on", "KB_AGENT_REVIEW_WEBHOOK_URL="+deadServer()+"/s3cret",
		"KB_AGENT_SMTP_HOST=127.0.0.1", "KB_AGENT_SMTP_PORT=1", "KB_AGENT_SMTP_FROM=kb@example.com", "KB_AGENT_SMTP_TO=ada@example.com")["review"]
	assert.Equal(t, stateFailed, c.State)
	assert.Regexp(t, `^the webhook at 127.0.0.1:\d+: .*refused; the mail server 127.0.0.1:1: .*refused: reviews are queued, and what cannot be sent waits$`, c.Detail)
	assert.NotContains(t, c.Detail, "s3cret")
}

func TestDoctorTellsAProviderThatNothingUses(t *testing.T) {
	c := stagesOf(t, "KB_AGENT_SEARXNG_URL=http://localhost:8080")["web search"]
	assert.Equal(t, stateOff, c.State)
	assert.Contains(t, c.Detail, "there is a provider")
}
