package reviewtest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/kbagent/kbagent/review"
)

// lease is how long the suite takes a notice.
const lease = time.Minute

func testNotices(t *testing.T, s review.Store) {
	e := submit(t, s, Entry("a"), "webhook", "smtp")
	submit(t, s, Entry("b"))
	both := []review.Notice{{Entry: "a", Channel: "smtp", Due: e.CreatedAt}, {Entry: "a", Channel: "webhook", Due: e.CreatedAt}}
	want(t, "of the entry", notices(t, s, "a"), both)
	want(t, "of all", notices(t, s, ""), both)
	want(t, "of an entry without", len(notices(t, s, "b")), 0)
	wantNothingDue(t, s, "a moment before", "webhook", start.Add(-time.Microsecond))
	wantNothingDue(t, s, "another channel", "pager", start)
}

func testTake(t *testing.T, s review.Store) {
	submit(t, s, Entry("b"), "webhook")
	earlier := Entry("c")
	earlier.CreatedAt = start.Add(-time.Hour)
	submit(t, s, earlier, "webhook", "smtp")
	n := take(t, s, "webhook", start, start.Add(lease))
	want(t, "the first", n, review.Notice{Entry: "c", Channel: "webhook", Attempts: 1, Due: earlier.CreatedAt})
	want(t, "the second", take(t, s, "webhook", start, start.Add(lease)).Entry, "b")
	wantNothingDue(t, s, "all taken", "webhook", start)
	want(t, "another channel", take(t, s, "smtp", start, start.Add(lease)).Entry, "c")
}

func testLostTake(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"), "webhook")
	take(t, s, "webhook", start, start.Add(lease))
	wantNothingDue(t, s, "before its end", "webhook", start.Add(lease-time.Microsecond))
	n := take(t, s, "webhook", start.Add(lease), start.Add(2*lease))
	want(t, "attempts", n.Attempts, 2)
}

func testFailedNotice(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"), "webhook")
	n := take(t, s, "webhook", start, start.Add(lease))
	n.LastError, n.Due = "the server said 500", start.Add(time.Hour)
	settle(t, s, n)
	want(t, "kept", notices(t, s, "a"), []review.Notice{n})
	wantNothingDue(t, s, "before it is due", "webhook", start.Add(time.Hour-time.Microsecond))
	again := take(t, s, "webhook", start.Add(time.Hour), start.Add(2*time.Hour))
	want(t, "again", []any{again.Attempts, again.LastError}, []any{2, "the server said 500"})
}

func testSentNotice(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"), "webhook", "smtp")
	n := take(t, s, "webhook", start, start.Add(lease))
	n.SentAt = start.Add(time.Second)
	settle(t, s, n)
	d := take(t, s, "smtp", start, start.Add(lease))
	d.Dropped = "approved before"
	settle(t, s, d)
	want(t, "kept", notices(t, s, "a"), []review.Notice{d, n})
	want(t, "still open", len(notices(t, s, "")), 0)
	later := n
	later.SentAt, later.Due = time.Time{}, start
	settle(t, s, later)
	wantNothingDue(t, s, "sent", "webhook", start.Add(24*time.Hour))
	wantNothingDue(t, s, "dropped", "smtp", start.Add(24*time.Hour))
}

func testLateResult(t *testing.T, s review.Store) {
	submit(t, s, Entry("a"), "webhook")
	lost := take(t, s, "webhook", start, start.Add(lease))
	take(t, s, "webhook", start.Add(lease), start.Add(2*lease))
	lost.LastError, lost.Due = "too late", start
	settle(t, s, lost)
	wantNothingDue(t, s, "taken by the second", "webhook", start.Add(lease))
	want(t, "error", notices(t, s, "a")[0].LastError, "")
	lost.SentAt, lost.LastError = start.Add(lease), ""
	settle(t, s, lost)
	want(t, "open", len(notices(t, s, "")), 0)
	settle(t, s, review.Notice{Entry: "nothing", Channel: "webhook", SentAt: start})
}

func testHasten(t *testing.T, s review.Store) {
	for _, id := range []string{"failed", "sent", "taken"} {
		submit(t, s, Entry(id), id)
	}
	n := take(t, s, "failed", start, start.Add(lease))
	n.Due = start.Add(24 * time.Hour)
	settle(t, s, n)
	n = take(t, s, "sent", start, start.Add(lease))
	n.SentAt, n.Due = start, start.Add(24*time.Hour)
	settle(t, s, n)
	take(t, s, "taken", start, start.Add(lease))
	now := start.Add(time.Second)
	if err := s.Hasten(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	want(t, "failed", take(t, s, "failed", now, now.Add(lease)).Attempts, 2)
	wantNothingDue(t, s, "sent", "sent", now)
	wantNothingDue(t, s, "taken", "taken", now)
}

func testTakeRace(t *testing.T, s review.Store) {
	for i := range many {
		submit(t, s, Entry(fmt.Sprintf("id-%d", i)), "webhook")
	}
	var mu sync.Mutex
	taken := map[string]int{}
	count(t, func(int) (bool, error) {
		for {
			n, ok, err := s.Take(t.Context(), "webhook", start, start.Add(lease))
			if err != nil || !ok {
				return ok, err
			}
			mu.Lock()
			taken[n.Entry]++
			mu.Unlock()
			n.SentAt = start
			if err := s.Settle(t.Context(), n); err != nil {
				return false, err
			}
		}
	})
	want(t, "notices that were taken", len(taken), many)
	for id, times := range taken {
		want(t, "times that "+id+" was taken", times, 1)
	}
}
