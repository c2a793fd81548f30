package explore

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/kbagent/kbagent/graph"
)

// A Report is what an exploration has seen.
type Report struct {
	Complete    bool        `json:"complete"` // every state was gone on from, and unless something is broken, what is sampled was compared
	States      int         `json:"states"`
	Transitions int         `json:"transitions"`
	Paths       *big.Int    `json:"paths"` // different ways from the beginning to an end
	Depth       int         `json:"depth"` // steps of the longest shortest path
	Ends        int         `json:"ends"`  // states in which a run has ended
	Coverage    Coverage    `json:"coverage"`
	Violations  []Violation `json:"violations"`
	ElapsedMS   int64       `json:"elapsed_ms"`
	Alphabet    []Point     `json:"alphabet"` // what the environment can do
	Flow        []Flow      `json:"flow"`     // the explored graph, condensed to its nodes
	Twins       int         `json:"twins"`    // pairs of joined states that were compared
	Replays     int         `json:"replays"`  // paths that were played once more on a thread

	topology graph.Topology
	places   map[string]int // states by the node that runs next
}

// Coverage is how much of a graph was taken, as shares from 0 to 1.
type Coverage struct {
	Edges   float64  `json:"edges"`
	Machine float64  `json:"machine"` // of Subject.Moves; 1 without any
	Missing []string `json:"missing"` // edges and moves that were not taken
}

// A Point is a place where the environment chooses.
type Point struct {
	Point   string   `json:"point"`
	Options []string `json:"options"` // that were taken, sorted
}

// start is the name that edges into the first nodes come from.
const start = "START"

func (x *explorer[S, U]) report(elapsed time.Duration) Report {
	r := Report{
		Complete: x.complete, States: len(x.places), Transitions: x.taken, Paths: x.paths(), Violations: x.found,
		ElapsedMS: elapsed.Milliseconds(), Twins: x.compared, Replays: x.replayed, topology: x.topology, places: x.nodes,
	}
	if r.Violations == nil {
		r.Violations = []Violation{}
	}
	for i := range x.places {
		r.Depth = max(r.Depth, x.places[i].depth)
		if x.places[i].done {
			r.Ends++
		}
	}
	for point, set := range x.options {
		a := Point{Point: point}
		for o := range set {
			a.Options = append(a.Options, o)
		}
		slices.Sort(a.Options)
		r.Alphabet = append(r.Alphabet, a)
	}
	slices.SortFunc(r.Alphabet, func(a, b Point) int { return strings.Compare(a.Point, b.Point) })
	r.Coverage, r.Flow = x.coverage(), x.flows()
	return r
}

func (x *explorer[S, U]) coverage() Coverage {
	c := Coverage{Edges: 1, Machine: 1, Missing: []string{}}
	if all := x.topology.Edges; len(all) > 0 {
		taken := 0
		for _, e := range all {
			if x.flow[e] > 0 {
				taken++
			} else {
				c.Missing = append(c.Missing, fmt.Sprintf("%s -(%s)-> %s", e.From, e.Label, e.To))
			}
		}
		c.Edges = float64(taken) / float64(len(all))
	}
	if len(x.subject.Moves) > 0 {
		taken := 0
		for _, m := range x.subject.Moves {
			if x.moves[m] {
				taken++
			} else {
				c.Missing = append(c.Missing, m)
			}
		}
		c.Machine = float64(taken) / float64(len(x.subject.Moves))
	}
	return c
}

// flows are the edges that were taken, in the order of the topology, then those that it does not have.
func (x *explorer[S, U]) flows() []Flow {
	rank := map[graph.Edge]int{}
	for i, e := range x.topology.Edges {
		rank[e] = i + 1
	}
	last := len(rank) + 1
	list := []Flow{}
	for e, n := range x.flow {
		list = append(list, Flow{From: e.From, To: e.To, Label: e.Label, Transitions: n})
	}
	slices.SortFunc(list, func(a, b Flow) int {
		return cmp.Or(
			cmp.Compare(cmp.Or(rank[a.edge()], last), cmp.Or(rank[b.edge()], last)),
			cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Label, b.Label),
		)
	})
	return list
}

// paths counts the ways from the first step to the ends; 0 when there is a cycle.
func (x *explorer[S, U]) paths() *big.Int {
	into := make([]int, len(x.places))
	ways := make([]*big.Int, len(x.places))
	for i := range x.places {
		ways[i] = new(big.Int)
	}
	for i := range x.places {
		for _, to := range x.places[i].next {
			into[to]++
		}
	}
	for _, i := range x.first {
		ways[i].Add(ways[i], big.NewInt(1))
	}
	var ready []int
	for i, n := range into {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	total := new(big.Int)
	if x.broken[Ends] {
		return total
	}
	for len(ready) > 0 {
		at := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		if x.places[at].done {
			total.Add(total, ways[at])
		}
		for _, to := range x.places[at].next {
			ways[to].Add(ways[to], ways[at])
			if into[to]--; into[to] == 0 {
				ready = append(ready, int(to))
			}
		}
	}
	return total
}
