package review

import (
	"context"
	"time"
)

// Outbox keeps the notices of entries until they were sent: at least once, and again after a success only when the process
// died before it could note that.
type Outbox interface {
	// Take returns the notice of that channel that is due at now for the longest time, and that nobody else has taken, and
	// counts an attempt. The notice is the caller's until then: when it is not settled by that time, it can be taken again.
	// ok is false when nothing is due.
	Take(ctx context.Context, channel string, now, until time.Time) (n Notice, ok bool, err error)

	// Settle stores what became of a notice that was taken: SentAt, Dropped, Due and LastError; and gives it back. It does
	// nothing when somebody else has taken the notice since, unless n was sent: then it is not sent again.
	Settle(ctx context.Context, n Notice) error

	// Notices returns the notices of an entry, by channel; for "" those of all entries that are open, the one that is due
	// first at first.
	Notices(ctx context.Context, id string) ([]Notice, error)

	// Hasten makes all open notices due at now that are due later and not taken at this time.
	Hasten(ctx context.Context, now time.Time) error
}

// Notice says that a channel is to be told of an entry, and how that went.
type Notice struct {
	Entry   string `json:"entry"`   // id of the entry
	Channel string `json:"channel"` // name of a [Notifier]
	// Attempts is how often it was taken. An attempt that was killed counts.
	Attempts  int       `json:"attempts"`
	Due       time.Time `json:"due"`
	LastError string    `json:"last_error,omitzero"`
	SentAt    time.Time `json:"sent_at,omitzero"` // zero: not yet
	Dropped   string    `json:"dropped,omitzero"` // why it is not sent at all
}

// Open says whether n is still to be sent.
func (n Notice) Open() bool { return n.SentAt.IsZero() && n.Dropped == "" }

// Key tells this notice from all others, and is the same in each attempt: receivers know repetitions by it.
func (n Notice) Key() string { return "kbagent-review-" + n.Entry + "-" + n.Channel }
