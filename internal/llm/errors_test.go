package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

func TestEachStatusSaysWhatToCheck(t *testing.T) {
	for code, want := range map[int]string{
		302: "check the base URL",
		400: "what this model supports",
		401: "check the API key",
		403: "check its permissions",
		404: "check the model name and the base URL",
		413: "send less context",
		429: "slow down or check the quota",
		503: "try again later",
	} {
		s := llmtest.NewServer(t)
		s.Reply(llmtest.Status(code, ""))
		_, err := newModel(t, s, func(c *llm.Config) { c.MaxRetries = -1 }).Call(t.Context(), "x")
		require.ErrorContains(t, err, want, "status %d", code)
		assert.ErrorContains(t, err, s.URL)
		assert.ErrorContains(t, err, fmt.Sprintf("HTTP %d", code))
		assert.ErrorContains(t, err, fmt.Sprintf("scripted status %d", code), "the server's own words")
	}
}

func TestAStatusErrorKeepsRetryAfterAndBody(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.StatusBody(429, "17", `{"error":{"message":"slow down"}}`))
	_, err := newModel(t, s, func(c *llm.Config) { c.MaxRetries = -1 }).Call(t.Context(), "x")
	var status *llm.StatusError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, "17s", status.RetryAfter.String())
	assert.Equal(t, `{"error":{"message":"slow down"}}`, status.Body)
	assert.Equal(t, s.URL, status.Endpoint)
	assert.ErrorContains(t, err, "wait 17s (the server said: slow down)")
}

func TestALongOrUglyBodyStaysShortAndOnOneLine(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.StatusBody(400, "", "<html>\r\n\x1b[31m"+strings.Repeat("ä", 50_000)))
	_, err := newModel(t, s).Call(t.Context(), "x")
	var status *llm.StatusError
	require.ErrorAs(t, err, &status)
	assert.LessOrEqual(t, len(status.Body), 2048)
	assert.Less(t, len(err.Error()), 600)
	assert.NotContains(t, err.Error(), "\n")
	assert.NotContains(t, err.Error(), "\x1b")
	assert.NotContains(t, err.Error(), "\uFFFD", "no character is cut in half")
}

func TestAnErrorObjectWithAGoodStatusIsAStatusError(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(
		llmtest.Raw("application/json", `{"error":{"message":"upstream is busy","code":502}}`), llmtest.Text("fine"),
		llmtest.Raw("application/json", `{"error":"no such model"}`),
	)
	m := newModel(t, s)
	text, err := m.Call(t.Context(), "x")
	require.NoError(t, err, "its code says that it is temporary")
	assert.Equal(t, "fine", text)
	_, err = m.Call(t.Context(), "x")
	var status *llm.StatusError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, 200, status.Status)
	assert.ErrorContains(t, err, "no such model")
}

func TestAReplyOfAnotherKindIsMalformedAndSaysToCheckTheBaseURL(t *testing.T) {
	for name, reply := range map[string]llmtest.Reply{
		"a login page":     llmtest.Raw("text/html", "<html>please log in</html>"),
		"no choices":       llmtest.Raw("application/json", `{"object":"list","data":[]}`),
		"wrong types":      llmtest.Raw("application/json", `{"choices":"none"}`),
		"a number as text": llmtest.Raw("application/json", `{"choices":[{"message":{"content":7},"finish_reason":"stop"}]}`),
		"nothing at all":   llmtest.Raw("application/json", ""),
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.NewServer(t)
			s.Reply(reply, reply)
			m := newModel(t, s)
			_, err := ask(t, m)
			require.ErrorIs(t, err, llm.ErrMalformed)
			assert.ErrorContains(t, err, "check the base URL")
			_, err = ask(t, m, new(collector).option())
			require.ErrorIs(t, err, llm.ErrMalformed, "streamed as well")
		})
	}
}

func TestAServerThatIsNotThereIsUnreachable(t *testing.T) {
	s := llmtest.NewServer(t)
	m := newModel(t, s, func(c *llm.Config) { c.MaxRetries = 1 })
	s.Close()
	for name, options := range map[string]bool{"whole": false, "streamed": true} {
		t.Run(name, func(t *testing.T) {
			var err error
			if options {
				_, err = ask(t, m, new(collector).option())
			} else {
				_, err = ask(t, m)
			}
			require.ErrorIs(t, err, llm.ErrUnreachable)
			var op *net.OpError
			require.ErrorAs(t, err, &op, "the cause is kept")
			assert.ErrorContains(t, err, "cannot reach "+s.URL)
			assert.ErrorContains(t, err, "check the base URL and that the server is running")
		})
	}
}

func TestAnUnknownHostIsUnreachable(t *testing.T) {
	dns := &net.DNSError{Err: "no such host", Name: "model.test", IsNotFound: true}
	transport := &fakeTransport{answers: answers(func(*http.Request) (*http.Response, error) { return nil, dns })}
	_, err := fakeModel(t, transport, func(c *llm.Config) { c.MaxRetries = -1 }).Call(t.Context(), "x")
	require.ErrorIs(t, err, llm.ErrUnreachable)
	assert.ErrorContains(t, err, `the host name "model.test" cannot be resolved`)
}

func TestACertificateThatIsNotTrustedIsUnreachableAndNotTriedAgain(t *testing.T) {
	var connections int
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections++
		}
	}
	s.StartTLS()
	m, err := llm.New(llm.Config{BaseURL: s.URL + "/v1", Model: "tiny"})
	require.NoError(t, err)
	_, err = m.Call(t.Context(), "x")
	s.Close() // after it connections is ours alone
	require.ErrorIs(t, err, llm.ErrUnreachable)
	assert.ErrorContains(t, err, "certificate is not trusted")
	assert.Equal(t, 1, connections)
}

func TestHTTPSToAServerWithoutTLSSaysSo(t *testing.T) {
	s := llmtest.NewServer(t)
	m, err := llm.New(llm.Config{BaseURL: strings.Replace(s.URL, "http:", "https:", 1), Model: "tiny"})
	require.NoError(t, err)
	_, err = m.Call(t.Context(), "x")
	require.ErrorIs(t, err, llm.ErrUnreachable)
	assert.ErrorContains(t, err, "does not speak TLS: check https or http")

	transport := &fakeTransport{answers: answers(func(*http.Request) (*http.Response, error) { return nil, http.ErrSchemeMismatch })}
	_, err = fakeModel(t, transport).Call(t.Context(), "x")
	require.ErrorIs(t, err, llm.ErrUnreachable)
	assert.Len(t, transport.at, 1, "it is not tried again")
}

func TestARedirectIsNotFollowedSoThatTheKeyGoesNowhereElse(t *testing.T) {
	transport := &fakeTransport{answers: answers(status(307, http.Header{"Location": {"http://evil.test/v1/chat/completions"}}, ""))}
	_, err := fakeModel(t, transport, func(c *llm.Config) { c.APIKey = secret }).Call(t.Context(), "x")
	var redirect *llm.StatusError
	require.ErrorAs(t, err, &redirect)
	assert.Equal(t, []string{"model.test"}, transport.hosts)
	assert.ErrorContains(t, err, "it redirects")
}

func TestTheKeyReachesTheServerButNoError(t *testing.T) {
	withKey := func(c *llm.Config) { c.APIKey, c.MaxRetries = secret, -1 }
	for name, reply := range map[string]llmtest.Reply{
		"status":           llmtest.StatusBody(401, "", `{"error":{"message":"Incorrect API key provided: `+secret+`"}}`),
		"error object":     llmtest.Raw("application/json", `{"error":"bad key `+secret+`"}`),
		"malformed":        llmtest.Raw("application/json", "who is "+secret+"?"),
		"mid-stream error": llmtest.Stream(`data: {"error":{"message":"revoked: ` + secret + `"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.NewServer(t)
			s.Reply(reply)
			m := newModel(t, s, withKey)
			_, err := ask(t, m, new(collector).option())
			require.Error(t, err)
			for e := err; e != nil; e = errors.Unwrap(e) {
				assert.NotContains(t, fmt.Sprintf("%v %+v %#v", e, e, e), secret)
			}
			assert.Equal(t, "Bearer "+secret, s.Requests()[0].Header.Get("Authorization"))
		})
	}
	t.Run("unreachable", func(t *testing.T) {
		transport := &fakeTransport{answers: answers(func(*http.Request) (*http.Response, error) {
			return nil, &url.Error{Op: "Post", URL: "http://proxy.test", Err: errors.New("proxy refused " + secret)}
		})}
		_, err := fakeModel(t, transport, withKey).Call(t.Context(), "x")
		require.ErrorIs(t, err, llm.ErrUnreachable)
		assert.NotContains(t, err.Error(), secret)
	})
}

func TestWithoutAKeyNoAuthorizationIsSentWhateverTheEnvironmentSays(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", secret)
	t.Setenv("OPENAI_ORGANIZATION", "org-of-somebody")
	t.Setenv("OPENAI_BASE_URL", "http://elsewhere.test")
	t.Setenv("OPENAI_MODEL", "expensive")
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("fine"))
	_, err := ask(t, newModel(t, s))
	require.NoError(t, err)
	got := s.Requests()[0]
	assert.NotContains(t, got.Header, "Authorization")
	assert.NotContains(t, got.Header, "Openai-Organization")
	assert.Equal(t, "kbagent", got.Header.Get("User-Agent"))
	assert.Equal(t, "tiny", got.Model)
}

func TestErrorsOfTheCallersContextWinOverEveryOther(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	transport := &fakeTransport{answers: answers(func(r *http.Request) (*http.Response, error) {
		cancel()
		return status(401, nil, "")(r)
	})}
	_, err := fakeModel(t, transport).GenerateContent(ctx, question("x"))
	require.Equal(t, context.Canceled, err)
}
