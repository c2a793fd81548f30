package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Server answers like an OpenAI-compatible server, as its script says. Make one with [NewServer]; it
// is safe for concurrent use.
type Server struct {
	// URL is the base URL, up to and including /v1.
	URL string

	t       testing.TB
	http    *httptest.Server
	closing chan struct{}

	mu         sync.Mutex
	script     []Reply
	embeddings []Reply
	handler    func(Request) Reply
	models     []string
	requests   []Request
	embedded   []EmbeddingRequest
	embedder   func(EmbeddingRequest) Reply
	pings      int
}

// NewServer starts a server that ends with the test. Then every scripted reply must have been asked
// for: one left over fails the test, and so does a chat request beyond the script.
// Embeddings are answered by [Embed] unless scripted.
func NewServer(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, closing: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("POST /v1/embeddings", s.embed)
	mux.HandleFunc("GET /v1/models", s.list)
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL + "/v1"
	t.Cleanup(s.end)
	return s
}

// Close ends the server early: from now on connections are refused. Closing twice is fine.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.closing:
	default:
		close(s.closing)
	}
	s.mu.Unlock()
	s.http.Close()
}

func (s *Server) end() {
	s.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.script) + len(s.embeddings); n > 0 && !s.t.Failed() {
		s.t.Errorf("llmtest: %d scripted replies were never asked for", n)
	}
}

// Reply appends to the script of chat replies, which are given in order.
func (s *Server) Reply(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, replies...)
}

// ReplyEmbeddings appends to the script of embedding replies; when it is used up, [Embed] answers.
func (s *Server) ReplyEmbeddings(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.embeddings = append(s.embeddings, replies...)
}

// HandleEmbeddings lets f decide by the request, once the script is used up, which it sees among EmbeddingRequests already. f may be
// called concurrently.
func (s *Server) HandleEmbeddings(f func(EmbeddingRequest) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.embedder = f
}

// Handle lets f decide by the request, once the script is used up. f may be called concurrently.
func (s *Server) Handle(f func(Request) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handler = f
}

// Models sets what GET /v1/models lists. Without it the list is empty.
func (s *Server) Models(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = names
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	var request Request
	if !s.read(w, r, &request) {
		return
	}
	request.Header = r.Header.Clone()
	s.next(request).serve(&exchange{w: w, r: r, request: request, closing: s.closing})
}

// next records the request and takes its reply from the script.
func (s *Server) next(request Request) Reply {
	s.mu.Lock()
	s.requests = append(s.requests, request)
	handler, reply := s.handler, Reply{}
	if len(s.script) > 0 {
		reply, s.script, handler = s.script[0], s.script[1:], nil
	}
	s.mu.Unlock()
	if handler != nil { // unlocked: it may look at the server
		reply = handler(request)
	}
	if reply.serve == nil {
		s.t.Errorf("llmtest: no reply is scripted for chat request %d", len(s.Requests()))
		return Status(http.StatusTeapot, "")
	}
	return reply
}

func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	var request EmbeddingRequest
	if !s.read(w, r, &request) {
		return
	}
	request.Header = r.Header.Clone()
	s.mu.Lock()
	s.embedded = append(s.embedded, request)
	reply, embedder := Vectors(request.Input), s.embedder
	if len(s.embeddings) > 0 {
		reply, s.embeddings, embedder = s.embeddings[0], s.embeddings[1:], nil
	}
	s.mu.Unlock()
	if embedder != nil { // unlocked: it may look at the server
		reply = embedder(request)
	}
	reply.serve(&exchange{w: w, r: r, closing: s.closing})
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	s.pings++
	data := make([]map[string]string, len(s.models))
	for i, name := range s.models {
		data[i] = map[string]string{"id": name, "object": "model"}
	}
	s.mu.Unlock()
	writeJSON(w, map[string]any{"object": "list", "data": data})
}

// read decodes a request; one that no server would take fails the test.
func (s *Server) read(w http.ResponseWriter, r *http.Request, into any) bool {
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if keeper, ok := into.(interface{ keep([]byte) }); ok {
		keeper.keep(raw)
	}
	if err == nil {
		return true
	}
	if r.Context().Err() == nil {
		s.t.Errorf("llmtest: an unreadable request: %v", err)
	}
	http.Error(w, fmt.Sprint(err), http.StatusBadRequest)
	return false
}
