package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A Point is where a run stands between two steps, as a value in memory: its state, the tasks of the next step, the
// questions that it waits for. [App.Begin] makes the first one, [Point.Step] the next; any number of steps can be taken
// from the same Point, also at once, and none of them changes it. It is for programs that go over many ways through one
// graph, such as explorers and debuggers. Nothing is stored: a run that has to outlive its process is one of a [Thread].
//
// A graph behaves as on a thread, with these limits: a question in a sub-graph, and one in a step of several tasks, is an
// [ErrNeedsThread]; StopBefore and StopAfter are ignored, since a Point stands still after each step anyway; limits of
// a call, like [WallTime] and [Budget], are those of a step.
type Point[S Reducer[S, U], U any] struct {
	app   *App[S, U]
	name  string
	state S
	pos   Position
	step  int    // committed steps
	notes []note // of the step that waits: its questions, what it has done once
	open  []Interrupt
}

// A Stepped is what one step has done.
type Stepped[S Reducer[S, U], U any] struct {
	Point Point[S, U] // behind the step; before it when it failed
	Nodes []string    // of the tasks that have ended, in task order; none when a question is open
	Edges []Edge      // that were taken
}

// Begin applies in to the zero state and stands before the first step. name is the Thread of [InfoFrom], for nodes that ask
// for it; it may be empty and need not be unique. An error is that of Apply.
func (a *App[S, U]) Begin(name string, in U) (Point[S, U], error) {
	p := Point[S, U]{app: a, name: name, pos: a.plan.Start()}
	state, err := applyTo(p.state, in)
	if err != nil {
		return p, fmt.Errorf("apply the input: %w", err)
	}
	p.state = state
	return p, nil
}

// Named is the same point with another name.
func (p Point[S, U]) Named(name string) Point[S, U] {
	p.name = name
	return p
}

// Name is what [App.Begin] or [Point.Named] have called it.
func (p Point[S, U]) Name() string { return p.name }

// State is the state after the steps so far.
func (p Point[S, U]) State() S { return p.state }

// Position is where the run stands. It is a copy.
func (p Point[S, U]) Position() Position { return p.pos.clone() }

// Next is the nodes of the next step, in task order; none when the run has ended.
func (p Point[S, U]) Next() []string { return nodesOf(p.pos.Next) }

// Done says that the run has come to its end.
func (p Point[S, U]) Done() bool { return p.pos.Done() }

// Steps is how many steps have led here.
func (p Point[S, U]) Steps() int { return p.step }

// Interrupts are the questions that the next step waits for. It goes on with their answers.
func (p Point[S, U]) Interrupts() []Interrupt { return slices.Clone(p.open) }

// Step runs the next step. A step that asks something ends where it began, with a question in [Point.Interrupts]; answers
// are given as options, as to [Thread.Resume], and have the same errors. A step from a point that is done does nothing.
// Other errors are those of [App.Invoke], without [ErrStepLimit]. It is safe for concurrent use.
func (p Point[S, U]) Step(ctx context.Context, opts ...Option) (Stepped[S, U], error) {
	out := Stepped[S, U]{Point: p}
	if p.app == nil {
		return out, fmt.Errorf("%w: the zero Point", ErrNothingToResume)
	}
	if p.Done() {
		return out, nil
	}
	r, err := p.run(ctx, opts)
	if err != nil {
		return out, err
	}
	res, err := r.execute(ctx)
	if err != nil && (!errors.Is(err, ErrStepLimit) || res.Steps != 1) {
		return out, err
	}
	if len(res.Interrupts) > 0 {
		return p.asked(r, res.Interrupts)
	}
	out.Point = Point[S, U]{app: p.app, name: p.name, state: res.State, pos: r.pos.clone(), step: r.step}
	out.Nodes = res.Path
	for i := range r.spare.Next {
		out.Edges = p.app.plan.taken(out.Edges, &r.spare.Next[i], &r.outcomes[i])
	}
	return out, nil
}

// run is a run of one step from here.
func (p Point[S, U]) run(ctx context.Context, opts []Option) (*run[S, U], error) {
	r, err := p.app.newRun(ctx, nil, append(slices.Clone(opts), MaxSteps(1)))
	if err != nil {
		return nil, err
	}
	r.stopBefore, r.stopAfter = nil, nil
	r.number, r.step, r.begun = 1, p.step, p.step == 0
	r.point, r.name = true, p.name
	*r.state, *r.pos = p.state, p.pos.clone()
	r.app.plan.resolve(r.pos)
	r.journals.save = func([]PendingWrite) error { return nil }
	saved := &restored[S]{exists: true, run: r.number, step: p.step, pos: *r.pos}
	for _, n := range p.notes {
		saved.open = append(saved.open, &n)
	}
	return r, r.answer(saved)
}

// asked is the same point with the questions of its step.
func (p Point[S, U]) asked(r *run[S, U], open []Interrupt) (Stepped[S, U], error) {
	if len(p.pos.Next) > 1 {
		return Stepped[S, U]{Point: p}, fmt.Errorf("%w: %s asks beside other tasks", ErrNeedsThread, open[0].Task)
	}
	p.open, p.notes = open, nil
	for _, n := range r.journals.byTask[p.pos.Next[0].ID()].notes {
		p.notes = append(p.notes, *n)
	}
	return Stepped[S, U]{Point: p}, nil
}

// clone is a position whose memory is its own.
func (p *Position) clone() Position {
	return Position{Next: slices.Clone(p.Next), Deferred: slices.Clone(p.Deferred), Joins: slices.Clone(p.Joins)}
}

// storedPoint is what Encode writes.
type storedPoint struct {
	Name  string          `json:"name,omitzero"`
	Whole json.RawMessage `json:"whole"` // as in a checkpoint
	Notes []storedNote    `json:"notes,omitempty"`
}

// Encode writes the point as a checkpoint is written. An error is that of the state's encoding.
func (p Point[S, U]) Encode() ([]byte, error) {
	w := newWriter()
	p.app.writeWhole(w, &storedSnapshot{Kind: snapshotRow, Run: 1, Step: p.step, Graph: p.app.fingerprint, Position: p.pos}, &p.state)
	if w.err != nil {
		return nil, fmt.Errorf("encode a point: %w", w.err)
	}
	row := storedPoint{Name: p.name, Whole: w.buf}
	for _, n := range p.notes {
		row.Notes = append(row.Notes, storedNote{formatVersion, 1, p.step + 1, n})
	}
	return json.Marshal(row)
}

// Point reads what [Point.Encode] has written, as a checkpoint is read. Errors are [ErrDamaged], [ErrNewerFormat],
// [ErrGraphChanged].
func (a *App[S, U]) Point(data []byte) (Point[S, U], error) {
	p := Point[S, U]{app: a}
	var row storedPoint
	if err := json.Unmarshal(data, &row); err != nil {
		return p, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	t := &restored[S]{versions: a.settings.versions}
	if err := t.readSnapshot(&Record{SnapshotSeq: 1, Snapshot: row.Whole}); err != nil {
		return p, err
	}
	if t.graph != a.fingerprint {
		return p, fmt.Errorf("%w: the point is of graph %s, this is %s (%s)", ErrGraphChanged, t.graph, a.fingerprint, a.name)
	}
	if err := a.plan.Check(t.pos); err != nil {
		return p, err
	}
	p.name, p.state, p.pos, p.step = row.Name, t.state, t.pos, t.step
	for _, n := range row.Notes {
		p.notes = append(p.notes, n.note)
		t.open = append(t.open, &n.note)
	}
	t.run = 1
	a.plan.resolve(&p.pos)
	p.open = t.interrupts(&a.plan)
	return p, nil
}
