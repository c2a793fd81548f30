package graph_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// What a failed attempt returned vanishes; the next one sees the same state.
func ExampleRetry() {
	busy := errors.New("the line is busy")
	calls := 0
	g := graph.New[Draft]("letter")
	call := g.Node("call", func(ctx context.Context, _ Draft) (Edit, error) {
		if calls++; calls < 3 {
			return Edit{}, busy
		}
		info, _ := graph.InfoFrom(ctx)
		return Edit{Notes: []string{fmt.Sprint("attempt ", info.Attempt)}}, nil
	}, graph.Retry(5, func(err error) bool { return errors.Is(err, busy) }),
		graph.Backoff(time.Millisecond, time.Second), graph.Timeout(10*time.Second))
	g.Start(call)
	g.Edge(call, graph.End)

	res, err := must(g.Compile()).Invoke(context.Background(), Edit{})
	fmt.Println(res.State.Notes, err)
	// Output: [attempt 3] <nil>
}

// A handler stands in for a node that has failed for good.
func ExampleGraph_OnError() {
	g := graph.New[Draft]("letter")
	mail := g.Node("mail", func(context.Context, Draft) (Edit, error) {
		return Edit{}, errors.New("no such address")
	})
	sorry := graph.Work(g, "sorry", func(_ context.Context, _ Draft, f graph.Failure) (Edit, error) {
		return Edit{Notes: []string{f.Node + " failed: " + f.Error}}, nil
	})
	file := g.Node("file", noting("filed"))

	g.Start(mail)
	g.Edge(mail, file)
	g.OnError(mail, sorry)
	g.Edge(sorry.Node, file)
	g.Edge(file, graph.End)

	res, err := must(g.Compile()).Invoke(context.Background(), Edit{})
	fmt.Printf("%q %v %v\n", res.State.Notes, res.Path, err)
	// Output: ["mail failed: no such address" "filed"] [mail sorry file] <nil>
}

// Without CancelSiblings the other tasks of the step finish; either way what finished is kept for the resume.
func ExampleCancelSiblings() {
	g := graph.New[Draft]("race")
	crash := g.Node("crash", func(context.Context, Draft) (Edit, error) { return Edit{}, errors.New("crashed") })
	wait := g.Node("wait", func(ctx context.Context, _ Draft) (Edit, error) {
		<-ctx.Done() // a task that would take for ever
		return Edit{}, ctx.Err()
	})
	g.Start(crash, wait)
	g.Edge(crash, graph.End)
	g.Edge(wait, graph.End)
	app := must(g.Compile(graph.MaxConcurrency(2), graph.CancelSiblings()))
	_, err := app.Invoke(context.Background(), Edit{})
	fmt.Println(err)
	// Output: node crash (step 1, attempt 1): crashed
}

// Nodes charge what they use; a call that goes over its budget ends before its next step, and can be resumed.
func ExampleCharge() {
	app := line(
		func(ctx context.Context, _ Draft) (Edit, error) {
			return Edit{Notes: []string{"written"}}, graph.Charge(ctx, "tokens", 700)
		},
		func(ctx context.Context, _ Draft) (Edit, error) {
			return Edit{Notes: []string{"judged"}}, graph.Charge(ctx, "tokens", 500)
		},
	)
	ctx := context.Background()
	res, err := app.Invoke(ctx, Edit{}, graph.Budget("tokens", 1000))
	fmt.Println(res.Charged["tokens"], errors.Is(err, graph.ErrBudget))

	res, err = app.Invoke(ctx, Edit{}, graph.Budget("tokens", 2000), graph.WallTime(time.Minute), graph.MaxSteps(2))
	fmt.Println(res.Charged["tokens"], res.State.Notes, err)
	// Output:
	// 1200 true
	// 1200 [written judged] <nil>
}

// The clock, and what is random, come from the context: a test moves the one and repeats the other.
func ExampleWithClock() {
	app := line(func(ctx context.Context, _ Draft) (Edit, error) {
		dice := graph.Rand(ctx)
		return Edit{Notes: []string{graph.Now(ctx).Format(time.DateOnly), fmt.Sprint(dice.IntN(6) + 1)}}, nil
	})
	clock := graphtest.NewClock(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	ctx := graph.WithSeed(graph.WithClock(context.Background(), clock), 42)
	first, err := app.Invoke(ctx, Edit{})
	fmt.Println(first.State.Notes[0], err)
	second, err := app.Invoke(ctx, Edit{})
	fmt.Println(first.State.Notes[1] == second.State.Notes[1], err)
	// Output:
	// 2030-01-01 <nil>
	// true <nil>
}
