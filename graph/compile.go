package graph

import (
	"errors"
	"reflect"
	"slices"
)

// An App is a compiled graph. It never changes and is safe for concurrent use: all that belongs to a run lives in the run.
type App[S Reducer[S, U], U any] struct {
	name        string
	nodes       []body[S, U]
	plan        Planner
	topology    Topology
	fingerprint string
	settings    settings
	fields      []plainField // of U, compared in parallel steps
	replaces    bool         // S is a Simple: any two updates of one step conflict
	texts       []nodeText   // of the nodes, for the codec
	memory      *MemoryStore
	live        liveRuns[S, U]
}

// Compile checks the graph and freezes it. It returns all mistakes at once, joined; each matches one of the Err
// values of this package and names the node, edge or field. The graph may be changed and compiled again.
func (g *Graph[S, U]) Compile(opts ...Option) (*App[S, U], error) {
	mistakes := slices.Clone(g.mistakes)
	settings, err := defaultSettings().with(opts)
	if err != nil {
		mistakes = append(mistakes, err)
	}
	if err := settings.checkStops(g.has); err != nil {
		mistakes = append(mistakes, err)
	}
	if settings.detached {
		mistakes = append(mistakes, ErrDetached)
	}
	mistakes = append(mistakes, g.checkShape()...)
	mistakes = append(mistakes, g.checkTypes()...)
	mistakes = append(mistakes, g.checkCaches()...)
	mistakes = append(mistakes, g.checkVersions(settings.versions)...)
	if len(mistakes) > 0 {
		return nil, errors.Join(mistakes...)
	}
	topology := g.topology()
	app := &App[S, U]{
		name:        g.name,
		nodes:       slices.Clone(g.nodes),
		plan:        g.planner(),
		topology:    topology,
		fingerprint: g.fingerprint(topology),
		settings:    settings,
		fields:      plainFields(reflect.TypeFor[U]()),
		memory:      NewMemoryStore(),
	}
	var zero S
	_, app.replaces = any(zero).(interface{ replacesWhole() })
	for i := range app.nodes {
		app.nodes[i].cache = newCache[S](&app.nodes[i].caching)
	}
	for i := range app.plan.nodes {
		app.texts = append(app.texts, newNodeText(&app.plan.nodes[i]))
	}
	return app, nil
}

// has says whether a node of this name is declared.
func (g *Graph[S, U]) has(name string) bool {
	return slices.ContainsFunc(g.nodes, func(b body[S, U]) bool { return b.ref.name == name })
}

// Topology describes the graph, for drawings and for checks that a set of runs takes every edge.
func (a *App[S, U]) Topology() Topology {
	t := a.topology
	t.Nodes, t.Edges = slices.Clone(t.Nodes), slices.Clone(t.Edges)
	t.Deferred, t.Joins = slices.Clone(t.Deferred), slices.Clone(t.Joins)
	return t
}

// Fingerprint is 16 hexadecimal digits that change with the topology: the names and order of the nodes, edges, labels,
// joins. Options and code do not count.
func (a *App[S, U]) Fingerprint() string { return a.fingerprint }

// Planner returns the pure planner of the graph, for engines other than this package.
func (a *App[S, U]) Planner() *Planner { return &a.plan }

// planner translates handles into indices.
func (g *Graph[S, U]) planner() Planner {
	p := Planner{index: make(map[string]int, len(g.nodes))}
	for i := range g.nodes {
		b := &g.nodes[i]
		p.index[b.ref.name] = i
		p.names = append(p.names, b.ref.name)
		p.nodes = append(p.nodes, planNode{
			name: b.ref.name, deferred: b.deferred, work: b.arg != nil, targets: slices.Clone(b.targets),
		})
	}
	for _, e := range g.edges {
		n := &p.nodes[e.from.ref.index]
		n.edges, n.decides = append(n.edges, e.to.ref.index), true
	}
	for _, r := range g.routes {
		n := &p.nodes[r.from.ref.index]
		n.decides = true
		for _, b := range r.branches {
			n.branches = append(n.branches, planBranch{b.outcome, indices(b.to)})
		}
	}
	for i := range g.nodes {
		p.nodes[i].handler = g.nodes[i].handler
	}
	for i, j := range g.joins {
		p.joins = append(p.joins, planJoin{j.to.ref.index, indices(j.from)})
		for _, from := range j.from {
			n := &p.nodes[from.ref.index]
			n.joins, n.decides = append(n.joins, i), true
		}
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; n.handler > 0 && len(n.joins) > 0 {
			p.nodes[n.handler-1].decides = true
		}
	}
	for _, n := range g.starts {
		p.reach(&p.start, n.ref.index)
	}
	p.settle(&p.start)
	p.precompute()
	return p
}

func indices(nodes []Node) []int {
	out := make([]int, len(nodes))
	for i, n := range nodes {
		out[i] = n.ref.index
	}
	return out
}
