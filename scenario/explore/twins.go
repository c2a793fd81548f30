package explore

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// twin is a state that was joined with the one that a place has.
type twin[S graph.Reducer[S, U], U any] struct {
	from int // it was reached from there
	at   int // and joined with that
	step Step
	// point is the state itself.
	point graph.Point[S, U]
}

// pair keeps a sample of the states that are joined, each of them with the same chance.
func (x *explorer[S, U]) pair(from, at int, o *outcome[S, U]) {
	if x.opts.Twins == 0 || o.point.Done() {
		return
	}
	x.joined++
	t := twin[S, U]{from, at, o.step, o.point}
	if len(x.twins) < x.opts.Twins {
		x.twins = append(x.twins, t)
	} else if i := x.rng.IntN(x.joined); i < len(x.twins) {
		x.twins[i] = t
	}
}

// compareTwins looks whether the states that were joined go on alike.
func (x *explorer[S, U]) compareTwins(ctx context.Context) error {
	differs := make([]error, len(x.twins))
	err := x.each(ctx, len(x.twins), func(i int) (err error) {
		differs[i], err = x.compareTwin(ctx, x.twins[i])
		return err
	})
	if err != nil {
		return err
	}
	for i, reason := range differs {
		x.violate(JoinedAlike, reason, x.twins[i].from, x.twins[i].step)
	}
	x.compared = len(x.twins)
	return nil
}

func (x *explorer[S, U]) compareTwin(ctx context.Context, t twin[S, U]) (differs, err error) {
	outcomes, err := x.from(ctx, t.point)
	if err != nil {
		return nil, err
	}
	p := &x.places[t.at]
	if len(p.next)+p.failed != len(outcomes) {
		return fmt.Errorf("from here %d outcomes are possible, from the state that it was joined with %d (%v)", len(outcomes), len(p.next)+p.failed, x.path(t.at)), nil
	}
	if p.failed > 0 {
		return nil, nil // it is a violation already
	}
	for i, o := range outcomes {
		switch {
		case len(o.broken) > 0:
			return fmt.Errorf("%w after %v; it does not break where it was joined with (%v)", o.broken[0].reason, o.step.Choices, x.path(t.at)), nil
		case o.key != x.places[p.next[i]].key:
			form, err := x.form(o.point)
			if err != nil {
				return nil, err
			}
			return fmt.Errorf("%v leads to another state than from where it was joined with (%v): %s", o.step.Choices, x.path(t.at), form), nil
		}
	}
	return nil, nil
}
