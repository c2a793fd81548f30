package scenarios

import (
	"errors"
	"fmt"
)

// Replies are what a model has said, in the order of its calls, when somebody wrote it down. A nil Replies knows nothing.
type Replies struct{ list []ModelReply }

// NewReplies are the replies to the calls of the runs in their order, without those that got none; roles are not needed.
func NewReplies(list ...ModelReply) *Replies { return &Replies{list} }

// ErrReplies reports that the replies are not those of the runs.
var ErrReplies = errors.New("the recorded replies are not those of this thread")

// fill puts the model's own words in place of the made-up replies, as far as they are known, and counts. A call that failed
// may have got a reply that could not be read, or none: their number tells, unless a run holds failures of both kinds, which is
// ErrReplies.
func (t *transcript) fill(r *Replies) error {
	calls, failed := 0, 0
	for i, reply := range t.given.Model {
		if t.made[i] {
			calls++
		}
		if t.made[i] && reply.Error != "" {
			failed++
		}
	}
	t.calls = calls
	if r == nil {
		t.rebuilt = len(t.given.Model) - failed
		return nil
	}
	if n := len(r.list); n != calls && n != calls-failed {
		return fmt.Errorf("%w: there are %d of them, and %d calls were answered", ErrReplies, n, calls-failed)
	}
	own := r.list
	for i := range t.given.Model {
		reply := &t.given.Model[i]
		switch {
		case !t.made[i]:
			t.rebuilt++
		case reply.Error == "" || len(r.list) == calls:
			own[0].Role, own[0].Tokens = reply.Role, reply.Tokens
			*reply, own = own[0], own[1:]
		}
	}
	return nil
}
