package metrics

import (
	"time"

	"github.com/kbagent/kbagent/nodes"
)

// line is an audit line, wherever it comes from.
type line struct {
	at     time.Time
	run    runKey
	action string
	d      details
}

// auditLLMCall is the action of a line about one call of a model: its node, tokens, time and error.
const auditLLMCall = "llm_call"

// handlers count the lines of an action. They are called with the collector locked, and say whether the line held what
// they need.
var handlers = map[string]func(*Collector, line, *run) bool{
	nodes.AuditRunStart:          (*Collector).runStart,
	nodes.AuditRoute:             (*Collector).route,
	nodes.AuditPlan:              (*Collector).plan,
	nodes.AuditTransition:        (*Collector).transition,
	nodes.AuditToolCall:          (*Collector).toolCall,
	nodes.AuditToolError:         (*Collector).toolError,
	nodes.AuditFastPathHit:       (*Collector).fastPath,
	nodes.AuditGradeResult:       (*Collector).graded,
	nodes.AuditGradeParseFailure: (*Collector).parseFailure,
	nodes.AuditGraderDegraded:    (*Collector).degraded,
	nodes.AuditEvidenceRemoved:   (*Collector).evidenceRemoved,
	nodes.AuditSynthesize:        (*Collector).synthesized,
	nodes.AuditCitationRemoved:   (*Collector).citationRemoved,
	nodes.AuditVerify:            (*Collector).verified,
	nodes.AuditDecide:            (*Collector).decided,
	nodes.AuditReview:            (*Collector).reviewed,
	auditLLMCall:                 (*Collector).modelCalled,
	nodes.AuditRunEnd:            (*Collector).runEnd,
	nodes.AuditCapReached:        counted, // the stop reason of run_end tells these three
	nodes.AuditNoProgress:        counted,
	nodes.AuditBudget:            counted,
	nodes.AuditRefineContext:     counted,
}

// counted is for lines of which only the number is of interest.
func counted(*Collector, line, *run) bool { return true }

func (c *Collector) record(l line) {
	handle, known := handlers[l.action]
	if !known {
		c.f.lines.WithLabelValues(other).Inc()
		return
	}
	c.f.lines.WithLabelValues(l.action).Inc()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.span(l.at)
	if !handle(c, l, c.runs.of(l.run)) {
		c.f.unread.WithLabelValues(l.action).Inc()
	}
}

// span widens the time that the lines cover.
func (c *Collector) span(at time.Time) {
	if at.IsZero() {
		return
	}
	if c.first.IsZero() || at.Before(c.first) {
		c.first = at
	}
	if at.After(c.last) {
		c.last = at
	}
}
