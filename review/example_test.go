package review_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kbagent/kbagent/review"
)

func Example() {
	ctx := context.Background()
	queue, err := review.New(review.NewMemoryStore(), review.Options{
		SLA: time.Hour, NewID: func() string { return "k3x7" },
	})
	if err != nil {
		panic(err)
	}
	entry, _, err := queue.Submit(ctx, review.Entry{
		Thread: "ops", Run: "1", Question: "How long are logs kept?", Answer: "Seven days.", Confidence: 0.35, HasConfidence: true,
		Mode: review.Provisional,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(entry.Priority, queue.URL(entry.ID))

	entry, err = queue.Decide(ctx, entry.ID, review.Decision{Reviewer: "ada", Status: review.Corrected, Corrected: "Nine days."})
	if err != nil {
		panic(err)
	}
	fmt.Println(entry.Status, entry.Corrected, *entry.SLAMet)

	_, err = queue.Claim(ctx, entry.ID, "bob")
	fmt.Println(errors.Is(err, review.ErrDecided))
	// Output:
	// high kbagent review show k3x7
	// corrected Nine days. true
	// true
}
