package metrics

import "time"

// maxRuns is how many runs are remembered; of older ones only what each line says by itself is counted.
const maxRuns = 4096

// runKey names a run.
type runKey struct{ thread, run string }

// run is what has to be remembered of a run between its lines.
type run struct {
	begun   bool // its first line was seen
	ended   bool
	started time.Time
	pass    float64 // confidence from which its answers pass; 0 = it does not say

	searching  time.Time // when the evidence loop began; zero outside of it
	correction string    // the last correction of this loop; "" for none
	category   string    // of the last judgement
	score      float64   // of the last judgement
	judged     bool
	mending    string // correction whose judgement is still to come

	answer     float64 // score of the best answer so far
	answered   bool
	improving  string  // correction of the answer whose verdict is still to come
	verified   float64 // confidence of the last verification
	verifiedOK bool
	reviewed   bool // a verdict was counted; a run has one review

	counted usage // model calls and tokens of the run that were counted
}

// memory holds the latest runs, oldest out first.
type memory struct {
	runs  map[runKey]*run
	order []runKey // a ring
	next  int
}

func newMemory(size int) memory {
	return memory{runs: map[runKey]*run{}, order: make([]runKey, 0, size)}
}

// of is the run of that name, a new one when it is not known.
func (m *memory) of(key runKey) *run {
	if r, ok := m.runs[key]; ok {
		return r
	}
	if len(m.order) < cap(m.order) {
		m.order = append(m.order, key)
	} else {
		delete(m.runs, m.order[m.next])
		m.order[m.next] = key
		m.next = (m.next + 1) % len(m.order)
	}
	r := &run{}
	m.runs[key] = r
	return r
}
