package explore_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/scenario/explore"
)

// Cart is a purchase: what was paid, and whether it was sent.
type Cart struct {
	Tries int
	Paid  bool
	Sent  bool
}

// Event is what a node of the shop has done.
type Event struct{ Tried, Paid, Sent bool }

// Apply notes what was done.
func (c Cart) Apply(e Event) (Cart, error) {
	if e.Tried {
		c.Tries++
	}
	c.Paid, c.Sent = c.Paid || e.Paid, c.Sent || e.Sent
	return c, nil
}

// shopGraph pays, twice at most, and sends. With the fault it sends after the second try, whatever the bank said.
func shopGraph(fault bool) *graph.App[Cart, Event] {
	g := graph.New[Cart, Event]("shop")
	pay := g.Node("pay", func(ctx context.Context, _ Cart) (Event, error) {
		paid := explore.Choose(ctx, "bank", "accepts", "refuses") == "accepts" // the stand-in for the bank
		return Event{Tried: true, Paid: paid}, nil
	})
	send := g.Node("send", func(context.Context, Cart) (Event, error) { return Event{Sent: true}, nil })
	g.Start(pay)
	graph.Route(g, pay, func(c Cart) string {
		switch {
		case c.Paid, fault && c.Tries == 2:
			return "send"
		case c.Tries < 2:
			return "again"
		}
		return "give up"
	}, graph.Case("send", send), graph.Case("again", pay), graph.Case("give up", graph.End))
	g.Edge(send, graph.End)
	app, err := g.Compile()
	if err != nil {
		panic(err)
	}
	return app
}

// Every outcome of the bank is tried; what breaks the promise of the shop comes with the shortest way there.
func Example() {
	for _, fault := range []bool{false, true} {
		r, err := explore.Run(context.Background(), explore.Subject[Cart, Event]{
			App: shopGraph(fault), Inputs: map[string]Event{"order": {}}, Canonical: func(c Cart) any { return c },
			Invariants: []explore.Invariant[Cart]{{Name: "nothing is sent unpaid", End: func(c Cart) error {
				if c.Sent && !c.Paid {
					return errors.New("it was sent, and nobody paid")
				}
				return nil
			}}},
		}, explore.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.States, "states,", r.Paths, "paths, edges taken:", r.Coverage.Edges)
		for _, v := range r.Violations {
			fmt.Println("broken:", v.Invariant)
			for i, s := range v.Path {
				fmt.Println(" ", i+1, s.Nodes, s.Choices)
			}
		}
	}
	// Output:
	// 6 states, 3 paths, edges taken: 1
	// 7 states, 3 paths, edges taken: 0.8
	// broken: nothing is sent unpaid
	//   1 [pay] [bank: refuses]
	//   2 [pay] [bank: refuses]
	//   3 [send] []
}
