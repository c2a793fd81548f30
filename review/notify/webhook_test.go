package notify_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/review/notify"
)

// post sends m to a server that answers with do, and returns what the server got.
func post(t *testing.T, with func(*notify.WebhookConfig), m review.Message, do http.HandlerFunc) (got http.Header, body map[string]any, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		got = r.Header
		assert.NoError(t, json.Unmarshal(data, &body))
		do(w, r)
	}))
	defer server.Close()
	c := notify.WebhookConfig{URL: server.URL + "/services/T0/B0/s3cret"}
	if with != nil {
		with(&c)
	}
	n, err := notify.NewWebhook(c)
	require.NoError(t, err)
	return got, body, n.Notify(t.Context(), m)
}

func ok(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }

func TestAWebhookGetsTextThatIsNoMarkup(t *testing.T) {
	header, body, err := post(t, nil, message("Ring <!channel> & all?"), ok)
	require.NoError(t, err)
	require.Len(t, body, 1, "other fields could be refused")
	text := body["text"].(string)
	assert.Contains(t, text, "Ring &lt;!channel&gt; &amp; all?")
	assert.NotContains(t, text, "<!")
	for _, part := range []string{"Priority: medium", "Confidence: 0.50", "- one claim of two is unsupported", "kbagent review show abc123"} {
		assert.Contains(t, text, part)
	}
	assert.Equal(t, "kbagent-review-abc123-smtp", header.Get("Idempotency-Key"))
	assert.Equal(t, "application/json; charset=utf-8", header.Get("Content-Type"))
}

func TestTeamsGetsAnAdaptiveCard(t *testing.T) {
	m := message("Is [this](http://evil.example) *it*?")
	m.URL = "https://kb.example.com/reviews/abc123"
	_, body, err := post(t, func(c *notify.WebhookConfig) { c.Format = notify.Card }, m, ok)
	require.NoError(t, err)
	assert.Equal(t, "message", body["type"])
	assert.Contains(t, body["text"], "Is [this]")
	attached := body["attachments"].([]any)[0].(map[string]any)
	assert.Equal(t, "application/vnd.microsoft.card.adaptive", attached["contentType"])
	card := attached["content"].(map[string]any)
	assert.Equal(t, "AdaptiveCard", card["type"])
	assert.Equal(t, m.URL, card["actions"].([]any)[0].(map[string]any)["url"])
	shown, err := json.Marshal(card["body"])
	require.NoError(t, err)
	assert.Contains(t, string(shown), `Is \\[this\\](http://evil.example) \\*it\\*?`)
}

func TestTheHostSaysWhetherAWebhookIsTeams(t *testing.T) {
	for host, card := range map[string]bool{
		"prod-1.westeurope.logic.azure.com": true, "x.environment.api.powerplatform.com": true, "acme.webhook.office.com": true,
		"hooks.slack.com": false, "powerplatform.com.example.com": false, "localhost:8080": false,
	} {
		var body map[string]any
		n, err := notify.NewWebhook(notify.WebhookConfig{URL: "https://" + host + "/hook", Transport: transport(func(r *http.Request) (*http.Response, error) {
			assert.NoError(t, json.NewDecoder(r.Body).Decode(&body))
			return &http.Response{StatusCode: http.StatusAccepted, Body: http.NoBody}, nil
		})})
		require.NoError(t, err)
		require.NoError(t, n.Notify(t.Context(), message("q")))
		assert.Equal(t, card, body["attachments"] != nil, host)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestWhatAWebhookRefusesIsAnErrorWithoutItsAddress(t *testing.T) {
	for status, answer := range map[int]string{500: "no\x1b[31m\nway", 404: "no_service", 302: "elsewhere"} {
		_, _, err := post(t, nil, message("q"), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(status)
			io.WriteString(w, answer)
		})
		require.Error(t, err)
		assert.Contains(t, err.Error(), http.StatusText(status)+": "+strings.ReplaceAll(strings.ReplaceAll(answer, "\x1b", ""), "\n", " "))
		assert.NotContains(t, err.Error(), "s3cret")
	}
	n, err := notify.NewWebhook(notify.WebhookConfig{URL: "http://127.0.0.1:1/s3cret"})
	require.NoError(t, err)
	err = n.Notify(t.Context(), message("q"))
	require.ErrorContains(t, err, "the webhook at 127.0.0.1:1: dial tcp")
	assert.NotContains(t, err.Error(), "s3cret")
}

func TestTheServersWishForLaterIsKept(t *testing.T) {
	_, _, err := post(t, nil, message("q"), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	var retry *review.RetryError
	require.ErrorAs(t, err, &retry)
	assert.Equal(t, 2*time.Minute, retry.After)
}

func TestAWebhookThatHangsIsLeftWhenTheTimeIsOver(t *testing.T) {
	over := errors.New("the time is over")
	ctx, cancel := context.WithCancelCause(t.Context())
	asked := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		close(asked)
		<-r.Context().Done()
	}))
	defer server.Close()
	go func() {
		<-asked
		cancel(over)
	}()
	n, err := notify.NewWebhook(notify.WebhookConfig{URL: server.URL})
	require.NoError(t, err)
	require.ErrorIs(t, n.Notify(ctx, message("q")), over)
}

func TestWhatIsMaskedDoesNotLeave(t *testing.T) {
	mask := func(s string) string { return strings.ReplaceAll(s, "4111 1111 1111 1111", "****") }
	_, body, err := post(t, func(c *notify.WebhookConfig) { c.Mask = mask }, message("Is 4111 1111 1111 1111 mine?"), ok)
	require.NoError(t, err)
	assert.Contains(t, body["text"], "Is **** mine?")
	assert.NotContains(t, body["text"], "4111")
}

func TestWebhookSettingsThatCannotWorkAreRefusedWithoutTheAddress(t *testing.T) {
	for _, url := range []string{"", "hooks.example.com/s3cret", "ftp://example.com/s3cret", "http://[s3cret"} {
		_, err := notify.NewWebhook(notify.WebhookConfig{URL: url})
		require.ErrorContains(t, err, "not http://… or https://…")
		assert.NotContains(t, err.Error(), "s3cret")
	}
	_, err := notify.NewWebhook(notify.WebhookConfig{URL: "https://example.com", Format: "html"})
	require.ErrorContains(t, err, `not "html"`)
}
