package graph_test

import (
	"context"
	"fmt"
)

// From one place a run can go on in several ways.
func ExamplePoint() {
	ctx := context.Background()
	app := reviewed()
	begin := must(app.Begin("draft", Edit{}))
	written := must(begin.Step(ctx)).Point
	fmt.Println(written.Next(), written.State().Tries)

	judged := must(written.Step(ctx))
	fmt.Println(judged.Edges[0].Label, judged.Point.Next())

	data := must(judged.Point.Encode()) // as a checkpoint is written
	again := must(app.Point(data))
	fmt.Println(again.Next(), must(again.Step(ctx)).Point.State().Tries)
	fmt.Println(written.Next(), written.State().Tries, "is as it was")
	// Output:
	// [judge] 1
	// again [write]
	// [write] 2
	// [judge] 1 is as it was
}
