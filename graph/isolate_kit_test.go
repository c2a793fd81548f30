package graph_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/kbagent/kbagent/graph"
)

// A rich has every kind of thing that a state may hold.
type rich struct {
	List   []string         `json:"list"`
	Nested []richPart       `json:"nested"`
	Table  map[string][]int `json:"table"`
	Link   *richPart        `json:"link"`
	Free   any              `json:"free"`
	Raw    json.RawMessage  `json:"raw"`
	Time   time.Time        `json:"time"`
	Pair   [2]float64       `json:"pair"`
	Func   func()           `json:"-"`
}

type richPart struct {
	Words []string `json:"words"`
	Seen  bool     `json:"seen"`
}

func newRich() rich {
	return rich{
		List: []string{"a", "b"}, Nested: []richPart{{Words: []string{"w"}}}, Table: map[string][]int{"t": {1}},
		Link: &richPart{Words: []string{"l"}}, Free: map[string]any{"k": []any{"v"}}, Raw: json.RawMessage(`{"r":1}`),
		Time: noon, Pair: [2]float64{1, 2},
	}
}

// A change is an update that may do anything to the state that it is applied to.
type change struct {
	Do string `json:"do"`
}

var changes = map[string]func(*rich){}

func (s rich) Apply(u change) (rich, error) {
	if do := changes[u.Do]; do != nil {
		do(&s)
	}
	return s, nil
}

// richNode is a graph of one node.
func richNode(t testing.TB, fn graph.NodeFunc[rich, change], opts ...graph.NodeOption) *graph.App[rich, change] {
	return compile(t, func(g *graph.Graph[rich, change]) {
		n := g.Node("n", fn, opts...)
		g.Start(n)
		g.Edge(n, graph.End)
	}, graph.Isolate())
}

// withChange lets Apply do something when the update says so.
func withChange(t testing.TB, name string, do func(*rich)) {
	changes[name] = do
	t.Cleanup(func() { delete(changes, name) })
}

// misdeeds are ways to write memory that is not one's own, with the field that they write.
var misdeeds = map[string]struct {
	field string
	do    func(*rich)
}{
	"an element":                     {"List[0]", func(s *rich) { s.List[0] = "x" }},
	"a plain append":                 {"List behind its last element", func(s *rich) { s.List = append(s.List, "x") }},
	"an append of a zero value":      {"List behind its last element", func(s *rich) { _ = append(s.List, "") }},
	"an append of a zero struct":     {"Nested behind its last element", func(s *rich) { _ = append(s.Nested, richPart{}) }},
	"an append below a struct":       {"Nested[0].Words behind its last element", func(s *rich) { _ = append(s.Nested[0].Words, "x") }},
	"an append below a pointer":      {"Link.Words behind its last element", func(s *rich) { _ = append(s.Link.Words, "x") }},
	"an append below a map":          {"Table[t] behind its last element", func(s *rich) { _ = append(s.Table["t"], 0) }},
	"an append below an any":         {"Free[k] behind its last element", func(s *rich) { _ = append(s.Free.(map[string]any)["k"].([]any), nil) }},
	"an append of bytes":             {"Raw behind its last element", func(s *rich) { _ = append(s.Raw, 0) }},
	"a field of an element":          {"Nested[0].Seen", func(s *rich) { s.Nested[0].Seen = true }},
	"a field behind a pointer":       {"Link.Seen", func(s *rich) { s.Link.Seen = true }},
	"a new key":                      {"Table", func(s *rich) { s.Table["u"] = nil }},
	"another key":                    {"Table", func(s *rich) { delete(s.Table, "t"); s.Table["u"] = nil }},
	"an element of a slice in a map": {"Table[t][0]", func(s *rich) { s.Table["t"][0] = 2 }},
	"a value of another type":        {"Free[k]", func(s *rich) { s.Free.(map[string]any)["k"] = 1.0 }},
	"a byte":                         {"Raw[2]", func(s *rich) { s.Raw[2] = 'x' }},
	"sorting":                        {"List[0]", func(s *rich) { slices.Reverse(s.List) }},
}
