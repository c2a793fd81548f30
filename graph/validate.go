package graph

import (
	"fmt"
	"slices"
)

// checkShape looks at the graph as a whole; the builder's methods have looked at each call.
func (g *Graph[S, U]) checkShape() []error {
	var mistakes []error
	if len(g.starts) == 0 {
		mistakes = append(mistakes, ErrNoStart)
	}
	all, static := g.successors()
	reached := g.reachable(all)
	ends := g.reachesEnd(all)
	for i := range g.nodes {
		name := g.nodes[i].ref.name
		if len(g.starts) > 0 && !reached[i] {
			mistakes = append(mistakes, fmt.Errorf("%w: %s", ErrUnreachable, name))
		}
		if !ends[i] {
			mistakes = append(mistakes, fmt.Errorf("%w: %s", ErrNoEnd, name))
		}
	}
	if cycle := findCycle(static); cycle != nil {
		names := ""
		for _, i := range cycle {
			names += g.nodes[i].ref.name + " -> "
		}
		mistakes = append(mistakes, fmt.Errorf("%w: %s%s", ErrEndlessCycle, names, g.nodes[cycle[0]].ref.name))
	}
	return mistakes
}

// successors lists what may follow each node, and what always follows it.
func (g *Graph[S, U]) successors() (all, static [][]int) {
	all, static = make([][]int, len(g.nodes)), make([][]int, len(g.nodes))
	always := func(from Node, to int) {
		i := from.ref.index
		all[i] = append(all[i], to)
		if g.nodes[i].dynamic == nil && to != endIndex {
			static[i] = append(static[i], to)
		}
	}
	for _, e := range g.edges {
		always(e.from, e.to.ref.index)
	}
	for _, j := range g.joins {
		for _, from := range j.from {
			always(from, j.to.ref.index)
		}
	}
	for _, r := range g.routes {
		for _, b := range r.branches {
			for _, to := range b.to {
				if to.ref != nil {
					all[r.from.ref.index] = append(all[r.from.ref.index], to.ref.index)
				}
			}
		}
	}
	for i := range g.nodes {
		all[i] = append(all[i], g.nodes[i].targets...)
		if h := g.nodes[i].handler - 1; h >= 0 {
			all[i] = append(all[i], h)
			for _, j := range g.joins {
				if slices.Contains(j.from, Node{g.nodes[i].ref}) {
					all[h] = append(all[h], j.to.ref.index)
				}
			}
		}
	}
	return all, static
}

func (g *Graph[S, U]) reachable(next [][]int) []bool {
	seen := make([]bool, len(g.nodes))
	var visit func(int)
	visit = func(i int) {
		if i == endIndex || i >= len(seen) || seen[i] {
			return
		}
		seen[i] = true
		for _, to := range next[i] {
			visit(to)
		}
	}
	for _, n := range g.starts {
		visit(n.ref.index)
	}
	return seen
}

func (g *Graph[S, U]) reachesEnd(next [][]int) []bool {
	ends := make([]bool, len(g.nodes))
	for changed := true; changed; {
		changed = false
		for i := range ends {
			if !ends[i] && slices.ContainsFunc(next[i], func(to int) bool {
				return to == endIndex || to < len(ends) && ends[to]
			}) {
				ends[i], changed = true, true
			}
		}
	}
	return ends
}

// findCycle returns the nodes of one cycle, in order, or nil.
func findCycle(next [][]int) []int {
	const (
		fresh = iota
		open
		closed
	)
	mark := make([]int, len(next))
	var path []int
	var visit func(int) []int
	visit = func(i int) []int {
		mark[i] = open
		path = append(path, i)
		for _, to := range next[i] {
			if mark[to] == open {
				return slices.Clone(path[slices.Index(path, to):])
			}
			if mark[to] == fresh {
				if cycle := visit(to); cycle != nil {
					return cycle
				}
			}
		}
		mark[i] = closed
		path = path[:len(path)-1]
		return nil
	}
	for i := range next {
		if mark[i] == fresh {
			if cycle := visit(i); cycle != nil {
				return cycle
			}
		}
	}
	return nil
}
