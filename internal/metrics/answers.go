package metrics

import "github.com/kbagent/kbagent/state"

// decided counts a decision about an answer, and what it says about the correction before it.
func (c *Collector) decided(l line, r *run) bool {
	action := l.d.text("action")
	c.f.actions.WithLabelValues(decisions.of(action)).Inc()
	score, known := r.verified, r.verifiedOK
	if total, ok := l.d.number("confidence"); ok {
		c.f.confidence.WithLabelValues().Observe(total)
		score = total // an answer that could not be verified has no score, whatever its confidence
	}
	if r.improving != "" {
		c.result(r.improving, r.answer, score, r.answered && known, true)
		r.improving = ""
	}
	if known && (!r.answered || score > r.answer) {
		r.answer, r.answered = score, true
	}
	switch state.Decision(action) {
	case state.DecideSelfCorrect:
		mending := l.d.text("mending")
		c.mend(r, mendingOf(mending))
	case state.DecideWebSearch:
		c.mend(r, correctWeb)
	}
	return action != ""
}

// mend notes that an answer is corrected; the next decision tells whether it helped.
func (c *Collector) mend(r *run, strategy string) {
	c.f.corrections.WithLabelValues(strategy).Inc()
	r.correction, r.improving = strategy, strategy
}

// statusUnqueued is the status of a review that could not be queued.
const statusUnqueued = "unqueued"

// reviewed counts a review that was queued, or decided: then the verdict is compared with the confidence in the answer.
func (c *Collector) reviewed(l line, r *run) bool {
	status := l.d.text("review_status")
	if l.d.text("review") == "" {
		c.f.reviews.WithLabelValues(none, statusUnqueued).Inc()
		return true
	}
	verdict := state.ReviewStatus(status)
	final := verdict == state.ReviewApproved || verdict == state.ReviewCorrected || verdict == state.ReviewRejected
	if final && r.reviewed { // whoever decides and the run that waited may both tell
		return true
	}
	c.f.reviews.WithLabelValues(modes.of(l.d.text("mode")), reviewed.of(status)).Inc()
	if !final {
		return reviewed[status]
	}
	r.reviewed = true
	confidence, known := l.d.number("confidence")
	if !known {
		confidence, known = r.answer, r.answered
	}
	c.verdict(status, confidence, known, r)
	return true
}

// What was predicted of an answer, and what a reviewer says.
const (
	predictedPass  = "pass"
	predictedDoubt = "doubt"
	actuallyRight  = "right"
	actuallyWrong  = "wrong"
)

// verdict compares a reviewer's verdict with the confidence in the answer. An answer is right when it was approved.
func (c *Collector) verdict(status string, confidence float64, known bool, r *run) {
	c.f.verdicts.WithLabelValues(bucketOf(confidence, known), status).Inc()
	if !known {
		return
	}
	predicted, actual := predictedDoubt, actuallyWrong
	pass := r.pass
	if pass == 0 {
		pass = c.opts.PassThreshold
	}
	if confidence >= pass-same {
		predicted = predictedPass
	}
	if status == string(state.ReviewApproved) {
		actual = actuallyRight
	}
	c.f.predictions.WithLabelValues(predicted, actual).Inc()
}

// buckets are the ranges of confidence by which verdicts are counted, highest first. Their edges are the default thresholds of
// decide, and each belongs to the range above it.
var buckets = []struct {
	from float64
	name string
}{{.85, "0.85-1"}, {.65, "0.65-0.85"}, {.40, "0.40-0.65"}, {0, "0-0.40"}}

func bucketNames() []string {
	var names []string
	for _, b := range buckets {
		names = append(names, b.name)
	}
	return names
}

// bucketUnknown is the range of an answer without a confidence.
const bucketUnknown = "unknown"

func bucketOf(confidence float64, known bool) string {
	if known {
		for _, b := range buckets {
			if confidence >= b.from-same {
				return b.name
			}
		}
	}
	return bucketUnknown
}
