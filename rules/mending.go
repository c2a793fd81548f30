package rules

import "github.com/kbagent/kbagent/state"

// MendingMeans is what the choice of a way to mend an answer reads.
type MendingMeans struct {
	Fresh    bool // a search for what lacks support would not only repeat searches of this run
	Improved bool // the last correction improved the answer, or none was made yet
	Pool     int  // passages that were found in this run, also those that were put away
	Reranked bool // an answer of this run was mended by re-ranking already
}

// NextMending chooses how an answer is mended. Searches come first. When they only repeat, or the last correction did not
// help, what was found is ordered and chosen anew, once a run; for that there have to be two passages.
func NextMending(m MendingMeans) state.Mending {
	if !m.Reranked && m.Pool > 1 && (!m.Fresh || !m.Improved) {
		return state.MendRerank
	}
	return state.MendSearch
}
