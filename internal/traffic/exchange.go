package traffic

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"unicode/utf8"
)

// version is the version of the file format.
const version = 1

// line is one line of a recording; exactly one of its fields is set.
type line struct {
	Head     *head     `json:"traffic,omitempty"`
	Exchange *exchange `json:"exchange,omitempty"`
	End      *end      `json:"end,omitempty"`
}

// head is the first line.
type head struct {
	Version int    `json:"version"`
	Seed    string `json:"seed"` // of the fences
}

// end is the last line.
type end struct {
	Exchanges int `json:"exchanges"`
}

// exchange is one request and what came of it.
type exchange struct {
	N       int               `json:"n"` // requests are counted from 1 in the order in which they began
	Method  string            `json:"method"`
	Path    string            `json:"path"`              // of a model's server; the whole URL of a page
	Request json.RawMessage   `json:"request,omitempty"` // canonical
	Status  int               `json:"status,omitempty"`  // 0 when no answer came
	Header  map[string]string `json:"header,omitempty"`
	Body    []chunk           `json:"body,omitempty"`
	Failure *failure          `json:"failure,omitempty"` // what came in place of an answer, or of the rest of its body

	at int // line of the file
}

// recordedHeaders are the headers of an answer that a client looks at.
var recordedHeaders = []string{"Content-Type", "Retry-After", "Location", "Content-Encoding", "Etag", "Last-Modified"}

// check is the reason why an exchange cannot be replayed; nil when it can.
func (e *exchange) check() error {
	switch {
	case e.N < 1:
		return errors.New("an exchange has no number")
	case e.Method == "" || e.Path == "":
		return errors.New("an exchange has no method or no path")
	case e.Status == 0 && (e.Failure == nil || len(e.Body) > 0):
		return errors.New("an exchange has neither an answer nor a failure")
	case e.Status != 0 && (e.Status < 100 || e.Status > 999):
		return errors.New("an exchange has an impossible status")
	}
	return e.Failure.check()
}

// key is what requests are found by.
func (e *exchange) key() string { return e.Method + " " + e.Path + "\n" + string(e.Request) }

func (e *exchange) keepHeader(h http.Header) {
	for _, name := range recordedHeaders {
		if value := h.Get(name); value != "" {
			if e.Header == nil {
				e.Header = map[string]string{}
			}
			e.Header[name] = value
		}
	}
}

// chunk is what one read of a body gave. In JSON it is a string, or an object with base64 where it is not UTF-8.
type chunk []byte

type binaryChunk struct {
	Base64 string `json:"base64"`
}

// MarshalJSON implements json.Marshaler.
func (c chunk) MarshalJSON() ([]byte, error) {
	if utf8.Valid(c) {
		return encode(string(c))
	}
	return encode(binaryChunk{base64.StdEncoding.EncodeToString(c)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *chunk) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err == nil {
		*c = chunk(text)
		return nil
	}
	var binary binaryChunk
	if err := json.Unmarshal(raw, &binary); err != nil {
		return err
	}
	data, err := base64.StdEncoding.DecodeString(binary.Base64)
	*c = data
	return err
}
