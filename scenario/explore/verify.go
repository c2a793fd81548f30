package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/kbagent/kbagent/graph"
)

// cycles looks for a state that leads back to itself: a path that need not end.
func (x *explorer[S, U]) cycles() {
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
			to := x.places[f.at].next[f.child]
			f.child++
			switch color[to] {
			case under:
				x.violate(Ends, errors.New("this state can be reached from itself again"), f.at, x.places[to].step)
				return
			case unseen:
				color[to] = under
				stack = append(stack, frame{at: to})
			}
		}
	}
}

// replays plays every path that has ended once more without a stop, and compares the states.
func (x *explorer[S, U]) replays(ctx context.Context) error {
	var ends []int
	for i := range x.places {
		if x.places[i].done {
			ends = append(ends, i)
		}
	}
	differs := make([]error, len(ends))
	var mu sync.Mutex
	err := x.each(ctx, len(ends), func(i int) error {
		problem, err := x.replay(ctx, ends[i])
		mu.Lock()
		defer mu.Unlock()
		differs[i] = problem
		return err
	})
	if err != nil {
		return err
	}
	for i, problem := range differs {
		at := ends[i]
		x.violate(ResumesSame, problem, x.places[at].parent, x.places[at].step)
	}
	return nil
}

// replay plays the path to a place without a stop but where a person is asked.
func (x *explorer[S, U]) replay(ctx context.Context, at int) (problem, err error) {
	var plan []int
	var answers []string
	for i := at; i >= 0; i = x.places[i].parent {
		plan = append(append([]int(nil), x.places[i].plan...), plan...)
		if name := x.places[i].step.Answer; name != "" {
			answers = append([]string{name}, answers...)
		}
	}
	o := &oracle{plan: plan}
	ctx = context.WithValue(ctx, oracleKey{}, o)
	id := fmt.Sprintf("replay %d", at)
	thread := x.subject.Thread(id)
	defer x.drop(id)
	res, err := thread.Invoke(ctx, x.subject.Input)
	for _, name := range answers {
		if err != nil || len(res.Interrupts) == 0 {
			break
		}
		q := res.Interrupts[0]
		res, err = thread.Resume(ctx, graph.Answer(q.ID, x.subject.Answers(q)[name]))
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("the run without a stop fails: %w", err), nil
	case o.fault != nil:
		return o.fault, nil
	}
	want, err := json.Marshal(x.subject.Canonical(x.places[at].state))
	if err != nil {
		return nil, fmt.Errorf("explore: %w", err)
	}
	got, err := json.Marshal(x.subject.Canonical(res.State))
	if err != nil {
		return nil, fmt.Errorf("explore: %w", err)
	}
	if string(want) != string(got) {
		return fmt.Errorf("step by step: %s; without a stop: %s", want, got), nil
	}
	return nil, nil
}
