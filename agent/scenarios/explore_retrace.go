package scenarios

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/scenario"
	"github.com/kbagent/kbagent/scenario/explore"
	"github.com/kbagent/kbagent/state"
)

// Altered is [Subject] for an agent with a planted fault, which is there in scenarios with Outcomes.
func Altered(alter func(*agent.Config)) scenario.Subject[Given, When, Observation] {
	return withOutcomes{subject{}, alter}
}

// withOutcomes runs scenarios with Outcomes in the world of an exploration, and all others as ever.
type withOutcomes struct {
	subject
	alter func(*agent.Config)
}

// Start implements scenario.Subject.
func (s withOutcomes) Start(ctx context.Context, g Given) (scenario.Session[When, Observation], error) {
	if len(g.Outcomes) == 0 {
		return s.subject.Start(ctx, g)
	}
	cfg, refused := config.Load(config.Options{EnvFile: os.DevNull, Environ: environ(g.Env)})
	if refused != nil {
		return &world{refused: refused}, nil //nolint:nilerr // the refusal is what the scenario sees
	}
	return s.retrace(g, cfg.Settings)
}

// retracing is a scenario whose world is that of an exploration.
type retracing struct {
	agent  *agent.Agent
	world  *cosmos
	script explore.Script
	asked  string
	invs   []explore.Invariant[state.AgentState]
}

// retrace starts the agent in the world of an exploration, where the environment does what the scenario says.
func (s withOutcomes) retrace(g Given, settings state.Settings) (scenario.Session[When, Observation], error) {
	outcomes := g.Outcomes
	g.Outcomes, g.Env = nil, nil
	if !reflect.ValueOf(g).IsZero() {
		return nil, errors.New("beside outcomes, nothing but env can be given")
	}
	x := Exploration{Faults: true, Members: true, Alter: s.alter}
	for _, point := range slices.Sorted(maps.Keys(outcomes)) {
		known := x.options(point)
		if len(known) == 0 {
			return nil, fmt.Errorf("there is no point %q; see kbagent explore --alphabet", point)
		}
		for _, o := range outcomes[point] {
			if !slices.Contains(known, o) {
				return nil, fmt.Errorf("%s has no outcome %q, it has %q", point, o, known)
			}
		}
	}
	a, w, err := x.build(settings)
	if err != nil {
		return nil, err
	}
	return &retracing{agent: a, world: w, script: explore.NewScript(outcomes), invs: w.invariants()}, nil
}

// Turn asks the question, or goes on with a decision, and looks which invariants the run breaks.
func (r *retracing) Turn(ctx context.Context, when When) (o Observation, trace scenario.Trace, err error) {
	ctx = r.script.Context(ctx)
	events := r.agent.Ask(ctx, agent.Question{Text: when.Ask, Thread: thread})
	if d := when.Review; d != nil {
		events = r.agent.Resume(ctx, thread, graph.Reply(nodes.ReviewDecision{
			Status: state.ReviewStatus(d.Status), Answer: d.Answer, Reviewer: d.Reviewer, Notes: d.Notes,
		}))
	} else {
		r.asked = when.Ask
	}
	for event, err := range events {
		switch {
		case err != nil:
			o.Error = err.Error()
			if !errors.Is(err, graph.ErrUnknownQuestion) { // a decision that the run does not wait for breaks nothing
				o.Broken = append(o.Broken, explore.NoError)
			}
		case event.Questions != nil:
			for _, q := range event.Questions {
				o.Waits = append(o.Waits, q.Text())
			}
		case event.Edge != nil:
			trace.Edges = append(trace.Edges, *event.Edge)
		case event.Answer != nil:
			o.see(*event.Answer)
			trace.Moves = append(trace.Moves, o.Transitions...)
		}
	}
	broken, err := r.broken(ctx)
	if err != nil {
		return o, trace, err
	}
	o.Broken = append(o.Broken, broken...)
	return o, trace, r.script.Fault()
}

// thread is the only one of a retraced scenario.
const thread = "t"

// broken are the invariants that the run on the thread breaks, by its checkpoints.
func (r *retracing) broken(ctx context.Context) ([]string, error) {
	t := r.agent.Thread(thread)
	var checkpoints []graph.Checkpoint
	for c, err := range t.History(ctx) {
		if err != nil {
			return nil, err
		}
		checkpoints = append(checkpoints, c)
	}
	slices.Reverse(checkpoints)
	lines := map[int][]nodes.Line{}
	for _, l := range r.world.heard(thread) {
		lines[l.Step] = append(lines[l.Step], l)
		r.world.keep(thread, l) // for the next turn
	}
	var before state.AgentState
	var broken []string
	for _, c := range checkpoints {
		_, to, err := t.At(ctx, c.Seq)
		if err != nil {
			return nil, err
		}
		if c.Origin == graph.FromStep {
			name := fmt.Sprint("step ", c.Step)
			r.world.keep(name, lines[c.Step]...)
			broken = append(broken, r.check(before, to, c, name)...)
			before = to
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(broken))), nil
}

func (r *retracing) check(from, to state.AgentState, c graph.Checkpoint, name string) (broken []string) {
	transition := explore.Transition[state.AgentState]{From: from, To: to, Thread: name, Step: explore.Step{Nodes: c.Nodes}, Next: c.Next}
	for _, inv := range r.invs {
		if inv.State != nil && inv.State(to) != nil || inv.Step != nil && inv.Step(transition) != nil || inv.End != nil && c.Done && inv.End(to) != nil {
			broken = append(broken, inv.Name)
		}
	}
	return broken
}

// Close implements scenario.Session. Outcomes that are left over are no fault: a mended agent may go another way.
func (r *retracing) Close() error { return nil }
