package postgres_test

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/store/postgres"
)

// Threads of an app live in a database.
func ExampleOpen() {
	ctx := context.Background()
	db, err := postgres.Open(ctx, "postgres://kbagent:secret@localhost:5432/kbagent", postgres.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	app := newApp()
	res, err := app.Thread("customer 17", graph.WithStore(db.Checkpoints())).Invoke(ctx, "hello")
	log.Println(res.State.Value, err)
}

// A worker finishes the runs of processes that have died.
func ExampleCheckpoints_TakeAbandoned() {
	worker := func(ctx context.Context, store *postgres.Checkpoints) error {
		app := newApp()
		for ctx.Err() == nil {
			threads, err := store.TakeAbandoned(ctx, 10)
			if err != nil {
				return err
			}
			for _, id := range threads {
				_, err := app.Thread(id, graph.WithStore(store)).Resume(ctx)
				switch {
				case ctx.Err() != nil:
					return context.Cause(ctx) // another worker takes it when the reservation has run out
				case errors.Is(err, graph.ErrGraphChanged), errors.Is(err, graph.ErrDamaged):
					log.Printf("thread %q stays as it is: %v", id, err)
				case err != nil:
					log.Printf("thread %q: %v", id, err)
					continue // its node failed, somebody else has it, or it is handed out again when the reservation has run out
				}
				if err := store.Dismiss(ctx, id); err != nil {
					return err
				}
			}
			select {
			case <-ctx.Done():
			case <-time.After(store.Lease() / 4): // nothing wakes a worker when a lease runs out
			}
		}
		return context.Cause(ctx)
	}
	_ = worker
}

func newApp() *graph.App[graph.Simple[string], string] {
	g := graph.New[graph.Simple[string]]("greeter")
	reply := g.Node("reply", func(_ context.Context, s graph.Simple[string]) (string, error) { return s.Value + " there", nil })
	g.Start(reply)
	g.Edge(reply, graph.End)
	app, err := g.Compile()
	if err != nil {
		log.Fatal(err)
	}
	return app
}
