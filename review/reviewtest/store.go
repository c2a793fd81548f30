package reviewtest

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/kbagent/kbagent/review"
)

// Store runs the conformance suite. open returns a new empty store each time and cleans up through t.
func Store(t *testing.T, open func(t *testing.T) review.Store) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, s review.Store)
	}{
		{"a new store is empty", testEmpty},
		{"an entry comes back as it was submitted", testSubmit},
		{"a second submit of a run returns the first entry unchanged", testIdempotent},
		{"runs are told apart by thread and name", testRuns},
		{"an entry that is not valid is refused", testInvalid},
		{"an id belongs to one run", testIDTaken},
		{"a list is ordered by priority, then deadline, then id", testOrder},
		{"a filter chooses", testFilter},
		{"a list can be left early and ranged over again", testLeaveEarly},
		{"an entry that somebody holds is theirs", testClaim},
		{"a decision is final", testDecide},
		{"a decision after the deadline has missed it", testSLA},
		{"a change that fails changes nothing", testRefusedChange},
		{"a change does not make an entry another one", testIdentity},
		{"what follows a decision is noted", testSettled},
		{"of many submits of one run one creates the entry", testSubmitRace},
		{"of many reviewers one gets the entry", testClaimRace},
		{"of many decisions one counts", testDecideRace},
		{"changes of one entry do not lose one another", testChangeRace},
		{"a notice is written with its entry, once", testNotices},
		{"a notice is taken by one at a time", testTake},
		{"a notice that was not settled comes back", testLostTake},
		{"a notice that failed waits for its next time", testFailedNotice},
		{"a notice that was sent or dropped is not sent again", testSentNotice},
		{"a late result of a lost attempt counts only when it was sent", testLateResult},
		{"hastened notices are due, but for those that are taken", testHasten},
		{"of many senders each notice goes to one", testTakeRace},
		{"a cancelled call does nothing", testCancelled},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func testEmpty(t *testing.T, s review.Store) {
	want(t, "list", ids(t, s, review.Filter{}), []string{})
	_, err := s.Get(t.Context(), "nothing")
	wantError(t, "get", err, review.ErrNotFound)
	_, err = s.Change(t.Context(), "nothing", claim("ada"))
	wantError(t, "change", err, review.ErrNotFound)
	want(t, "notices", len(notices(t, s, "")), 0)
	wantNothingDue(t, s, "a new store", "webhook", start)
}

func testSubmit(t *testing.T, s review.Store) {
	e := Entry("a")
	want(t, "stored", submit(t, s, e), e)
	want(t, "entry", get(t, s, "a"), e)

	least := review.Entry{
		ID: "b", Thread: "t\x00\x1f", Run: strings.Repeat("r", 5000), Question: "q", Answer: "a", Priority: review.Low, Mode: review.Blocking,
		Status: review.Pending, CreatedAt: start, Deadline: start,
	}
	submit(t, s, least)
	want(t, "entry with the least fields and odd names", get(t, s, "b"), least)

	local := Entry("c")
	local.CreatedAt = start.Add(999 * time.Nanosecond).In(time.FixedZone("X", 3600))
	want(t, "time of creation", submit(t, s, local).CreatedAt, start)
	want(t, "time of creation, read", get(t, s, "c").CreatedAt, start)

	big := Entry("d")
	big.Answer = strings.Repeat("0123456789abcdef", 1<<16)
	submit(t, s, big)
	want(t, "an answer of a megabyte", get(t, s, "d").Answer == big.Answer, true)
}

func testIdempotent(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"), "webhook")
	first := change(t, s, "a", claim("ada"))
	again := Entry("b")
	again.Thread, again.Run, again.Answer, again.Priority = first.Thread, first.Run, "another answer", review.High
	stored, created, err := s.Submit(t.Context(), again, []string{"webhook", "smtp"})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "created", created, false)
	want(t, "entry", stored, first)
	want(t, "list", ids(t, s, review.Filter{}), []string{"a"})
	want(t, "notices", len(notices(t, s, "")), 1)
	_, err = s.Get(t.Context(), "b")
	wantError(t, "get the second", err, review.ErrNotFound)
}

func testRuns(t *testing.T, s review.Store) {
	for id, name := range map[string][2]string{"a": {"ab", "c"}, "b": {"a", "bc"}, "c": {"a", "b"}, "d": {"b", "a"}} {
		e := Entry(id)
		e.Thread, e.Run = name[0], name[1]
		submit(t, s, e)
	}
	want(t, "entries", len(ids(t, s, review.Filter{})), 4)
}

func testInvalid(t *testing.T, s review.Store) {
	for what, spoil := range map[string]func(*review.Entry){
		"no id":               func(e *review.Entry) { e.ID = "" },
		"an id with a path":   func(e *review.Entry) { e.ID = "../x" },
		"no run":              func(e *review.Entry) { e.Run = "" },
		"no question":         func(e *review.Entry) { e.Question = " " },
		"no answer":           func(e *review.Entry) { e.Answer = "" },
		"bad text":            func(e *review.Entry) { e.Answer = "\xff" },
		"confidence above 1":  func(e *review.Entry) { e.Confidence = 1.1 },
		"confidence NaN":      func(e *review.Entry) { e.Confidence = math.NaN() },
		"a component below 0": func(e *review.Entry) { e.Components = map[string]float64{"x": -0.1} },
		"unknown priority":    func(e *review.Entry) { e.Priority = "urgent" },
		"unknown mode":        func(e *review.Entry) { e.Mode = "" },
		"unknown status":      func(e *review.Entry) { e.Status = "new" },
		"a rating of 6":       func(e *review.Entry) { e.Rating = 6 },
		"no deadline":         func(e *review.Entry) { e.Deadline = time.Time{} },
		"decided by nobody":   func(e *review.Entry) { e.Status = review.Approved },
	} {
		e := Entry("a")
		spoil(&e)
		_, _, err := s.Submit(t.Context(), e, []string{"webhook"})
		wantError(t, what, err, review.ErrInvalid)
	}
	want(t, "list", ids(t, s, review.Filter{}), []string{})
	want(t, "notices", len(notices(t, s, "")), 0)
}

func testIDTaken(t *testing.T, s review.Store) {
	first := submit(t, s, Entry("a"), "webhook")
	other := Entry("a")
	other.Run = "another run"
	_, _, err := s.Submit(t.Context(), other, []string{"webhook"})
	wantError(t, "submit with a taken id", err, review.ErrInvalid)
	want(t, "entry", get(t, s, "a"), first)
}

func testOrder(t *testing.T, s review.Store) {
	for i, c := range []struct {
		id       string
		priority review.Priority
		deadline time.Duration
	}{
		{"low-soon", review.Low, 0}, {"b-high-late", review.High, time.Hour}, {"a-high-late", review.High, time.Hour},
		{"medium", review.Medium, time.Hour}, {"high-soon", review.High, time.Microsecond}, {"high-sooner", review.High, 0},
	} {
		e := Entry(c.id)
		e.Priority, e.Deadline, e.CreatedAt = c.priority, start.Add(c.deadline), start.Add(-time.Duration(i)*time.Hour)
		submit(t, s, e)
	}
	want(t, "order", ids(t, s, review.Filter{}), []string{"high-sooner", "high-soon", "a-high-late", "b-high-late", "medium", "low-soon"})
	want(t, "the first two", ids(t, s, review.Filter{Limit: 2}), []string{"high-sooner", "high-soon"})
}

func testFilter(t *testing.T, s review.Store) {
	for _, id := range []string{"pending", "held", "approved", "corrected", "rejected"} {
		e := Entry(id)
		if id == "held" {
			e.Priority = review.High
		}
		submit(t, s, e)
	}
	change(t, s, "held", claim("ada"))
	change(t, s, "approved", decide(approval("ada")))
	change(t, s, "corrected", decide(review.Decision{Reviewer: "ada", Status: review.Corrected, Corrected: "right"}))
	change(t, s, "rejected", decide(review.Decision{Reviewer: "ada", Status: review.Rejected, Notes: "wrong"}))
	change(t, s, "rejected", func(e *review.Entry) error { return e.Settle(start.Add(time.Hour)) })
	late := start.Add(3 * time.Hour)
	for _, c := range []struct {
		what   string
		filter review.Filter
		want   []string
	}{
		{"all", review.Filter{}, []string{"held", "approved", "corrected", "pending", "rejected"}},
		{"pending", review.Filter{Statuses: []review.Status{review.Pending}}, []string{"pending"}},
		{"open", review.Filter{Statuses: []review.Status{review.Pending, review.InReview}}, []string{"held", "pending"}},
		{"high", review.Filter{Priority: review.High}, []string{"held"}},
		{"overdue at the deadline", review.Filter{OverdueAt: start.Add(2 * time.Hour)}, []string{}},
		{"overdue later", review.Filter{OverdueAt: late}, []string{"held", "pending"}},
		{"overdue and pending", review.Filter{OverdueAt: late, Statuses: []review.Status{review.Pending}}, []string{"pending"}},
		{"unsettled", review.Filter{Unsettled: true}, []string{"approved", "corrected"}},
		{"prefix", review.Filter{Prefix: "p"}, []string{"pending"}},
		{"a prefix is no pattern", review.Filter{Prefix: "%"}, []string{}},
		{"a prefix that is longer", review.Filter{Prefix: "pending-"}, []string{}},
		{"the first corrected or pending", review.Filter{Statuses: []review.Status{review.Pending, review.Corrected}, Limit: 1}, []string{"corrected"}},
	} {
		want(t, c.what, ids(t, s, c.filter), c.want)
	}
}

func testLeaveEarly(t *testing.T, s review.Store) {
	for _, id := range []string{"a", "b", "c"} {
		submit(t, s, Entry(id))
	}
	list := s.List(t.Context(), review.Filter{})
	for range 2 {
		for e, err := range list {
			want(t, "first", []any{e.ID, err}, []any{"a", error(nil)})
			change(t, s, "b", func(*review.Entry) error { return nil }) // a loop does not lock the store
			break
		}
	}
}

func testCancelled(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"), "webhook")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := s.Submit(ctx, Entry("b"), nil)
	wantError(t, "submit", err, context.Canceled)
	_, err = s.Get(ctx, "a")
	wantError(t, "get", err, context.Canceled)
	_, err = s.Change(ctx, "a", claim("ada"))
	wantError(t, "change", err, context.Canceled)
	_, _, err = s.Take(ctx, "webhook", start, start)
	wantError(t, "take", err, context.Canceled)
	wantError(t, "settle", s.Settle(ctx, review.Notice{Entry: "a", Channel: "webhook", SentAt: start}), context.Canceled)
	wantError(t, "hasten", s.Hasten(ctx, start), context.Canceled)
	_, err = s.Notices(ctx, "a")
	wantError(t, "notices", err, context.Canceled)
	var seen error
	for _, err := range s.List(ctx, review.Filter{}) {
		seen = errors.Join(seen, err)
	}
	wantError(t, "list", seen, context.Canceled)
	want(t, "entries", ids(t, s, review.Filter{}), []string{"a"})
	want(t, "status", get(t, s, "a").Status, review.Pending)
	want(t, "attempts", notices(t, s, "a")[0].Attempts, 0)
}
