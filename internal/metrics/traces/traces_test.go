package traces

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// spans makes spans of these names, and closes.
func spans(t *testing.T, tr *Traces, names ...string) error {
	t.Helper()
	tracer := tr.Provider().Tracer("test")
	for _, name := range names {
		_, span := tracer.Start(t.Context(), name)
		span.End()
	}
	return tr.Close(t.Context())
}

func TestAFileGetsALineOfJSONForEachSpan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	for _, name := range []string{"first", "second"} { // an opened file is continued
		tr, err := Open(t.Context(), path, Options{Version: "1.2.3"})
		require.NoError(t, err)
		require.NoError(t, spans(t, tr, name))
	}
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	var names []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var span struct {
			Name     string
			Resource []struct {
				Key   string
				Value struct{ Value any }
			}
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &span))
		names = append(names, span.Name)
		resource := map[string]any{}
		for _, a := range span.Resource {
			resource[a.Key] = a.Value.Value
		}
		assert.Equal(t, "kbagent", resource["service.name"])
		assert.Equal(t, "1.2.3", resource["service.version"])
	}
	assert.Equal(t, []string{"first", "second"}, names)
	if info, err := os.Stat(path); assert.NoError(t, err) && runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "only its owner may read what was asked when")
	}
}

// collector is a server that takes traces.
func collector(t *testing.T, status int) (address string, requests chan *http.Request) {
	requests = make(chan *http.Request, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		requests <- r
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL, requests
}

func TestACollectorGetsTracesOverOTLP(t *testing.T) {
	for in, path := range map[string]string{"": "/v1/traces", "/": "/v1/traces", "/otlp/v1/traces": "/otlp/v1/traces"} {
		address, requests := collector(t, http.StatusOK)
		tr, err := Open(t.Context(), address+in, Options{})
		require.NoError(t, err)
		require.NoError(t, spans(t, tr, "a span of mine"))
		r := <-requests
		assert.Equal(t, path, r.URL.Path)
		assert.Equal(t, "application/x-protobuf", r.Header.Get("Content-Type"))
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		assert.Contains(t, string(body), "a span of mine")
		assert.Contains(t, string(body), "kbagent")
	}
}

func TestACollectorThatRefusesIsToldOfAndFailsNothing(t *testing.T) {
	address, _ := collector(t, http.StatusForbidden)
	failures := make(chan error, 1)
	tr, err := Open(t.Context(), address, Options{Failed: func(err error) { failures <- err }})
	require.NoError(t, err)
	require.NoError(t, spans(t, tr, "lost"))
	assert.ErrorContains(t, <-failures, "403")
}

func TestACollectorThatNeverAnswersHoldsNobodyUp(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer s.Close()
	defer close(release)
	failures := make(chan error, 1)
	tr, err := Open(t.Context(), s.URL, Options{Timeout: time.Millisecond, Failed: func(err error) { failures <- err }})
	require.NoError(t, err)
	_ = spans(t, tr, "lost") // whether the provider or the exporter notices first is open
	assert.Error(t, <-failures)
}

func TestClosingSendsAlsoAfterAnInterrupt(t *testing.T) {
	address, requests := collector(t, http.StatusOK)
	ctx, cancel := context.WithCancel(t.Context())
	tr, err := Open(ctx, address, Options{})
	require.NoError(t, err)
	_, span := tr.Provider().Tracer("test").Start(ctx, "cut short")
	cancel()
	span.End()
	require.NoError(t, tr.Close(ctx))
	assert.NotNil(t, <-requests)
}

func TestTargetsThatCannotWorkAreRefused(t *testing.T) {
	for target, want := range map[string]string{
		"": "need a file or the address", "ftp://x": "not to", "http://": "is like", "http://user:secret@host:4318": "OTEL_EXPORTER_OTLP_HEADERS",
		"https://host?key=secret": "no user, query", "http://%zz": "is like",
	} {
		_, err := Open(t.Context(), target, Options{})
		require.ErrorContains(t, err, want, target)
		assert.NotContains(t, err.Error(), "secret")
		assert.Equal(t, err, Check(target))
	}
	_, err := Open(t.Context(), t.TempDir(), Options{})
	assert.ErrorContains(t, err, "the file of traces cannot be opened")
	assert.NoError(t, Check("C:\\traces.jsonl"))
}
