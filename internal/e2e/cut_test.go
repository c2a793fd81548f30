package e2e

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/nodes"
)

// proxy stands before the server and passes TCP on. It breaks a connection before the nth event of a stream, as a server
// does that is killed.
type proxy struct {
	listener net.Listener
	upstream string
	all      sync.WaitGroup

	mu   sync.Mutex
	at   int // the event before which it breaks off, from 1
	cuts int // of answers without their end
}

func newProxy(t *testing.T, base string) (p *proxy, proxied string) {
	t.Helper()
	u, err := url.Parse(base)
	require.NoError(t, err)
	if u.Scheme != "http" {
		t.Skip("a server behind TLS cannot be cut from outside")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p = &proxy{listener: listener, upstream: u.Host}
	if u.Port() == "" {
		p.upstream = net.JoinHostPort(u.Hostname(), "80")
	}
	p.all.Go(p.serve)
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		p.all.Wait()
	})
	u.Host = listener.Addr().String()
	return p, u.String()
}

// cutAt sets the event and forgets the cuts so far.
func (p *proxy) cutAt(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.cuts = n, 0
}

func (p *proxy) wasCut() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts > 0
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		p.all.Go(func() { p.pass(client) })
	}
}

// pass connects a client with the server until either goes, or the cut.
func (p *proxy) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.upstream)
	if err != nil {
		return // the client sees it
	}
	defer server.Close()
	var requests sync.WaitGroup
	requests.Go(func() {
		io.Copy(server, client) // it ends with either connection
		server.Close()
	})
	p.answers(client.(*net.TCPConn), server)
	client.Close()
	requests.Wait()
}

// answers copies what the server sends and counts the events in it.
func (p *proxy) answers(client *net.TCPConn, server net.Conn) {
	buffer := make([]byte, 32<<10)
	var seen counter
	var answer []byte // of the connection so far
	for {
		n, err := server.Read(buffer)
		data := buffer[:n]
		p.mu.Lock()
		keep, cut := seen.until(data, p.at)
		answer = append(answer, data[:keep]...)
		if cut && !ended(answer) {
			p.cuts++
		}
		p.mu.Unlock()
		if _, broken := client.Write(data[:keep]); broken != nil {
			return
		}
		if cut {
			client.SetLinger(0) // without it the end is in good order, which is a cut as well
			return
		}
		if err != nil {
			return
		}
	}
}

// ended tells whether the last answer on a connection holds its stop reason: then a break is no cut.
func ended(answers []byte) bool {
	last := answers[max(0, bytes.LastIndex(answers, headerMark)):]
	return bytes.Contains(last, []byte(`"finish_reason":"`)) || bytes.Contains(last, []byte(`"message_stop"`))
}

// counter counts the events of the streams on one connection, across reads.
type counter struct {
	tail   []byte
	events int
}

var (
	eventMark  = []byte("data: ")
	headerMark = []byte("HTTP/1.1 ")
)

// until is how much of data may pass before the event at, and whether that event is in it.
func (c *counter) until(data []byte, at int) (keep int, cut bool) {
	all := append(bytes.Clone(c.tail), data...)
	old := len(c.tail)
	for i := range all {
		rest := all[i:]
		switch {
		case bytes.HasPrefix(rest, headerMark) && i+len(headerMark) > old:
			c.events = 0 // another answer on the connection
		case bytes.HasPrefix(rest, eventMark) && i+len(eventMark) > old:
			if c.events++; c.events == at {
				return max(i-old, 0), true
			}
		}
	}
	c.tail = bytes.Clone(all[max(0, len(all)-len(headerMark)+1):])
	return len(data), false
}

// The server is killed in the middle of the streamed answer, before each of its first 20 events: the run ends in an
// error, or in a whole answer of the built-in synthesizer with a warning; never in what came until then.
func TestAServerThatIsKilledInMidStreamNeverGivesACutAnswer(t *testing.T) {
	e := server(t)
	p, base := newProxy(t, e.base)
	w := build(t, e, options{base: base, retries: 1, settings: approved, roles: []string{nodes.RoleSynthesizer}})
	cuts := 0
	for k := 1; k <= 20; k++ {
		p.cutAt(k)
		r, err := w.ask(t.Context(), agent.Question{Text: "How long are old logs kept?"})
		if err != nil {
			require.False(t, errors.Is(err, io.EOF) && r.answer.Answer != "")
			t.Logf("cut before event %d: %v", k, err)
			continue
		}
		whole(t, r)
		if !p.wasCut() {
			continue // the stream was shorter
		}
		cuts++
		assert.True(t, warned(r.answer.Warnings, nodes.RoleSynthesizer), "cut before event %d, and no warning says so: %q, answer %q", k, r.answer.Warnings, r.answer.Answer)
		assert.NotContains(t, strings.Join(r.answer.Warnings, " "), "answer was cut by its length limit")
	}
	p.cutAt(0)
	t.Logf("%d of 20 streams were cut", cuts)
	r, err := w.ask(t.Context(), agent.Question{Text: "How long are old logs kept?"})
	require.NoError(t, err)
	whole(t, r)
	assert.Positive(t, cuts, "no stream was cut: the proxy does not see them")
}

func TestTheProxyFindsEventsAcrossReads(t *testing.T) {
	text := "HTTP/1.1 200 OK\r\n\r\ndata: a\n\ndata: b\n\nHTTP/1.1 200 OK\r\n\r\ndata: c\n\ndata: d\n\ndata: e\n\n"
	for size := 1; size <= len(text); size++ {
		var c counter
		var passed strings.Builder
		cut := false
		for rest := text; rest != "" && !cut; {
			n := min(size, len(rest))
			var keep int
			keep, cut = c.until([]byte(rest[:n]), 3)
			passed.WriteString(rest[:keep])
			rest = rest[n:]
		}
		require.True(t, cut, "reads of %d bytes", size)
		before := text[:strings.Index(text, "data: e")]
		assert.True(t, strings.HasPrefix(text, passed.String()))
		assert.GreaterOrEqual(t, passed.Len(), len(before), "reads of %d bytes", size)
		assert.Less(t, passed.Len(), len(before)+len("data: "), "reads of %d bytes", size)
	}
}
