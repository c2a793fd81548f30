package graph

import "fmt"

// A Branch is one case of a [Route].
type Branch struct {
	outcome string
	to      []Node
}

// Case says which nodes follow an outcome of a route; several fan out. The outcome labels the edge in drawings
// and is logged with the step. It must not be empty.
func Case[O ~string](outcome O, to ...Node) Branch { return Branch{string(outcome), to} }

type routeSpec struct {
	from     Node
	branches []Branch
}

// Route lets pick decide what follows from. pick must be pure; it sees the state with from's own update applied.
// An outcome without a [Case] fails the task with [ErrUnknownOutcome]. A node has at most one route; its plain edges
// fire besides it. It is a function because Go has no generic methods.
func Route[S Reducer[S, U], U any, O ~string](g *Graph[S, U], from Node, pick func(S) O, branches ...Branch) {
	if !g.source(from, "route") {
		return
	}
	b := &g.nodes[from.ref.index]
	switch {
	case pick == nil:
		g.mistake(fmt.Errorf("%w: route of %s", ErrNilFunc, from.Name()))
		return
	case b.pick != nil:
		g.mistake(fmt.Errorf("%w: %s has two", ErrRoute, from.Name()))
		return
	case len(branches) == 0:
		g.mistake(fmt.Errorf("%w: %s declares no targets", ErrRoute, from.Name()))
	}
	b.pick = func(s *S) string { return string(pick(*s)) }
	for i, branch := range branches {
		g.checkBranch(from.Name(), branch, branches[:i])
	}
	g.routes = append(g.routes, routeSpec{from, branches})
}

func (g *Graph[S, U]) checkBranch(from string, b Branch, before []Branch) {
	if b.outcome == "" {
		g.mistake(fmt.Errorf("%w: %s has an empty outcome", ErrRoute, from))
	}
	if len(b.to) == 0 {
		g.mistake(fmt.Errorf("%w: outcome %q of %s has no targets", ErrRoute, b.outcome, from))
	}
	for _, other := range before {
		if other.outcome == b.outcome {
			g.mistake(fmt.Errorf("%w: %s has two cases for the outcome %q", ErrRoute, from, b.outcome))
		}
	}
	for i, n := range b.to {
		g.target(n, from)
		for _, other := range b.to[:i] {
			if other == n {
				g.mistake(fmt.Errorf("%w: outcome %q of %s names %s twice", ErrRoute, b.outcome, from, n.Name()))
			}
		}
	}
}
