package traffic

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
)

// Sequence is a transport that gives the answers of a recording one after another, whatever is asked: for reading what the
// models have said. Only whole answers with status 200 count, and none of embeddings. It belongs to one goroutine.
type Sequence struct{ left []*exchange }

// errSequenceEnd reports a request behind the last answer.
var errSequenceEnd = errors.New("traffic: the recording holds no further answer")

// OpenSequence reads a recording. A file that is cut or is no recording is a [*FormatError].
func OpenSequence(path string) (*Sequence, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("traffic: read answers: %w", err)
	}
	defer file.Close()
	_, all, err := readFile(file, path)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b *exchange) int { return cmp.Compare(a.N, b.N) })
	return &Sequence{slices.DeleteFunc(all, func(e *exchange) bool {
		return !e.whole() || e.Method != http.MethodPost || strings.HasSuffix(e.Path, "/embeddings")
	})}, nil
}

// whole says whether the client got all that it wanted. A stream has a last event, behind which it may stop to read.
func (e *exchange) whole() bool {
	return e.Status == http.StatusOK && (e.Failure == nil || e.Failure.Kind == kindLeft)
}

// Next tells about the answer to the next request: the path that was asked, and whether it was streamed. ok is false when
// there is none.
func (s *Sequence) Next() (path string, streamed, ok bool) {
	if len(s.left) == 0 {
		return "", false, false
	}
	e := s.left[0]
	return e.Path, strings.HasPrefix(e.Header["Content-Type"], "text/event-stream"), true
}

// RoundTrip implements http.RoundTripper.
func (s *Sequence) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, err := takeBody(req); err != nil {
		return nil, err
	}
	if len(s.left) == 0 {
		return nil, errSequenceEnd
	}
	e := s.left[0]
	s.left = s.left[1:]
	return e.response(req), nil
}
