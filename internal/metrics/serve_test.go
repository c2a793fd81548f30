package metrics

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/nodes"
)

func TestAnAddressWithoutAHostIsThisMachineOnly(t *testing.T) {
	for in, want := range map[string]string{
		"9464": "127.0.0.1:9464", ":9464": "127.0.0.1:9464", "0": "127.0.0.1:0", "0.0.0.0:80": "0.0.0.0:80", "[::]:80": "[::]:80", "box:80": "box:80",
	} {
		got, err := Address(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, got)
	}
	for _, in := range []string{"", ":", "localhost", "localhost:", "localhost:http", "1:2:3", "::1", "65536", "-1", "+1", "01", "http://localhost:80"} {
		_, err := Address(in)
		assert.Error(t, err, in)
	}
}

// get asks a handler.
func get(h http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

func TestTheHandlerServesMetricsAndHealthAndNothingElse(t *testing.T) {
	c := told(t, said(nodes.AuditRunStart))
	h := Handler(c, slog.New(slog.DiscardHandler))
	w := get(h, "GET", "/metrics")
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Contains(t, w.Header().Get("Content-Type"), "text/plain; version=0.0.4")
	assert.Contains(t, w.Body.String(), "kbagent_runs_started_total 1\n")
	assert.Contains(t, w.Body.String(), "go_goroutines ")
	w = get(h, "GET", "/healthz")
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, "ok\n", w.Body.String())
	assert.Equal(t, http.StatusNotFound, get(h, "GET", "/").Code)
	assert.Equal(t, http.StatusMethodNotAllowed, get(h, "POST", "/metrics").Code)
	require.NoError(t, c.Record(said(nodes.AuditRunStart)))
	_ = c.Record(nodes.Line{Thread: "another", Action: nodes.AuditRunStart})
	assert.Contains(t, get(h, "GET", "/metrics").Body.String(), "kbagent_runs_started_total 2\n")
}

func TestAScrapeThatIsUnderWayEndsBeforeTheServer(t *testing.T) {
	inside, release := make(chan struct{}), make(chan struct{})
	slow := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(inside)
		<-release
		_, _ = io.WriteString(w, "whole")
	})
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, slow) }()

	conn, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	require.NoError(t, err)
	<-inside
	cancel()
	close(release)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Equal(t, "whole", string(body))
	assert.NoError(t, <-served)
	_, err = net.Dial("tcp", l.Addr().String())
	assert.Error(t, err, "the port is free again")
}

func TestAServerThatCannotServeSaysSo(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	assert.ErrorIs(t, Serve(t.Context(), l, http.NotFoundHandler()), net.ErrClosed)
}

func TestGoroutinesRecordAndScrapeTogether(t *testing.T) {
	c := New(Options{})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				for _, example := range cases {
					for _, l := range example.lines {
						l.Thread, l.Run = strings.Repeat("t", g), strings.Repeat("r", i%3)
						_ = c.Record(l)
					}
				}
			}
		})
		wg.Go(func() {
			assert.NoError(t, c.WriteText(io.Discard))
			_, err := c.Report()
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	assert.Contains(t, exposition(t, c), "kbagent_evidence_removed_total 400\n")
}
