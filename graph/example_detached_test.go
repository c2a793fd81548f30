package graph_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/graph"
)

// A detached run goes on when its consumer leaves; another one follows it from where the first one was cut off.
func ExampleDetached() {
	app := line(noting("written"), noting("spelled"), noting("sent"))
	ctx := context.Background()
	letter := app.Thread("letter")

	var call, last int64
	for e := range letter.Stream(ctx, Edit{}, graph.Updates, graph.Detached()) {
		call, last = e.Call, e.Seq
		if e.Kind == graph.UpdateKind {
			fmt.Println(e.Update.Notes)
			break // the connection is cut; the run goes on
		}
	}
	for e, err := range letter.Follow(ctx, last, graph.OfCall(call)) {
		switch e.Kind {
		case graph.UpdateKind:
			fmt.Println(e.Update.Notes)
		case graph.RunEnd:
			fmt.Println("end:", e.State.Notes, err)
		}
	}
	fmt.Println(app.Close(ctx)) // at shutdown: cancels what still runs, and waits
	// Output:
	// [written]
	// [spelled]
	// [sent]
	// end: [written spelled sent] <nil>
	// <nil>
}

// Stop ends a detached run; what was committed stays and can be resumed.
func ExampleThread_Stop() {
	stuck := make(chan struct{})
	app := line(noting("written"), func(ctx context.Context, _ Draft) (Edit, error) {
		close(stuck)
		<-ctx.Done()
		return Edit{}, ctx.Err()
	})
	ctx := context.Background()
	letter := app.Thread("letter")
	for range letter.Stream(ctx, Edit{}, graph.Updates, graph.Detached()) {
		break
	}
	<-stuck
	fmt.Println(letter.Stop(ctx))
	for e, err := range letter.Follow(ctx, 0) {
		if e.Kind == graph.RunEnd {
			fmt.Println(e.State.Notes, errors.Is(err, graph.ErrStopped))
		}
	}
	fmt.Println(app.Close(ctx))
	// Output:
	// <nil>
	// [written] true
	// <nil>
}
