package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxDepth is how deep JSON objects and lists may lie in one another.
const maxDepth = 64

// A node is a JSON value whose fields are in the order of the file.
type node struct {
	scalar string // of a string, number or bool; "" for null
	keys   []string
	values []*node
	kind   byte // '{', '[' or 0 for a scalar
}

// errEnd is returned at the end of the input.
var errEnd = errors.New("end")

// readNode reads the next value; it returns errEnd when there is none.
func readNode(dec *json.Decoder, depth int) (*node, error) {
	token, err := dec.Token()
	if errors.Is(err, io.EOF) && depth == 0 {
		return nil, errEnd
	}
	if err != nil {
		return nil, badJSON(dec, err)
	}
	delim, open := token.(json.Delim)
	if !open {
		return &node{scalar: scalar(token)}, nil
	}
	if depth >= maxDepth {
		return nil, fmt.Errorf("%w: nested deeper than %d", ErrTooLarge, maxDepth)
	}
	n := &node{kind: byte(delim)}
	for dec.More() {
		if n.kind == '{' {
			key, err := readNode(dec, depth+1)
			if err != nil {
				return nil, err
			}
			n.keys = append(n.keys, key.scalar)
		}
		value, err := readNode(dec, depth+1)
		if err != nil {
			return nil, err
		}
		n.values = append(n.values, value)
	}
	if _, err := dec.Token(); err != nil {
		return nil, badJSON(dec, err)
	}
	return n, nil
}

func badJSON(dec *json.Decoder, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends in the middle of a value", ErrMalformed)
	}
	return fmt.Errorf("%w: at offset %d: %w", ErrMalformed, dec.InputOffset(), err)
}

func scalar(token json.Token) string {
	if token == nil {
		return ""
	}
	return strings.ToValidUTF8(fmt.Sprint(token), "\ufffd")
}

// find is the value at a path with dots, nil when there is none.
func (n *node) find(path string) *node {
	for key := range strings.SplitSeq(path, ".") {
		if n = n.field(key); n == nil {
			return nil
		}
	}
	return n
}

// field is the value of the first field that is named like key, whatever the case.
func (n *node) field(key string) *node {
	for i, k := range n.keys {
		if strings.EqualFold(k, key) {
			return n.values[i]
		}
	}
	return nil
}

// records are the values of the longest list of objects, and their path: of the value itself, or of one of its fields.
func (n *node) records() (path string, list *node) {
	if n.listOfObjects() {
		return "", n
	}
	for i, v := range n.values {
		if n.kind == '{' && v.listOfObjects() && (list == nil || len(v.values) > len(list.values)) {
			path, list = n.keys[i], v
		}
	}
	return path, list
}

func (n *node) listOfObjects() bool {
	if n.kind != '[' || len(n.values) == 0 {
		return false
	}
	for _, v := range n.values {
		if v.kind != '{' {
			return false
		}
	}
	return true
}
