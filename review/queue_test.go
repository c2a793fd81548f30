package review_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/review"
)

var start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// desk is a queue with a clock that stands still and ids that count.
type desk struct {
	*review.Queue
	store *review.MemoryStore
	now   time.Time
	ids   int
}

func newDesk(t *testing.T, opts review.Options) *desk {
	t.Helper()
	d := &desk{store: review.NewMemoryStore(), now: start}
	opts.Now = func() time.Time { return d.now }
	opts.NewID = func() string { d.ids++; return fmt.Sprintf("id-%d", d.ids) }
	if opts.Jitter == nil {
		opts.Jitter = func() float64 { return 0 }
	}
	var err error
	d.Queue, err = review.New(d.store, opts)
	require.NoError(t, err)
	return d
}

// question is a new answer of a run.
func question(run string) review.Entry {
	return review.Entry{Thread: "t", Run: run, Question: "q of " + run, Answer: "a", Confidence: 0.5, HasConfidence: true, Mode: review.Provisional}
}

func (d *desk) submit(t *testing.T, e review.Entry) review.Entry {
	t.Helper()
	stored, created, err := d.Submit(t.Context(), e)
	require.NoError(t, err)
	require.True(t, created)
	return stored
}

func (d *desk) decide(t *testing.T, id string, status review.Status) review.Entry {
	t.Helper()
	decision := review.Decision{Reviewer: "ada", Status: status}
	switch status {
	case review.Corrected:
		decision.Corrected = "the right answer"
	case review.Rejected:
		decision.Notes = "it is wrong"
	}
	e, err := d.Decide(t.Context(), id, decision)
	require.NoError(t, err)
	return e
}

func ids(t *testing.T, list func(func(review.Entry, error) bool)) []string {
	t.Helper()
	var out []string
	for e, err := range list {
		require.NoError(t, err)
		out = append(out, e.ID)
	}
	return out
}

func TestAQueueFillsInWhatAnEntryNeeds(t *testing.T) {
	d := newDesk(t, review.Options{})
	e := d.submit(t, question("one"))
	assert.Equal(t, "id-1", e.ID)
	assert.Equal(t, review.Pending, e.Status)
	assert.Equal(t, review.Medium, e.Priority)
	assert.Equal(t, start, e.CreatedAt)
	assert.Equal(t, start.Add(2*time.Hour), e.Deadline, "the default is two hours")

	urgent := question("two")
	urgent.Priority = review.High
	assert.Equal(t, review.High, d.submit(t, urgent).Priority, "a priority that is given stays")
}

func TestARunThatSubmitsAgainGetsItsFirstEntry(t *testing.T) {
	d := newDesk(t, review.Options{SLA: time.Minute})
	first := d.submit(t, question("one"))
	d.now = start.Add(time.Hour)
	again, created, err := d.Submit(t.Context(), question("one"))
	require.NoError(t, err)
	assert.False(t, created)
	assert.Equal(t, first, again)
}

func TestOnlyANewEntryCanBeSubmitted(t *testing.T) {
	d := newDesk(t, review.Options{})
	for _, spoil := range []func(*review.Entry){
		func(e *review.Entry) { e.Status = review.Approved },
		func(e *review.Entry) { e.Reviewer = "ada" },
		func(e *review.Entry) { e.DecidedAt = start },
		func(e *review.Entry) { e.Answer = "" },
	} {
		e := question("one")
		spoil(&e)
		_, _, err := d.Submit(t.Context(), e)
		require.ErrorIs(t, err, review.ErrInvalid)
	}
	assert.Empty(t, ids(t, d.List(t.Context(), review.Filter{})))
}

func TestADeadlineThatHasPassedIsSeenAndCounted(t *testing.T) {
	d := newDesk(t, review.Options{SLA: time.Hour})
	for _, run := range []string{"in-time", "late", "open"} {
		d.submit(t, question(run))
	}
	d.now = start.Add(time.Hour)
	assert.True(t, *d.decide(t, "id-1", review.Approved).SLAMet)
	assert.Empty(t, ids(t, d.Overdue(t.Context())), "the deadline itself is in time")
	d.now = start.Add(time.Hour + time.Second)
	assert.Equal(t, []string{"id-2", "id-3"}, ids(t, d.Overdue(t.Context())))
	assert.False(t, *d.decide(t, "id-2", review.Rejected).SLAMet)
	s, err := d.Stats(t.Context(), 0.85)
	require.NoError(t, err)
	assert.Equal(t, review.SLAStats{Met: 1, Missed: 1, Overdue: 1}, s.SLA)
}

func TestCorrectionsAreListed(t *testing.T) {
	d := newDesk(t, review.Options{})
	for i, status := range []review.Status{review.Approved, review.Corrected, review.Rejected} {
		d.submit(t, question(string(status)))
		d.decide(t, fmt.Sprintf("id-%d", i+1), status)
	}
	assert.Equal(t, []string{"id-2"}, ids(t, d.Corrections(t.Context())))
}

func TestAClockThatGoesWrongMakesNoNegativeTimes(t *testing.T) {
	d := newDesk(t, review.Options{})
	d.submit(t, question("one"))
	d.now = start.Add(-time.Hour)
	e := d.decide(t, "id-1", review.Approved)
	assert.Equal(t, start, e.DecidedAt)
	assert.True(t, *e.SLAMet)
}

func TestWhoeverHoldsAnEntryIsNamed(t *testing.T) {
	d := newDesk(t, review.Options{})
	d.submit(t, question("one"))
	_, err := d.Claim(t.Context(), "id-1", "ada")
	require.NoError(t, err)
	_, err = d.Claim(t.Context(), "id-1", "bob")
	require.EqualError(t, err, "review id-1: ada has it since 2026-03-01T09:00:00Z")
	_, err = d.Release(t.Context(), "id-1", "ada")
	require.NoError(t, err)
	_, err = d.Claim(t.Context(), "id-1", "bob")
	require.NoError(t, err)
	_, err = d.Decide(t.Context(), "id-1", review.Decision{Reviewer: "bob", Status: review.Approved})
	require.NoError(t, err)
	_, err = d.Claim(t.Context(), "id-1", "ada")
	require.EqualError(t, err, "review id-1: approved by bob at 2026-03-01T09:00:00Z already")
	_, err = d.Claim(t.Context(), "id-9", "ada")
	require.EqualError(t, err, `there is no such review: "id-9"`)
}

func TestANameThatIsNoneIsRefused(t *testing.T) {
	d := newDesk(t, review.Options{})
	d.submit(t, question("one"))
	for _, name := range []string{"", " ", "ada ", "a\nb", "\xff", string(make([]byte, 201))} {
		_, err := d.Claim(t.Context(), "id-1", name)
		require.ErrorIs(t, err, review.ErrInvalid, "%q", name)
	}
}

func TestSettleCallsForEveryDecisionUntilItSucceeds(t *testing.T) {
	d := newDesk(t, review.Options{})
	for _, run := range []string{"open", "good", "bad"} {
		d.submit(t, question(run))
	}
	d.decide(t, "id-2", review.Approved)
	d.decide(t, "id-3", review.Approved)
	broken := errors.New("the disk is full")
	var calls []string
	do := func(_ context.Context, e review.Entry) error {
		if calls = append(calls, e.ID); e.ID == "id-3" && len(calls) < 3 {
			return broken
		}
		return nil
	}
	err := d.Settle(t.Context(), do)
	require.ErrorIs(t, err, broken)
	require.EqualError(t, err, "review id-3: the disk is full")
	require.NoError(t, d.Settle(t.Context(), do))
	require.NoError(t, d.Settle(t.Context(), do))
	assert.Equal(t, []string{"id-2", "id-3", "id-3"}, calls)
}

func TestAReviewHasAnAddress(t *testing.T) {
	assert.Equal(t, "kbagent review show id-1", newDesk(t, review.Options{}).URL("id-1"))
	assert.Equal(t, "https://kb.example.com/reviews/id-1", newDesk(t, review.Options{BaseURL: "https://kb.example.com/reviews/"}).URL("id-1"))
}

func TestOptionsThatCannotWorkAreRefused(t *testing.T) {
	for what, opts := range map[string]review.Options{
		"negative SLA":     {SLA: -1},
		"negative timeout": {SendTimeout: -1},
		"no host":          {BaseURL: "reviews"},
		"another scheme":   {BaseURL: "ftp://example.com"},
		"a query":          {BaseURL: "https://example.com/?id="},
		"no name":          {Notifiers: []review.Notifier{&channel{}}},
		"a name twice":     {Notifiers: []review.Notifier{&channel{name: "a"}, &channel{name: "a"}}},
	} {
		_, err := review.New(review.NewMemoryStore(), opts)
		require.ErrorIs(t, err, review.ErrInvalid, what)
	}
}
