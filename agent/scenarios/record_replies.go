package scenarios

// Replies are what a model has said, in the order of its calls, when somebody wrote it down. A nil Replies knows nothing.
type Replies struct {
	list []ModelReply // without roles
}

// fill puts the model's own words in place of a made-up reply; false says that they are not known. A call that failed has
// none.
func (r *Replies) fill(want *ModelReply) bool {
	if want.Error != "" {
		return true
	}
	if r == nil || len(r.list) == 0 {
		return false
	}
	own := r.list[0]
	r.list = r.list[1:]
	own.Role, own.Tokens = want.Role, want.Tokens
	*want = own
	return true
}
