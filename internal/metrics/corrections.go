package metrics

// same is how far two scores may differ and still be equal: comparisons have the agent's tolerance.
const same = 1e-9

// What a correction came to.
const (
	resultImproved  = "improved"
	resultUnchanged = "unchanged"
	resultWorse     = "worse"
	resultUnknown   = "unknown" // there was no score before or after it
	resultAbandoned = "abandoned"
)

// result counts what a correction came to. known says that there is a score on both sides, measured that their difference
// means something.
func (c *Collector) result(strategy string, before, after float64, known, measured bool) {
	c.f.results.WithLabelValues(strategy, compare(before, after, known)).Inc()
	if known && measured {
		c.f.improvement.WithLabelValues(strategy).Observe(after - before)
	}
}

func compare(before, after float64, known bool) string {
	switch delta := after - before; {
	case !known:
		return resultUnknown
	case delta > same:
		return resultImproved
	case delta < -same:
		return resultWorse
	default:
		return resultUnchanged
	}
}

// abandon counts a correction that will not be judged any more, when there is one.
func (c *Collector) abandon(pending *string) {
	if *pending != "" {
		c.f.results.WithLabelValues(*pending, resultAbandoned).Inc()
		*pending = ""
	}
}
