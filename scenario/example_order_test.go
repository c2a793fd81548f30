package scenario_test

import (
	"context"
	"iter"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/scenario"
)

// Order is the state of a graph: an order that a manager has to approve from a limit on.
type Order struct {
	Amount, Limit int
	Outcome       string
}

// Change is what a node says about an order.
type Change struct {
	Amount, Limit *int
	Outcome       *string
}

// Apply implements graph.Reducer.
func (o Order) Apply(c Change) (Order, error) {
	if c.Amount != nil {
		o.Amount, o.Limit, o.Outcome = *c.Amount, *c.Limit, ""
	}
	if c.Outcome != nil {
		o.Outcome = *c.Outcome
	}
	return o, nil
}

func outcome(text string) graph.NodeFunc[Order, Change] {
	return func(context.Context, Order) (Change, error) { return Change{Outcome: &text}, nil }
}

// NewOrders is the graph: small orders are shipped, a manager is asked about the others.
func NewOrders() (*graph.App[Order, Change], error) {
	g := graph.New[Order]("orders")
	check := g.Node("check", outcome("checked"))
	approve := g.Node("approve", func(ctx context.Context, _ Order) (Change, error) {
		yes, err := graph.Ask[bool](ctx, "approve", "Ship it?")
		if err != nil {
			return Change{}, err
		}
		return Change{Outcome: new(map[bool]string{true: "approved", false: "refused"}[yes])}, nil
	})
	ship := g.Node("ship", outcome("shipped"))
	g.Start(check)
	graph.Route(g, check, size, graph.Case("large", approve), graph.Case("small", ship))
	graph.Route(g, approve, func(o Order) string { return o.Outcome }, graph.Case("approved", ship), graph.Case("refused", graph.End))
	g.Edge(ship, graph.End)
	return g.Compile()
}

func size(o Order) string {
	if o.Amount > o.Limit {
		return "large"
	}
	return "small"
}

// OrderGiven is what a scenario is given.
type OrderGiven struct {
	Limit int `yaml:"limit"` // above which a manager is asked
}

// OrderWhen is what happens in a turn: an order comes in, or the manager answers.
type OrderWhen struct {
	Order   int   `yaml:"order"`
	Approve *bool `yaml:"approve"`
}

// OrderSeen is what a scenario sees behind a turn.
type OrderSeen struct {
	Outcome string   `json:"outcome"`
	Asked   []string `json:"asked"` // the manager's open questions
	Error   string   `json:"error"`
}

// Orders binds scenarios to the graph.
type Orders struct{ app *graph.App[Order, Change] }

// Topology implements scenario.Subject.
func (s Orders) Topology() graph.Topology { return s.app.Topology() }

// Moves implements scenario.Subject.
func (Orders) Moves() []string { return nil }

// Start implements scenario.Subject: each scenario has a thread of its own.
func (s Orders) Start(_ context.Context, g OrderGiven) (scenario.Session[OrderWhen, OrderSeen], error) {
	return orderSession{s.app.Thread("order", graph.WithStore(graph.NewMemoryStore())), g.Limit}, nil
}

// Words implements scenario.Words: lint and the schema know them.
func (Orders) Words() map[string][]string {
	return map[string][]string{"then.outcome": {"checked", "approved", "refused", "shipped"}}
}

type orderSession struct {
	thread *graph.Thread[Order, Change]
	limit  int
}

// Close implements scenario.Session.
func (orderSession) Close() error { return nil }

// Turn implements scenario.Session.
func (s orderSession) Turn(ctx context.Context, w OrderWhen) (seen OrderSeen, trace scenario.Trace, err error) {
	var events iter.Seq2[graph.Event[Order, Change], error]
	if w.Approve != nil {
		events = s.thread.ResumeStream(ctx, graph.Edges, graph.Reply(*w.Approve))
	} else {
		events = s.thread.Stream(ctx, Change{Amount: &w.Order, Limit: &s.limit}, graph.Edges)
	}
	for e, err := range events {
		switch {
		case err != nil:
			seen.Error = err.Error() // what a person would see
		case e.Kind == graph.EdgeTaken:
			trace.Edges = append(trace.Edges, e.Edge)
		case e.Kind == graph.Interrupted:
			seen.Asked = append(seen.Asked, e.Interrupt.Text())
		case e.Kind == graph.RunEnd:
			seen.Outcome = e.State.Outcome
		}
	}
	return seen, trace, nil
}
