package metrics

import (
	"cmp"
	"strings"
	"time"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

func (c *Collector) route(l line, r *run) bool {
	if route := l.d.text("route"); route != "" {
		c.f.questions.WithLabelValues(routes.of(route), questions.of(l.d.text("category"))).Inc()
		c.fallback(l, nodes.NameAnalyzeAndRoute)
		return true
	}
	strategy := l.d.text("strategy")
	if strategy != "" && l.d.some("attempted") {
		c.correct(r, correctionOf(strategy))
	}
	return strategy != ""
}

func (c *Collector) plan(l line, r *run) bool {
	if l.d.flag("refine") {
		c.correct(r, correctRefine)
	}
	c.fallback(l, nodes.NamePlan)
	return true
}

// correct notes that a retrieval is corrected; the next judgement tells whether it helped.
func (c *Collector) correct(r *run, strategy string) {
	c.f.corrections.WithLabelValues(strategy).Inc()
	r.correction, r.mending = strategy, strategy
}

// transition times the evidence loop: from the first search to the move that leaves it.
func (c *Collector) transition(l line, r *run) bool {
	switch to := l.d.text("to"); state.Phase(to) {
	case state.PhaseRetrieve:
		if r.searching.IsZero() {
			r.searching = l.at
		}
		return true
	case state.PhaseGenerate:
		if !r.searching.IsZero() && r.category != "" {
			c.f.retrieval.WithLabelValues(r.category, cmp.Or(r.correction, none)).Observe(since(r.searching, l.at))
		}
		c.abandon(&r.mending)
		r.searching, r.correction, r.category = time.Time{}, "", ""
		return true
	default:
		return to != ""
	}
}

// since is the seconds from one line to another; clocks that went back give 0.
func since(from, to time.Time) float64 { return max(0, to.Sub(from).Seconds()) }

func (c *Collector) fastPath(l line, r *run) bool {
	rule := l.d.text("rule_name")
	c.f.fastPath.WithLabelValues(c.rules.of(rule)).Inc()
	c.f.gradings.WithLabelValues(sourceRule).Inc()
	action := l.d.text("action")
	if action == "" {
		action = string(state.ActionGenerate)
	}
	c.judge(r, action, 1, false)
	return rule != ""
}

func (c *Collector) graded(l line, r *run) bool {
	action, source := l.d.text("action"), gradeSource(l.d.text("source"))
	average, ok := l.d.number("average")
	if action == "" || !ok {
		return false
	}
	c.f.gradings.WithLabelValues(source).Inc()
	c.f.relevance.WithLabelValues(source).Observe(average)
	if l.d.some("scores") {
		l.d.numbers("scores", c.f.scores.WithLabelValues(source).Observe)
	}
	if l.d.flag("cache_hit") {
		c.f.cacheHits.WithLabelValues().Inc()
	}
	c.judge(r, action, average, true)
	return true
}

// judge counts a judgement, and what it says about the correction before it. A rule's approval is better than any
// judgement that led to a correction, but no measured score.
func (c *Collector) judge(r *run, action string, score float64, measured bool) {
	r.category = categoryOf(action)
	c.f.decisions.WithLabelValues(r.category).Inc()
	if r.mending != "" {
		c.result(r.mending, r.score, score, r.judged, measured)
	}
	r.mending, r.score, r.judged = "", score, true
}

func (c *Collector) parseFailure(line, *run) bool {
	c.f.parseFailures.WithLabelValues().Inc()
	return true
}

func (c *Collector) degraded(line, *run) bool {
	c.f.degraded.WithLabelValues().Inc()
	c.f.llmFallbacks.WithLabelValues(nodes.NameGradeEvidence).Inc()
	return true
}

func (c *Collector) evidenceRemoved(line, *run) bool {
	c.f.removed.WithLabelValues().Inc()
	return true
}

func (c *Collector) toolCall(l line, _ *run) bool {
	tool := c.tool(l)
	if n, ok := l.d.number("items"); ok && n == 0 {
		c.f.toolEmpty.WithLabelValues(tool).Inc()
	}
	return tool != none
}

func (c *Collector) toolError(l line, _ *run) bool {
	tool := c.tool(l)
	c.f.toolErrors.WithLabelValues(tool, errorCode(l.d.text("error"))).Inc()
	return tool != none
}

// tool counts a call and returns its label.
func (c *Collector) tool(l line) string {
	tool := c.tools.of(strings.TrimSpace(l.d.text("name")))
	c.f.toolCalls.WithLabelValues(tool).Inc()
	if ms, ok := l.d.number("duration_ms"); ok {
		c.f.toolDuration.WithLabelValues(tool).Observe(max(0, ms) / 1000)
	}
	return tool
}
