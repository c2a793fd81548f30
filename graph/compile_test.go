package graph_test

import (
	"context"
	"encoding/json"
	"math/big"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// Rule 8.
func TestCompileRefusesEveryMistakeAndNamesIt(t *testing.T) {
	type G = *graph.Graph[trail, step]
	foreign := graph.New[trail]("other").Node("stranger", say("stranger"))
	pick := func(trail) verdict { return good }
	ok := func(g G) graph.Node {
		a := g.Node("a", say("a"))
		g.Start(a)
		g.Edge(a, graph.End)
		return a
	}
	work := func(g G) graph.WorkNode[int] {
		return graph.Work(g, "w", func(context.Context, trail, int) (step, error) { return step{}, nil })
	}
	cases := []struct {
		name  string
		build func(G)
		want  error
		text  string
	}{
		{"no start", func(g G) { g.Edge(g.Node("a", say("a")), graph.End) }, graph.ErrNoStart, ""},
		{"an empty name", func(g G) { ok(g); g.Node("", say("")) }, graph.ErrName, "empty"},
		{"a name used twice", func(g G) { ok(g); g.Node("a", say("a")) }, graph.ErrName, `"a" is declared twice`},
		{"a reserved name", func(g G) { ok(g); g.Node("START", say("")) }, graph.ErrName, "reserved"},
		{"a name that task ids use", func(g G) { ok(g); g.Node("a#1", say("")) }, graph.ErrName, "'#'"},
		{"a nil function", func(g G) { ok(g); g.Node("b", nil) }, graph.ErrNilFunc, `"b"`},
		{"a node that nothing reaches", func(g G) { ok(g); g.Edge(g.Node("b", say("b")), graph.End) }, graph.ErrUnreachable, ": b"},
		{"a node without a way to End", func(g G) { g.Edge(ok(g), g.Node("b", say("b"))) }, graph.ErrNoEnd, ": b"},
		{"a cycle without a route", func(g G) {
			a, b := ok(g), g.Node("b", say("b"))
			g.Edge(a, b)
			g.Edge(b, a)
		}, graph.ErrEndlessCycle, "a -> b -> a"},
		{"a cycle over a join", func(g G) {
			a, b := ok(g), g.Node("b", say("b"))
			g.Edge(a, b)
			g.Join(a, b)
		}, graph.ErrEndlessCycle, "a -> b -> a"},
		{"a route without branches", func(g G) { graph.Route(g, ok(g), pick) }, graph.ErrRoute, "a declares no targets"},
		{"a case without targets", func(g G) { graph.Route(g, ok(g), pick, graph.Case(good)) }, graph.ErrRoute, `"good" of a has no targets`},
		{"two cases for one outcome", func(g G) {
			graph.Route(g, ok(g), pick, graph.Case(good, graph.End), graph.Case(good, graph.End))
		}, graph.ErrRoute, `two cases for the outcome "good"`},
		{"an empty outcome", func(g G) { graph.Route(g, ok(g), pick, graph.Case("", graph.End)) }, graph.ErrRoute, "empty outcome"},
		{"two routes", func(g G) {
			a := ok(g)
			graph.Route(g, a, pick, graph.Case(good, graph.End))
			graph.Route(g, a, pick, graph.Case(good, graph.End))
		}, graph.ErrRoute, "a has two"},
		{"a route without a function", func(g G) {
			graph.Route[trail, step, verdict](g, ok(g), nil, graph.Case(good, graph.End))
		}, graph.ErrNilFunc, "route of a"},
		{"a handle of another graph", func(g G) { g.Edge(ok(g), foreign) }, graph.ErrForeignNode, `"stranger"`},
		{"a start of another graph", func(g G) { ok(g); g.Start(foreign) }, graph.ErrForeignNode, `"stranger"`},
		{"a case of another graph", func(g G) { graph.Route(g, ok(g), pick, graph.Case(good, foreign)) }, graph.ErrForeignNode, `"stranger"`},
		{"a join of another graph", func(g G) { g.Join(ok(g), foreign) }, graph.ErrForeignNode, `"stranger"`},
		{"a target of another graph", func(g G) {
			ok(g)
			d := g.Dynamic("d", func(context.Context, trail) (c graph.Command[step], err error) { return c, nil })
			g.Targets(d, foreign)
		}, graph.ErrForeignNode, `"stranger"`},
		{"the zero Node", func(g G) { g.Edge(ok(g), graph.Node{}) }, graph.ErrForeignNode, `""`},
		{"an edge twice", func(g G) { g.Edge(ok(g), graph.End) }, graph.ErrEdge, "a -> END is given twice"},
		{"an edge from End", func(g G) { g.Edge(graph.End, ok(g)) }, graph.ErrEdge, "nothing follows END"},
		{"a start at End", func(g G) { ok(g); g.Start(graph.End) }, graph.ErrEdge, "START -> END"},
		{"an edge into a work node", func(g G) { a := ok(g); g.Edge(a, work(g).Node) }, graph.ErrEdge, "runs by Send only"},
		{"a start at a work node", func(g G) { ok(g); g.Start(work(g).Node) }, graph.ErrEdge, "runs by Send only"},
		{"a join without sources", func(g G) { g.Join(ok(g)) }, graph.ErrJoin, "a has no sources"},
		{"a join into End", func(g G) { g.Join(graph.End, ok(g)) }, graph.ErrJoin, "into END"},
		{"a source twice", func(g G) { a := ok(g); g.Join(g.Node("b", say("b")), a, a) }, graph.ErrJoin, "source a twice"},
		{"two joins for a node", func(g G) {
			a, b := ok(g), g.Node("b", say("b"))
			g.Join(b, a)
			g.Join(b, a)
		}, graph.ErrJoin, "b has two"},
		{"targets of a plain node", func(g G) { g.Targets(ok(g), graph.End) }, graph.ErrTargets, "a is not Dynamic"},
		{"no attempts", func(g G) { ok(g); g.Node("b", say("b"), graph.Retry(0, nil)) }, graph.ErrLimit, "Retry(0)"},
		{"no time", func(g G) { ok(g); g.Node("b", say("b"), graph.Timeout(0)) }, graph.ErrLimit, "Timeout(0s)"},
		{"no backoff", func(g G) { ok(g); g.Node("b", say("b"), graph.Backoff(0, 1)) }, graph.ErrLimit, "Backoff"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := graph.New[trail]("g")
			c.build(g)
			app, err := g.Compile()
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, c.text)
			assert.Nil(t, app)
		})
	}
}

// Rule 8.
func TestCompileRefusesLimitsThatAreNotPositiveAndAnUnnamedGraph(t *testing.T) {
	g := graph.New[trail]("")
	a := g.Node("a", say("a"))
	g.Start(a)
	g.Edge(a, graph.End)
	_, err := g.Compile(graph.MaxSteps(0), graph.MaxConcurrency(-1), graph.StepTimeout(0))
	require.ErrorIs(t, err, graph.ErrLimit)
	require.ErrorIs(t, err, graph.ErrName)
	for _, want := range []string{"MaxSteps(0)", "MaxConcurrency(-1)", "StepTimeout(0s)"} {
		assert.ErrorContains(t, err, want, "all mistakes come at once")
	}
}

// Rule 8.
func TestAllMistakesOfAGraphComeAtOnce(t *testing.T) {
	g := graph.New[trail]("g")
	a := g.Node("a", say("a"))
	g.Edge(a, a)
	graph.Route(g, a, func(trail) verdict { return good })
	_, err := g.Compile()
	for _, want := range []error{graph.ErrNoStart, graph.ErrEndlessCycle, graph.ErrRoute, graph.ErrNoEnd} {
		assert.ErrorIs(t, err, want)
	}
}

type lossy struct {
	Fine    map[string][]*time.Time
	Text    big.Int
	Raw     json.RawMessage
	Any     map[string]any
	Left    func() `json:"-"`
	Call    func()
	Pipe    []chan int
	Reader  map[string]interface{ Read() }
	Keys    map[[2]int]string
	Complex *complex128
	Deep    struct{ Set graph.Set[[]func()] }
	hidden  int
	One     int
	Two     int `json:"One"`
	Self    *lossy
	Lock    struct{ state int32 }
	URL     *url.URL
}

func (s lossy) Apply(int) (lossy, error) { s.hidden++; return s, nil }

// Rule 8.
func TestATypeThatDoesNotSurviveItsEncodingIsRefusedByThePathOfTheField(t *testing.T) {
	g := graph.New[lossy]("g")
	w := graph.Work(g, "w", func(context.Context, lossy, struct{ F func() }) (int, error) { return 0, nil })
	_, err := g.Compile()
	require.ErrorIs(t, err, graph.ErrCodec)
	_ = w
	for _, path := range []string{".Call:", ".Pipe[]:", ".Reader[]:", ".Keys:", ".Complex:", ".Deep.Set[]:", ".hidden:", ".Two:", ".Lock.state:", "argument of w.F:"} {
		assert.ErrorContains(t, err, path)
	}
	for _, path := range []string{".Fine", ".Text", ".Raw", ".Any", ".Left", ".Self"} {
		assert.NotContains(t, err.Error(), path)
	}
}

func TestASetTellsUnsetFromZeroAndNilAcrossJSON(t *testing.T) {
	type holder struct {
		A graph.Set[string]   `json:"a"`
		B graph.Set[[]int]    `json:"b,omitzero"`
		C graph.Set[*int]     `json:"c"`
		D graph.Set[holderIn] `json:"d,omitzero"`
	}
	for _, in := range []holder{
		{},
		{A: graph.To(""), B: graph.To[[]int](nil), C: graph.To[*int](nil), D: graph.To(holderIn{})},
		{A: graph.To("x"), B: graph.To([]int{}), C: graph.To(new(3)), D: graph.To(holderIn{graph.To("deep")})},
	} {
		data, err := json.Marshal(in)
		require.NoError(t, err)
		out := holder{A: graph.To("old"), C: graph.To(new(9))}
		require.NoError(t, json.Unmarshal(data, &out))
		if !strings.Contains(string(data), `"b"`) {
			out.B = in.B
		}
		assert.Equal(t, in, out, "%s", data)
	}
	var s graph.Set[int]
	assert.Error(t, json.Unmarshal([]byte(`[1,2]`), &s))
	assert.Error(t, json.Unmarshal([]byte(`7`), &s))
	assert.True(t, s.IsZero())
	v, ok := graph.To(7).Get()
	assert.True(t, ok)
	assert.Equal(t, 7, v)
	assert.Equal(t, 5, s.Or(5))
	assert.Equal(t, 7, graph.To(7).Or(5))
}

type holderIn struct{ X graph.Set[string] }

func TestHandlesAreComparableAndNameTheirNodes(t *testing.T) {
	g := graph.New[trail]("g")
	a, b := g.Node("a", say("a")), g.Node("b", say("b"))
	assert.True(t, a == a && a != b && a != graph.End) //nolint:staticcheck // that is the claim
	assert.Equal(t, "a", a.Name())
	assert.Equal(t, "END", graph.End.Name())
	assert.Empty(t, graph.Node{}.Name())
}
