package explore

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/graph"
)

// expansion is what all steps from a place led to.
type expansion[S graph.Reducer[S, U], U any] struct {
	outcomes []outcome[S, U]
	damage   error // the place was not the same after it was stored
}

// outcome is what one step led to.
type outcome[S graph.Reducer[S, U], U any] struct {
	step   Step
	point  graph.Point[S, U]
	key    key
	edges  []graph.Edge
	moves  []string
	broken []breach
	failed bool // the step has no result
}

// breach is an invariant that a step breaks.
type breach struct {
	invariant string
	reason    error
}

// expand takes all steps that are possible at a place, from its state as it is after it was stored.
func (x *explorer[S, U]) expand(ctx context.Context, at int) (expansion[S, U], error) {
	var e expansion[S, U]
	p, damage, err := x.stored(*x.places[at].point)
	if err != nil {
		return e, err
	}
	e.damage = damage
	e.outcomes, err = x.from(ctx, p)
	return e, err
}

// stored is a point after it was written and read.
func (x *explorer[S, U]) stored(p graph.Point[S, U]) (read graph.Point[S, U], damage, err error) {
	data, err := p.Encode()
	if err != nil {
		return p, err, nil
	}
	read, damage = x.subject.App.Point(data)
	if damage != nil {
		return p, damage, nil
	}
	before, err := x.form(p)
	if err != nil {
		return p, nil, err
	}
	after, err := x.form(read)
	if err == nil && string(before) != string(after) {
		damage = fmt.Errorf("before: %s; after: %s", before, after)
	}
	return read, damage, err
}

// from takes all steps that are possible at a point.
func (x *explorer[S, U]) from(ctx context.Context, p graph.Point[S, U]) ([]outcome[S, U], error) {
	asks := p.Interrupts()
	if len(asks) == 0 {
		return x.steps(ctx, p, "", nil)
	}
	if x.subject.Answers == nil {
		return nil, fmt.Errorf("explore: the graph asks %q, and nobody answers: Subject.Answers is nil", asks[0].Text())
	}
	var all []outcome[S, U]
	answers := x.subject.Answers(asks[0])
	if len(answers) == 0 {
		return nil, fmt.Errorf("explore: the graph asks %q, and Subject.Answers has no answer to it", asks[0].Text())
	}
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		list, err := x.steps(ctx, p, name, graph.Answer(asks[0].ID, answers[name]))
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// steps takes the next step with every outcome of the environment.
func (x *explorer[S, U]) steps(ctx context.Context, p graph.Point[S, U], answer string, option graph.Option) ([]outcome[S, U], error) {
	var all []outcome[S, U]
	for plans := [][]int{nil}; len(plans) > 0; {
		plan := plans[0]
		plans = plans[1:]
		o, err := x.take(ctx, p.Named(fmt.Sprint("step ", x.named.Add(1))), plan, answer, option)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
		plans = append(plans, branches(plan, o.step.Choices)...)
	}
	return all, nil
}

// take takes one step and checks it.
func (x *explorer[S, U]) take(ctx context.Context, p graph.Point[S, U], plan []int, answer string, option graph.Option) (outcome[S, U], error) {
	o := &oracle{plan: plan}
	var opts []graph.Option
	if option != nil {
		opts = append(opts, option)
	}
	s, failure := p.Step(context.WithValue(ctx, oracleKey{}, o), opts...)
	out := outcome[S, U]{point: s.Point, edges: s.Edges, step: Step{Nodes: s.Nodes, Choices: o.asked, Answer: answer}}
	switch {
	case ctx.Err() != nil:
		return out, context.Cause(ctx)
	case o.fault != nil:
		return out, o.fault
	case failure != nil:
		out.failed, out.step.Nodes = true, p.Next()
		out.broken = []breach{{NoError, failure}}
		return out, nil //nolint:nilerr // it is what the step breaks
	case len(s.Nodes) == 0: // it asks
		out.step.Nodes = p.Next()
		out.edges = append(out.edges, graph.Edge{From: name(p.Next()), To: name(p.Next()), Label: asks})
	}
	form, err := x.form(s.Point)
	if err != nil {
		return out, err
	}
	out.key = sha256.Sum256(form)
	x.check(p, &out)
	return out, nil
}

// asks is the label of the step that ends with a question.
const asks = "asks"

// check looks at the invariants of one step.
func (x *explorer[S, U]) check(p graph.Point[S, U], o *outcome[S, U]) {
	t := Transition[S]{From: p.State(), To: o.point.State(), Thread: o.point.Name(), Step: o.step, Edges: o.edges, Next: o.point.Next()}
	if p.Steps() == 0 {
		t.From = *new(S)
	}
	if x.subject.Moved != nil {
		o.moves = x.subject.Moved(t.From, t.To)
	}
	add := func(invariant string, reason error) {
		if reason != nil {
			o.broken = append(o.broken, breach{invariant, reason})
		}
	}
	for _, inv := range x.subject.Invariants {
		if inv.State != nil {
			add(inv.Name, inv.State(t.To))
		}
		if inv.Step != nil {
			add(inv.Name, inv.Step(t))
		}
		if inv.End != nil && o.point.Done() {
			add(inv.Name, inv.End(t.To))
		}
	}
}

// form is equal for points that are joined.
func (x *explorer[S, U]) form(p graph.Point[S, U]) ([]byte, error) {
	var b strings.Builder
	pos := p.Position()
	for _, t := range pos.Next {
		fmt.Fprintf(&b, "%s %s %s\n", t.ID(), t.Arg, t.For)
	}
	if len(pos.Deferred)+len(pos.Joins) > 0 {
		data, err := json.Marshal(pos)
		if err != nil {
			return nil, fmt.Errorf("explore: %w", err)
		}
		b.Write(data)
	}
	for _, q := range p.Interrupts() {
		fmt.Fprintf(&b, "%s/%s?\n", q.Node, q.Key)
	}
	data, err := x.encode(p.State())
	return append([]byte(b.String()), data...), err
}

// encode is the canonical form of a state as bytes.
func (x *explorer[S, U]) encode(s S) ([]byte, error) {
	form := x.subject.Canonical(s)
	if text, ok := form.(string); ok {
		return []byte(text), nil
	}
	data, err := json.Marshal(form)
	if err != nil {
		return nil, errors.Join(errors.New("explore: the canonical form cannot be encoded"), err)
	}
	return data, nil
}

// name is nodes as one word.
func name(nodes []string) string { return strings.Join(nodes, "+") }
