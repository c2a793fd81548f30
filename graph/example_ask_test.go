package graph_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
)

// A node asks; the call ends with the question; a later call, in whatever process, brings the answer.
func ExampleAsk() {
	app := line(func(ctx context.Context, d Draft) (Edit, error) {
		ok, err := graph.Ask[bool](ctx, "publish", "Publish "+d.Text+"?")
		if err != nil {
			return Edit{}, err
		}
		return Edit{Notes: []string{fmt.Sprint("published: ", ok)}}, nil
	})
	ctx := context.Background()
	thread := app.Thread("letter")
	res := must(thread.Invoke(ctx, Edit{Text: graph.To("my letter")}))
	question := res.Interrupts[0]
	fmt.Println(question.Text(), question.Want)

	_, err := thread.Resume(ctx, graph.Answer(question.ID, "perhaps")) // consumes nothing
	fmt.Println(errors.Is(err, graph.ErrAnswerType))
	res, err = thread.Resume(ctx, graph.Answer(question.ID, true))
	fmt.Println(res.State.Notes, err)
	// Output:
	// Publish my letter? boolean
	// true
	// [published: true] <nil>
}

// Several questions are open at once; they are answered together or one by one.
func ExampleAnswers() {
	ask := func(key string) graph.NodeFunc[Draft, Edit] {
		return func(ctx context.Context, _ Draft) (Edit, error) {
			name, err := graph.Ask[string](ctx, key, "Who is the "+key+"?")
			return Edit{Notes: []string{key + " " + name}}, err
		}
	}
	g := graph.New[Draft]("letter")
	from, to := g.Node("from", ask("sender")), g.Node("to", ask("recipient"))
	g.Start(from, to)
	g.Edge(from, graph.End)
	g.Edge(to, graph.End)

	ctx := context.Background()
	thread := must(g.Compile()).Thread("letter")
	res := must(thread.Invoke(ctx, Edit{}))
	_, err := thread.Resume(ctx, graph.Reply("Ada")) // to which of the two?
	fmt.Println(errors.Is(err, graph.ErrAmbiguousAnswer))

	answers := map[string]any{}
	for _, q := range res.Interrupts {
		answers[q.ID] = map[string]string{"sender": "Ada", "recipient": "Grace"}[q.Key]
	}
	res, err = thread.Resume(ctx, graph.Answers(answers))
	fmt.Printf("%q %v\n", res.State.Notes, err)
	// Output:
	// true
	// ["sender Ada" "recipient Grace"] <nil>
}

// A question may expire; the node then decides by itself.
func ExampleExpiresAfter() {
	app := line(func(ctx context.Context, _ Draft) (Edit, error) {
		ok, err := graph.Ask[bool](ctx, "publish", "Publish?", graph.ExpiresAfter(time.Hour))
		if errors.Is(err, graph.ErrExpired) {
			return Edit{Notes: []string{"nobody answered: not published"}}, nil
		}
		return Edit{Notes: []string{fmt.Sprint("published: ", ok)}}, err
	})
	clock := graphtest.NewClock(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	ctx := graph.WithClock(context.Background(), clock)
	thread := app.Thread("letter")
	must(thread.Invoke(ctx, Edit{}))
	clock.Advance(2 * time.Hour)
	res, err := thread.Resume(ctx)
	fmt.Println(res.State.Notes, err)
	// Output: [nobody answered: not published] <nil>
}

// A stop ends the call before or after a node, without a word in the node's code.
func ExampleStopBefore() {
	g := graph.New[Draft]("letter")
	write, send := g.Node("write", noting("written")), g.Node("send", noting("sent"))
	g.Start(write)
	g.Edge(write, send)
	g.Edge(send, graph.End)

	ctx := context.Background()
	thread := must(g.Compile()).Thread("letter")
	res := must(thread.Invoke(ctx, Edit{}, graph.StopBefore(send)))
	fmt.Println(res.Path, res.Interrupts[0].Kind, res.Interrupts[0].Node)
	res = must(thread.Resume(ctx))
	fmt.Println(res.Path, len(res.Interrupts))
	// Output:
	// [write] before send
	// [send] 0
}
