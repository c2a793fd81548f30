package reviewtest

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/kbagent/kbagent/review"
)

// start is when the entries of the suite are created.
var start = time.Date(2026, 3, 1, 9, 0, 0, 123456000, time.UTC)

// Entry is a valid entry of a run of its own, with every field that a new one can have.
func Entry(id string) review.Entry {
	return review.Entry{
		ID: id, Thread: "thread of " + id, Run: "run of " + id,
		Question: "How long are logs kept? 日志", Answer: "Seven days <b>&amp; more</b> [1]",
		Confidence: 0.5, HasConfidence: true, Components: map[string]float64{"relevance": 1.0 / 3, "grounding": 0}, Category: "how-to",
		Sources:  []review.Source{{Path: "kb/logs.md", StartLine: 3, EndLine: 7, Quote: "kept for\nseven days"}},
		Concerns: []string{"one claim of two is unsupported"}, Priority: review.Medium, Mode: review.Provisional,
		Status: review.Pending, CreatedAt: start, Deadline: start.Add(2 * time.Hour),
	}
}

// submit stores e, which is new.
func submit(t *testing.T, s review.Store, e review.Entry, channels ...string) review.Entry {
	t.Helper()
	stored, created, err := s.Submit(t.Context(), e, channels)
	if err != nil {
		t.Fatal(err)
	}
	if !created {
		t.Fatalf("entry %s is not new", e.ID)
	}
	return stored
}

func claim(reviewer string) func(*review.Entry) error {
	return func(e *review.Entry) error { return e.Claim(reviewer, start.Add(time.Minute)) }
}

func decide(d review.Decision) func(*review.Entry) error {
	if d.At.IsZero() {
		d.At = start.Add(time.Hour)
	}
	return func(e *review.Entry) error { return e.Decide(d) }
}

func approval(reviewer string) review.Decision {
	return review.Decision{Reviewer: reviewer, Status: review.Approved}
}

func change(t *testing.T, s review.Store, id string, with func(*review.Entry) error) review.Entry {
	t.Helper()
	e, err := s.Change(t.Context(), id, with)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func get(t *testing.T, s review.Store, id string) review.Entry {
	t.Helper()
	e, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func ids(t *testing.T, s review.Store, f review.Filter) []string {
	t.Helper()
	list := []string{}
	for e, err := range s.List(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e.ID)
	}
	return list
}

// take takes a notice that is due.
func take(t *testing.T, s review.Store, channel string, now, until time.Time) review.Notice {
	t.Helper()
	n, ok, err := s.Take(t.Context(), channel, now, until)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		t.Fatalf("nothing is due for %s at %v", channel, now)
	}
	return n
}

func wantNothingDue(t *testing.T, s review.Store, what, channel string, now time.Time) {
	t.Helper()
	n, ok, err := s.Take(t.Context(), channel, now, now.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		t.Errorf("%s: %+v is due, want nothing", what, n)
	}
}

func settle(t *testing.T, s review.Store, n review.Notice) {
	t.Helper()
	if err := s.Settle(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

func notices(t *testing.T, s review.Store, id string) []review.Notice {
	t.Helper()
	list, err := s.Notices(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func want(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", what, show(got), show(want))
	}
}

func show(v any) string { return fmt.Sprintf("%+v", v) }

func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: error %v, want %v", what, got, want)
	}
}
