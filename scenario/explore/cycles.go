package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/graph"
)

// cycles looks for a state that leads back to itself: a path that need not end.
func (x *explorer[S, U]) cycles(ctx context.Context) error {
	loop := x.loop()
	if len(loop) == 0 {
		return nil
	}
	path := x.path(loop[0])
	p, err := x.again(ctx, path)
	if err != nil {
		return err
	}
	for _, to := range loop[1:] {
		outcomes, failure := x.from(ctx, p)
		if failure != nil {
			return failure
		}
		at := slices.IndexFunc(outcomes, func(o outcome[S, U]) bool { return !o.failed && o.key == x.places[to].key })
		if at < 0 {
			return errors.New("explore: a step of a loop cannot be taken again: the run does not repeat itself")
		}
		path, p = append(path, outcomes[at].step), outcomes[at].point
	}
	x.breaks(Ends, fmt.Errorf("the last %d steps lead back to where they began", len(loop)-1), path)
	return nil
}

// again goes a path once more.
func (x *explorer[S, U]) again(ctx context.Context, path []Step) (graph.Point[S, U], error) {
	p, err := x.subject.App.Begin("", x.subject.Inputs[path[0].Input])
	if err != nil {
		return p, fmt.Errorf("explore: %w", err)
	}
	for _, step := range path {
		var option graph.Option
		if step.Answer != "" {
			q := p.Interrupts()[0]
			option = graph.Answer(q.ID, x.subject.Answers(q)[step.Answer])
		}
		o, err := x.take(ctx, p.Named(fmt.Sprint("step ", x.named.Add(1))), picks(step.Choices), step.Answer, option)
		if err != nil {
			return p, err
		}
		p = o.point
	}
	return p, nil
}

// loop is places each of which leads to the next one, and the last one is the first; nil when every path ends.
func (x *explorer[S, U]) loop() []int {
	const (
		unseen = iota
		under
		over
	)
	color := make([]int8, len(x.places))
	type frame struct{ at, child int }
	for root := range x.places {
		if color[root] != unseen {
			continue
		}
		stack := []frame{{at: root}}
		color[root] = under
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.child == len(x.places[f.at].next) {
				color[f.at] = over
				stack = stack[:len(stack)-1]
				continue
			}
			to := int(x.places[f.at].next[f.child])
			f.child++
			switch color[to] {
			case under:
				var loop []int
				for _, f := range stack[slices.IndexFunc(stack, func(f frame) bool { return f.at == to }):] {
					loop = append(loop, f.at)
				}
				return append(loop, to)
			case unseen:
				color[to] = under
				stack = append(stack, frame{at: to})
			}
		}
	}
	return nil
}
