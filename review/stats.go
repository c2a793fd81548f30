package review

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// Stats is what a queue has come to.
type Stats struct {
	Total    int            `json:"total"`
	ByStatus map[Status]int `json:"by_status"` // all statuses, with 0 too
	Damaged  int            `json:"damaged"`   // rows that cannot be read; nothing else counts them
	SLA      SLAStats       `json:"sla"`
	// DecisionP50 and DecisionP95 are the times from creation to decision, in seconds, of which at least half and 95 % are
	// as short. 0 without decisions.
	DecisionP50 float64 `json:"decision_p50_s"`
	DecisionP95 float64 `json:"decision_p95_s"`
	// Accuracy is by confidence: 0–.4, .4–.65, .65–.85, .85–1, each from its lower edge.
	Accuracy []Bucket `json:"accuracy"`
	// False compares the verdicts with the threshold for passing.
	False FalseRates `json:"false"`
}

// SLAStats counts deadlines.
type SLAStats struct {
	Met     int `json:"met"`
	Missed  int `json:"missed"`
	Overdue int `json:"open_overdue"` // open, and the deadline has passed
}

// Bucket is the verdicts on answers of a range of confidence.
type Bucket struct {
	From     float64  `json:"from"`     // inclusive
	To       float64  `json:"to"`       // exclusive, but for 1
	Verdicts int      `json:"verdicts"` // approved, corrected or rejected
	Approved int      `json:"approved"`
	Accuracy *float64 `json:"accuracy"` // Approved / Verdicts; nil without verdicts
}

// FalseRates compares verdicts with the threshold for passing. An answer is wrong when it was corrected or rejected.
// Where only doubtful answers are reviewed, these are rates of the doubtful ones, not of all.
type FalseRates struct {
	Threshold     float64  `json:"threshold"`      // 0–1
	FalsePositive int      `json:"false_positive"` // wrong at or above the threshold
	Wrong         int      `json:"wrong"`
	PositiveRate  *float64 `json:"positive_rate"`  // FalsePositive / Wrong; nil without wrong ones
	FalseNegative int      `json:"false_negative"` // right below the threshold
	Right         int      `json:"right"`
	NegativeRate  *float64 `json:"negative_rate"` // FalseNegative / Right; nil without right ones
}

// bucketEdges are those of Stats.Accuracy.
var bucketEdges = []float64{0, 0.4, 0.65, 0.85, 1}

// Stats reads all entries. pass is the threshold for passing, 0–1. The error is that of the store; rows that cannot be
// read are counted.
func (q *Queue) Stats(ctx context.Context, pass float64) (Stats, error) {
	entries, damaged, err := q.all(ctx)
	if err != nil {
		return Stats{}, err
	}
	s := Summarize(entries, q.Now(), pass)
	s.Damaged = damaged
	return s, nil
}

// Propose reads all entries for [Propose].
func (q *Queue) Propose(ctx context.Context, accuracy float64) (Thresholds, error) {
	entries, _, err := q.all(ctx)
	if err != nil {
		return Thresholds{}, err
	}
	return Propose(entries, accuracy)
}

func (q *Queue) all(ctx context.Context) (entries []Entry, damaged int, err error) {
	for e, err := range q.store.List(ctx, Filter{}) {
		switch {
		case errors.Is(err, ErrDamaged):
			damaged++
		case err != nil:
			return nil, 0, err
		default:
			entries = append(entries, e)
		}
	}
	return entries, damaged, nil
}

// Summarize is the statistics of entries at now; pass is the threshold for passing, 0–1.
func Summarize(entries []Entry, now time.Time, pass float64) Stats {
	s := Stats{Total: len(entries), ByStatus: map[Status]int{}, False: FalseRates{Threshold: pass}}
	for _, status := range Statuses() {
		s.ByStatus[status] = 0
	}
	for i := range len(bucketEdges) - 1 {
		s.Accuracy = append(s.Accuracy, Bucket{From: bucketEdges[i], To: bucketEdges[i+1]})
	}
	var took []time.Duration
	for _, e := range entries {
		s.ByStatus[e.Status]++
		s.SLA.count(e, now)
		if e.Status.Final() {
			took = append(took, e.DecidedAt.Sub(e.CreatedAt))
		}
		if e.Status.Final() && e.HasConfidence {
			s.Accuracy[bucketOf(e.Confidence)].count(e)
			s.False.count(e)
		}
	}
	slices.Sort(took)
	s.DecisionP50, s.DecisionP95 = percentile(took, 50).Seconds(), percentile(took, 95).Seconds()
	for i := range s.Accuracy {
		s.Accuracy[i].Accuracy = ratio(s.Accuracy[i].Approved, s.Accuracy[i].Verdicts)
	}
	s.False.PositiveRate = ratio(s.False.FalsePositive, s.False.Wrong)
	s.False.NegativeRate = ratio(s.False.FalseNegative, s.False.Right)
	return s
}

func (s *SLAStats) count(e Entry, now time.Time) {
	switch {
	case e.SLAMet != nil && *e.SLAMet:
		s.Met++
	case e.SLAMet != nil:
		s.Missed++
	case e.Overdue(now):
		s.Overdue++
	}
}

func (b *Bucket) count(e Entry) {
	b.Verdicts++
	if e.Status == Approved {
		b.Approved++
	}
}

func (f *FalseRates) count(e Entry) {
	passed := atLeast(e.Confidence, f.Threshold)
	if e.Status == Approved {
		f.Right++
		if !passed {
			f.FalseNegative++
		}
		return
	}
	f.Wrong++
	if passed {
		f.FalsePositive++
	}
}

// bucketOf is the index of the bucket that a confidence belongs to.
func bucketOf(confidence float64) int {
	for i := len(bucketEdges) - 2; i > 0; i-- {
		if atLeast(confidence, bucketEdges[i]) {
			return i
		}
	}
	return 0
}

// percentile is the least of sorted values that p % of them do not exceed; 0 without values.
func percentile[T cmp.Ordered](sorted []T, p int) (none T) {
	if len(sorted) == 0 {
		return none
	}
	return sorted[max((len(sorted)*p+99)/100, 1)-1]
}

func ratio(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	return new(float64(part) / float64(whole))
}
