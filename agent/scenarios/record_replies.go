package scenarios

import (
	"errors"
	"fmt"
)

// Replies are what a model has said, in the order of its calls, when somebody wrote it down. A nil Replies knows nothing.
// Record uses it up.
type Replies struct{ list []ModelReply }

// NewReplies are the replies to all calls of the runs that did not fail, in their order; roles are not needed.
func NewReplies(list ...ModelReply) *Replies { return &Replies{list} }

// ErrReplies reports that the replies are not those of the runs.
var ErrReplies = errors.New("the recorded replies are not those of this thread")

// fill puts the model's own words in place of a made-up reply; false says that they are not known. A call that failed has
// none.
func (r *Replies) fill(want *ModelReply) (known bool, err error) {
	switch {
	case want.Error != "":
		return true, nil
	case r == nil:
		return false, nil
	case len(r.list) == 0:
		return false, fmt.Errorf("%w: they are too few", ErrReplies)
	}
	own := r.list[0]
	r.list = r.list[1:]
	own.Role, own.Tokens = want.Role, want.Tokens
	*want = own
	return true, nil
}

// rest is an error when replies are left.
func (r *Replies) rest() error {
	if r == nil || len(r.list) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d are too many", ErrReplies, len(r.list))
}
