package reviewtest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/kbagent/kbagent/review"
)

func testClaim(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"))
	e := change(t, s, "a", claim("ada"))
	want(t, "claimed", []any{e.Status, e.Reviewer, e.ClaimedAt}, []any{review.InReview, "ada", start.Add(time.Minute)})
	want(t, "stored", get(t, s, "a"), e)
	want(t, "claimed again", change(t, s, "a", claim("ada")), e)

	var held *review.ClaimedError
	_, err := s.Change(t.Context(), "a", claim("bob"))
	wantError(t, "a second claim", err, review.ErrClaimed)
	if errors.As(err, &held) {
		want(t, "who has it", []string{held.ID, held.Reviewer}, []string{"a", "ada"})
	}
	_, err = s.Change(t.Context(), "a", decide(approval("bob")))
	wantError(t, "a decision by somebody else", err, review.ErrClaimed)
	_, err = s.Change(t.Context(), "a", func(e *review.Entry) error { return e.Release("bob") })
	wantError(t, "a release by somebody else", err, review.ErrClaimed)
	want(t, "after that", get(t, s, "a"), e)

	e = change(t, s, "a", func(e *review.Entry) error { return e.Release("ada") })
	want(t, "released", e, Entry("a"))
	want(t, "claimed by the other", change(t, s, "a", claim("bob")).Reviewer, "bob")
}

func testDecide(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"))
	change(t, s, "a", claim("ada"))
	e := change(t, s, "a", decide(review.Decision{Reviewer: "ada", Status: review.Corrected, Corrected: "Nine days.", Notes: "since v2", Rating: 4}))
	expected := Entry("a")
	expected.Status, expected.Reviewer, expected.Corrected, expected.Notes, expected.Rating = review.Corrected, "ada", "Nine days.", "since v2", 4
	expected.ClaimedAt, expected.DecidedAt, expected.SLAMet = start.Add(time.Minute), start.Add(time.Hour), new(true)
	want(t, "decided", e, expected)
	want(t, "stored", get(t, s, "a"), expected)
	for what, try := range map[string]func(*review.Entry) error{
		"decide": decide(approval("ada")), "decide by another": decide(approval("bob")), "claim": claim("bob"),
		"release": func(e *review.Entry) error { return e.Release("ada") },
	} {
		_, err := s.Change(t.Context(), "a", try)
		wantError(t, what, err, review.ErrDecided)
	}
	want(t, "after that", get(t, s, "a"), expected)

	submit(t, s, Entry("b"))
	e = change(t, s, "b", decide(approval("bob")))
	want(t, "decided without a claim", []any{e.Status, e.Reviewer}, []any{review.Approved, "bob"})
	for what, d := range map[string]review.Decision{
		"no reviewer": {Status: review.Approved}, "pending": {Reviewer: "ada", Status: review.Pending}, "no correction": {Reviewer: "ada", Status: review.Corrected},
		"no reason": {Reviewer: "ada", Status: review.Rejected}, "a correct correction": {Reviewer: "ada", Status: review.Approved, Corrected: "x"},
		"a rating of -1": {Reviewer: "ada", Status: review.Approved, Rating: -1},
	} {
		_, err := s.Change(t.Context(), "b", decide(d))
		wantError(t, what, err, review.ErrInvalid)
	}
}

func testSLA(t *testing.T, s review.Store) {
	for id, c := range map[string]struct {
		after time.Duration
		met   bool
	}{"early": {time.Hour, true}, "on-time": {2 * time.Hour, true}, "late": {2*time.Hour + time.Microsecond, false}} {
		submit(t, s, Entry(id))
		d := approval("ada")
		d.At = start.Add(c.after)
		change(t, s, id, decide(d))
		want(t, id, *get(t, s, id).SLAMet, c.met)
	}
}

func testRefusedChange(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"))
	refusal := errors.New("thought better of it")
	_, err := s.Change(t.Context(), "a", func(e *review.Entry) error { e.Notes = "changed"; return refusal })
	wantError(t, "the error of the change", err, refusal)
	_, err = s.Change(t.Context(), "a", func(e *review.Entry) error { e.Status = review.Approved; return nil })
	wantError(t, "a change that makes it invalid", err, review.ErrInvalid)
	want(t, "entry", get(t, s, "a"), Entry("a"))
}

func testIdentity(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"))
	for what, with := range map[string]func(*review.Entry){
		"id":     func(e *review.Entry) { e.ID = "b" },
		"thread": func(e *review.Entry) { e.Thread = "b" },
		"run":    func(e *review.Entry) { e.Run = "b" },
	} {
		if _, err := s.Change(t.Context(), "a", func(e *review.Entry) error { with(e); return nil }); err == nil {
			t.Errorf("the %s was changed, want an error", what)
		}
	}
	want(t, "list", ids(t, s, review.Filter{}), []string{"a"})
}

func testSettled(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"))
	settle := func(e *review.Entry) error { return e.Settle(start.Add(2 * time.Hour)) }
	_, err := s.Change(t.Context(), "a", settle)
	wantError(t, "settle an open entry", err, review.ErrInvalid)
	change(t, s, "a", decide(approval("ada")))
	want(t, "unsettled", ids(t, s, review.Filter{Unsettled: true}), []string{"a"})
	change(t, s, "a", settle)
	want(t, "unsettled after that", ids(t, s, review.Filter{Unsettled: true}), []string{})
	want(t, "settled at", get(t, s, "a").SettledAt, start.Add(2*time.Hour))
}

// many is how many try at once.
const many = 16

func testSubmitRace(t *testing.T, s review.Store) {
	created := count(t, func(i int) (bool, error) {
		e := Entry(fmt.Sprintf("id-%d", i))
		e.Thread, e.Run = "thread", "run"
		_, created, err := s.Submit(t.Context(), e, []string{"webhook"})
		return created, err
	})
	want(t, "created", created, 1)
	want(t, "entries", len(ids(t, s, review.Filter{})), 1)
	want(t, "notices", len(notices(t, s, "")), 1)
}

func testClaimRace(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"))
	won := count(t, func(i int) (bool, error) {
		_, err := s.Change(t.Context(), "a", claim(fmt.Sprintf("reviewer %d", i)))
		if errors.Is(err, review.ErrClaimed) {
			return false, nil
		}
		return err == nil, err
	})
	want(t, "who got it", won, 1)
	want(t, "status", get(t, s, "a").Status, review.InReview)
}

func testDecideRace(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"))
	won := count(t, func(i int) (bool, error) {
		_, err := s.Change(t.Context(), "a", decide(approval(fmt.Sprintf("reviewer %d", i))))
		if errors.Is(err, review.ErrDecided) {
			return false, nil
		}
		return err == nil, err
	})
	want(t, "decisions that count", won, 1)
}

func testChangeRace(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"))
	done := count(t, func(i int) (bool, error) {
		_, err := s.Change(t.Context(), "a", func(e *review.Entry) error {
			e.Concerns = append(e.Concerns, fmt.Sprintf("concern %d", i))
			return nil
		})
		return err == nil, err
	})
	want(t, "changes", done, many)
	want(t, "concerns", len(get(t, s, "a").Concerns), many+len(Entry("a").Concerns))
}

// count calls do many times at once, and returns how many times it said true.
func count(t *testing.T, do func(i int) (bool, error)) (n int) {
	t.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range many {
		wg.Go(func() {
			ok, err := do(i)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("attempt %d: %v", i, err)
			} else if ok {
				n++
			}
		})
	}
	wg.Wait()
	return n
}
