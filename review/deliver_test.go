package review_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/review"
)

// channel is a notifier that keeps what it gets; send decides what comes of it.
type channel struct {
	name string
	send func(ctx context.Context, m review.Message) error

	mu  sync.Mutex
	got []review.Message
}

func (c *channel) Name() string { return c.name }

func (c *channel) Notify(ctx context.Context, m review.Message) error {
	c.mu.Lock()
	c.got = append(c.got, m)
	c.mu.Unlock()
	if c.send == nil {
		return nil
	}
	return c.send(ctx, m)
}

func failing(context.Context, review.Message) error { return errors.New("out of order") }

func deliver(t *testing.T, d *desk) review.Delivered {
	t.Helper()
	done, err := d.Deliver(t.Context())
	require.NoError(t, err)
	return done
}

func TestEveryChannelIsToldOnce(t *testing.T) {
	chat, mail := &channel{name: "chat"}, &channel{name: "mail"}
	d := newDesk(t, review.Options{Notifiers: []review.Notifier{chat, mail}, BaseURL: "https://kb.example.com"})
	e := d.submit(t, question("one"))
	_, _, err := d.Submit(t.Context(), question("one"))
	require.NoError(t, err)
	assert.Equal(t, review.Delivered{Sent: 2, Failures: []review.Notice{}}, deliver(t, d))
	assert.Equal(t, review.Delivered{Failures: []review.Notice{}}, deliver(t, d))
	assert.Equal(t, []review.Message{{Key: "kbagent-review-id-1-chat", Entry: e, URL: "https://kb.example.com/id-1"}}, chat.got)
	assert.Len(t, mail.got, 1)
	notices, err := d.Notices(t.Context(), "id-1")
	require.NoError(t, err)
	assert.Equal(t, start, notices[0].SentAt)
}

func TestAChannelThatFailsIsTriedAgainLaterAndLater(t *testing.T) {
	chat, mail := &channel{name: "chat", send: failing}, &channel{name: "mail"}
	d := newDesk(t, review.Options{Notifiers: []review.Notifier{chat, mail}})
	d.submit(t, question("one"))
	var waits []time.Duration
	for range 12 {
		done := deliver(t, d)
		require.Len(t, done.Failures, 1)
		n := done.Failures[0]
		assert.Equal(t, "out of order", n.LastError)
		waits = append(waits, n.Due.Sub(d.now))
		assert.Empty(t, deliver(t, d).Failures, "it is not due yet")
		d.now = n.Due
	}
	want := []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 32 * time.Minute, 64 * time.Minute,
		128 * time.Minute, 256 * time.Minute, 6 * time.Hour, 6 * time.Hour}
	assert.Equal(t, want, waits)
	assert.Len(t, mail.got, 1, "the other channel has nothing to do with it")

	chat.send = nil
	assert.Equal(t, 1, deliver(t, d).Sent)
	keys := map[string]bool{}
	for _, m := range chat.got {
		keys[m.Key] = true
	}
	assert.Len(t, keys, 1, "all attempts have one key")
}

func TestChanceSpreadsRepetitions(t *testing.T) {
	chat := &channel{name: "chat", send: failing}
	d := newDesk(t, review.Options{Notifiers: []review.Notifier{chat}, Jitter: func() float64 { return 0.5 }})
	d.submit(t, question("one"))
	assert.Equal(t, start.Add(26250*time.Millisecond), deliver(t, d).Failures[0].Due, "an eighth less than 30 seconds")
}

func TestAReceiverMaySayWhen(t *testing.T) {
	var after time.Duration
	chat := &channel{name: "chat", send: func(context.Context, review.Message) error {
		return &review.RetryError{After: after, Err: errors.New("too many")}
	}}
	d := newDesk(t, review.Options{Notifiers: []review.Notifier{chat}})
	d.submit(t, question("one"))
	for _, c := range []struct{ after, want time.Duration }{
		{10 * time.Minute, 10 * time.Minute}, {time.Second, time.Minute}, {1000 * time.Hour, 24 * time.Hour},
	} {
		after = c.after
		n := deliver(t, d).Failures[0]
		assert.Equal(t, c.want, n.Due.Sub(d.now))
		assert.Equal(t, "too many", n.LastError)
		d.now = n.Due
	}
}

func TestAChannelThatIsDownIsLeftAloneAfterThreeFailures(t *testing.T) {
	chat := &channel{name: "chat", send: failing}
	d := newDesk(t, review.Options{Notifiers: []review.Notifier{chat}})
	for _, run := range []string{"a", "b", "c", "d", "e"} {
		d.submit(t, question(run))
	}
	done := deliver(t, d)
	assert.Len(t, done.Failures, 3)
	assert.Equal(t, 5, done.Waiting)
	require.NoError(t, d.Hasten(t.Context()))
	chat.send = nil
	assert.Equal(t, 5, deliver(t, d).Sent)
}

func TestAnEntryThatIsDecidedIsNotAnnounced(t *testing.T) {
	chat := &channel{name: "chat"}
	d := newDesk(t, review.Options{Notifiers: []review.Notifier{chat}})
	d.submit(t, question("one"))
	d.decide(t, "id-1", review.Approved)
	assert.Equal(t, review.Delivered{Dropped: 1, Failures: []review.Notice{}}, deliver(t, d))
	assert.Empty(t, chat.got)
	notices, err := d.Notices(t.Context(), "id-1")
	require.NoError(t, err)
	assert.Equal(t, "approved by ada before it was sent", notices[0].Dropped)
}

func TestWhatWaitsForAChannelThatIsGoneIsCounted(t *testing.T) {
	d := newDesk(t, review.Options{Notifiers: []review.Notifier{&channel{name: "chat"}}})
	d.submit(t, question("one"))
	without, err := review.New(d.store, review.Options{})
	require.NoError(t, err)
	done, err := without.Deliver(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, done.Waiting)
}

func TestAnotherProcessGoesOnWhereOneWasKilled(t *testing.T) {
	chat := &channel{name: "chat"}
	d := newDesk(t, review.Options{Notifiers: []review.Notifier{chat}, SendTimeout: time.Second})
	d.submit(t, question("one"))
	_, ok, err := d.store.Take(t.Context(), "chat", d.now, d.now.Add(2*time.Second)) // and then it was killed
	require.NoError(t, err)
	require.True(t, ok)
	assert.Zero(t, deliver(t, d).Sent, "it may be sending yet")
	d.now = start.Add(2 * time.Second)
	assert.Equal(t, 1, deliver(t, d).Sent)
}

func TestANotifierThatPanicsHasFailed(t *testing.T) {
	chat := &channel{name: "chat", send: func(context.Context, review.Message) error { panic("oops") }}
	d := newDesk(t, review.Options{Notifiers: []review.Notifier{chat}})
	d.submit(t, question("one"))
	assert.Equal(t, "notifier chat panicked: oops", deliver(t, d).Failures[0].LastError)
}

func TestALongErrorIsCut(t *testing.T) {
	chat := &channel{name: "chat", send: func(context.Context, review.Message) error { return errors.New(strings.Repeat("ü", 1000)) }}
	d := newDesk(t, review.Options{Notifiers: []review.Notifier{chat}})
	d.submit(t, question("one"))
	assert.Equal(t, strings.Repeat("ü", 250)+"…", deliver(t, d).Failures[0].LastError)
}

func TestANotifierThatHangsIsLeftAfterItsTimeAndHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context, _ review.Message) error { <-ctx.Done(); return ctx.Err() }
		chat, mail := &channel{name: "chat", send: hang}, &channel{name: "mail"}
		q, err := review.New(review.NewMemoryStore(), review.Options{Notifiers: []review.Notifier{chat, mail}, SendTimeout: 5 * time.Second})
		require.NoError(t, err)
		for _, run := range []string{"a", "b", "c", "d", "e"} {
			_, _, err = q.Submit(t.Context(), question(run))
			require.NoError(t, err)
		}
		began := time.Now()
		done, err := q.Deliver(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 15*time.Second, time.Since(began), "three times the time for one")
		assert.Equal(t, 5, done.Sent, "those of the other channel")
		assert.Len(t, done.Failures, 3)
	})
}

func TestADeliveryEndsWithItsContextAndKeepsWhatItDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chat := &channel{name: "chat", send: func(ctx context.Context, m review.Message) error {
			if m.Entry.Run == "fast" {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}}
		store := review.NewMemoryStore()
		q, err := review.New(store, review.Options{Notifiers: []review.Notifier{chat}, SendTimeout: time.Hour})
		require.NoError(t, err)
		for _, run := range []string{"fast", "slow", "never"} {
			_, _, err = q.Submit(t.Context(), question(run))
			require.NoError(t, err)
			time.Sleep(time.Second) // of the bubble: so that they are due in order
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		done, err := q.Deliver(ctx)
		require.NoError(t, err)
		assert.Equal(t, 1, done.Sent)
		require.Len(t, done.Failures, 1)
		assert.Equal(t, context.DeadlineExceeded.Error(), done.Failures[0].LastError)
		assert.Equal(t, 2, done.Waiting)
	})
}

// brokenStore fails at one method.
type brokenStore struct {
	review.Store
	err error
}

func (b *brokenStore) Settle(context.Context, review.Notice) error { return b.err }

func TestAStoreThatFailsIsTheErrorOfADelivery(t *testing.T) {
	broken := &brokenStore{review.NewMemoryStore(), errors.New("the disk is full")}
	q, err := review.New(broken, review.Options{Notifiers: []review.Notifier{&channel{name: "chat"}}})
	require.NoError(t, err)
	_, _, err = q.Submit(t.Context(), question("one"))
	require.NoError(t, err)
	_, err = q.Deliver(t.Context())
	require.ErrorIs(t, err, broken.err)
}
