package explore

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/graph"
)

// ending is a step that has ended a run, in one of the places where runs end.
type ending struct {
	from, at int
	step     Step
}

// finish keeps a sample of the steps that end a run, each of them with the same chance.
func (x *explorer[S, U]) finish(from, at int, step Step) {
	x.ends++
	e := ending{from, at, step}
	if len(x.endings) < x.opts.Replays {
		x.endings = append(x.endings, e)
	} else if i := x.rng.IntN(x.ends); i < len(x.endings) {
		x.endings[i] = e
	}
}

// replays plays paths that have ended once more on threads, and compares the ends.
func (x *explorer[S, U]) replays(ctx context.Context) error {
	differs := make([]error, len(x.endings))
	err := x.each(ctx, len(x.endings), func(i int) (err error) {
		for _, stops := range []bool{false, true} {
			if differs[i], err = x.replay(ctx, x.endings[i], stops); err != nil || differs[i] != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, reason := range differs {
		x.violate(ResumesSame, reason, x.endings[i].from, x.endings[i].step)
	}
	x.replayed = len(x.endings)
	return nil
}

// replay plays a path to its end on a thread; with stops each step is a run of its own, that reads its checkpoint.
func (x *explorer[S, U]) replay(ctx context.Context, e ending, stops bool) (differs, err error) {
	path := append(x.path(e.from), e.step)
	o := &oracle{plan: planOf(path)}
	ctx = context.WithValue(ctx, oracleKey{}, o)
	thread := x.subject.App.Thread("replay", graph.WithStore(graph.NewMemoryStore()))
	var opts []graph.Option
	if stops {
		opts = append(opts, graph.MaxSteps(1))
	}
	res, failure := thread.Invoke(ctx, x.subject.Inputs[path[0].Input], opts...)
	answers := answersOf(path)
	for {
		next := opts
		switch {
		case errors.Is(failure, graph.ErrStepLimit):
		case failure == nil && len(res.Interrupts) > 0 && len(answers) > 0:
			q := res.Interrupts[0]
			next = append(slices.Clone(opts), graph.Answer(q.ID, x.subject.Answers(q)[answers[0]]))
			answers = answers[1:]
		default:
			return x.sameEnd(ctx, e.at, thread, o, failure)
		}
		res, failure = thread.Resume(ctx, next...)
	}
}

// answersOf are the answers that people gave on a path.
func answersOf(path []Step) []string {
	var list []string
	for _, s := range path {
		if s.Answer != "" {
			list = append(list, s.Answer)
		}
	}
	return list
}

// sameEnd compares the end of a thread with a place.
func (x *explorer[S, U]) sameEnd(ctx context.Context, at int, thread *graph.Thread[S, U], o *oracle, failure error) (differs, err error) {
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case failure != nil:
		return fmt.Errorf("the run fails: %w", failure), nil
	case o.fault != nil:
		return o.fault, nil
	}
	head, err := thread.Head(ctx)
	if err != nil {
		return nil, err
	}
	if !head.Done {
		return errors.New("the run does not end"), nil
	}
	form, err := x.encode(head.State)
	if err != nil {
		return nil, err
	}
	if key(sha256.Sum256(form)) != x.places[at].key {
		return fmt.Errorf("it ends in another state: %s", form), nil
	}
	return nil, nil
}
