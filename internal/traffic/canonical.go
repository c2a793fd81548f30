package traffic

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// canonical is the form of a request's body that requests are compared by, always a JSON value: JSON with sorted keys
// and exact numbers and without white space, as normalize leaves it; another body is a JSON string, none is nil.
func canonical(body []byte, normalize func([]byte) []byte) (json.RawMessage, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, nil
	}
	var value any = string(body)
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var tree any
	if decoder.Decode(&tree) == nil && errors.Is(decoder.Decode(new(any)), io.EOF) {
		value = tree
	}
	raw, err := encode(value)
	if err != nil {
		return nil, err
	}
	raw = normalize(raw)
	if json.Valid(raw) {
		return raw, nil
	}
	return encode(string(raw)) // a normalizer that broke the JSON: still comparable
}

// encode writes one line of JSON without the escapes that only browsers need.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// takeBody reads the body of a request to its end and closes it, as a transport has to.
func takeBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(req.Body)
	return body, errors.Join(err, req.Body.Close())
}
