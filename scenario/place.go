package scenario

import (
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// place is the node at a path like "given.model[2].reply", or the nearest one above it that is there.
func place(body ast.Node, path string) ast.Node {
	at := body
	for _, key := range strings.Split(path, ".") {
		name, indexes, _ := strings.Cut(key, "[")
		next := child(at, name)
		if next == nil {
			return at
		}
		at = next
		for _, index := range strings.Split(indexes, "[") {
			if index == "" {
				continue
			}
			n, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
			list, ok := unwrap(at).(*ast.SequenceNode)
			if err != nil || !ok || n >= len(list.Values) {
				return at
			}
			at = list.Values[n]
		}
	}
	return at
}

// child is the value of a key; nil when there is none.
func child(n ast.Node, key string) ast.Node {
	list, _ := entries(n)
	for _, e := range list {
		if e.key == key {
			return e.value
		}
	}
	return nil
}
