package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// exchange is the state of one request, found through its context: langchaingo sits in between.
type exchange struct {
	call  *call
	watch *watch
	err   error
}

type exchangeKey struct{}

// doer is the HTTP client that langchaingo gets.
type doer struct{ endpoint *endpoint }

// Do sends langchaingo's request in our words and answers with a whole, checked completion.
func (d doer) Do(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errors.New("llm: a request outside a call")
	}
	var raw []byte
	var reply *completion
	reply, x.err = d.endpoint.chat(req, x)
	if x.err == nil {
		raw, x.err = json.Marshal(reply)
	}
	if x.err != nil {
		return nil, x.err
	}
	return jsonResponse(req, raw), nil
}

// jsonResponse is what langchaingo gets to read.
func jsonResponse(req *http.Request, raw []byte) *http.Response {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Request: req,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(raw)),
		ContentLength: int64(len(raw)),
	}
}
