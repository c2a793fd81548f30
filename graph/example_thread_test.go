package graph_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// A run that fails is resumed behind its last commit: what is stored does not run again.
func ExampleThread_Resume() {
	closed := true
	app := line(
		func(context.Context, Draft) (Edit, error) {
			fmt.Println("writing")
			return Edit{Text: graph.To("Dear reader")}, nil
		},
		func(context.Context, Draft) (Edit, error) {
			if closed {
				return Edit{}, errors.New("the post office is closed")
			}
			return Edit{Notes: []string{"sent"}}, nil
		},
	)
	ctx := context.Background()
	letter := app.Thread("letter", graph.WithStore(graph.NewMemoryStore()))
	_, err := letter.Invoke(ctx, Edit{})
	fmt.Println(err)

	closed = false
	res, err := letter.Resume(ctx)
	fmt.Println(res.State.Text, res.State.Notes, res.Path, err)
	// Output:
	// writing
	// node b (step 2, attempt 1): the post office is closed
	// Dear reader [sent] [b] <nil>
}

// A thread keeps its state between calls; Head reads it without running anything.
func ExampleThread_Head() {
	app, ctx := line(noting("answered")), context.Background()
	talk := app.Thread("talk")
	must(talk.Invoke(ctx, Edit{Text: graph.To("first question")}))
	must(talk.Invoke(ctx, Edit{Text: graph.To("second question")}))
	head := must(talk.Head(ctx))
	fmt.Println(head.State.Text, head.State.Notes, head.Seq, head.Done)
	// Output: second question [answered answered] 4 true
}

// Durability says when what a run writes reaches its store: after each step, meanwhile, or at the end.
func ExampleExit() {
	app, ctx := line(noting("a"), noting("b"), noting("c")), context.Background()
	commits := func(opt graph.ThreadOption) (n int) {
		store := graphtest.Faulty(graph.NewMemoryStore(), func(graphtest.Op) graphtest.Verdict { return graphtest.Pass })
		must(app.Thread("t", graph.WithStore(store), opt).Invoke(ctx, Edit{}))
		for _, op := range store.Ops() {
			if op.Name == "Commit" {
				n++
			}
		}
		return n
	}
	fmt.Printf("Sync: %d commits; Exit: %d\n", commits(graph.Sync), commits(graph.Exit))
	// Output: Sync: 4 commits; Exit: 1
}

// Once keeps the result of a side effect with its task: a node that runs again does not repeat it.
func ExampleOnce() {
	broken := true
	app := line(func(ctx context.Context, _ Draft) (Edit, error) {
		receipt, err := graph.Once(ctx, "mail", func(ctx context.Context) (string, error) {
			info, _ := graph.InfoFrom(ctx)
			fmt.Println("mailing with idempotency key", info.Key)
			return "receipt 17", nil
		})
		if err != nil {
			return Edit{}, err
		}
		if broken {
			return Edit{}, errors.New("out of paper")
		}
		return Edit{Notes: []string{receipt}}, nil
	})
	ctx := context.Background()
	letter := app.Thread("letter")
	_, err := letter.Invoke(ctx, Edit{})
	fmt.Println(err)

	broken = false
	res, err := letter.Resume(ctx)
	fmt.Println(res.State.Notes, err)
	// Output:
	// mailing with idempotency key letter/1/1/a
	// node a (step 1, attempt 1): out of paper
	// [receipt 17] <nil>
}
