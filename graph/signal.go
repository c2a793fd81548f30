package graph

import "context"

// A signal is what a task says while it runs, before it is an [Event].
type signal struct {
	kind   Kind
	text   string // also the name of a charge
	value  any    // also the event of a sub-graph
	path   []string
	amount int64
}

// say hands a signal on when ctx is a task's and the consumer of its run wants the mode.
func say(ctx context.Context, m Mode, s signal) {
	if c, ok := ctx.Value(taskKey{}).(*taskContext); ok {
		c.say(m, s)
	}
}

func (c *taskContext) say(m Mode, s signal) {
	if c.shared.modes&m != 0 {
		c.shared.report(c, s)
	}
}

// forward hands an event of the task's sub-graph on.
func (c *taskContext) forward(event interface{ path() []string }) {
	if c.shared.modes&Children != 0 {
		c.say(Children, signal{kind: ChildKind, value: event, path: append([]string{c.task()}, event.path()...)})
	}
}

// childSink takes the events of a task's sub-graph to the consumer of the parent, nil when that does not want them.
func childSink[S, U any](c *taskContext, thread string) *sink[S, U] {
	if c.shared.modes&Children == 0 {
		return nil
	}
	return &sink[S, U]{
		mode: c.shared.modes, thread: thread, cancel: func() {},
		yield: func(e Event[S, U], _ error) bool { c.forward(e); return true },
	}
}

// signal makes an event of what the task whose context c is says.
func (w *wire[S, U]) signal(c *taskContext, s signal) {
	t := Task{Node: c.name(), Send: int(c.send)}
	e := Event[S, U]{Kind: s.kind, Step: c.shared.first + int(c.step), Node: t.Node, Task: t.ID(), Attempt: int(c.attempt)}
	switch s.kind {
	case MessageKind:
		e.Text = s.text
	case ChildKind:
		e.Child, e.Path = s.value, s.path
	case ChargeKind:
		e.Name, e.Amount = s.text, s.amount
	default:
		e.Custom = s.value
	}
	w.send(e)
}
