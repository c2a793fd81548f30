package metrics

// runStart begins a run. A run that is known already only began again: its process was killed before the first step was
// saved.
func (c *Collector) runStart(l line, r *run) bool {
	if !r.begun {
		c.f.started.WithLabelValues().Inc()
	}
	pass, ok := l.d.passThreshold()
	if !ok {
		pass = c.opts.PassThreshold
	}
	*r = run{begun: true, started: l.at, pass: pass, counted: r.counted}
	return true
}

func (c *Collector) runEnd(l line, r *run) bool {
	status := statuses.of(l.d.text("status"))
	c.f.answers.WithLabelValues(status).Inc()
	c.f.stops.WithLabelValues(stops.of(l.d.text("stop_reason"))).Inc()
	if rounds, ok := l.d.number("iteration"); ok {
		c.f.rounds.WithLabelValues().Observe(rounds)
	}
	switch ms, ok := l.d.number("elapsed_ms"); {
	case ok:
		c.f.duration.WithLabelValues(status).Observe(max(0, ms) / 1000)
	case r.begun && !r.ended: // a run that ends twice was forked in between
		c.f.duration.WithLabelValues(status).Observe(since(r.started, l.at))
	}
	c.settle(l, r)
	c.abandon(&r.mending)
	c.abandon(&r.improving)
	r.ended = true
	return status != none
}
