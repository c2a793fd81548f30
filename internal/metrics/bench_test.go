package metrics

import (
	"strings"
	"testing"

	"github.com/kbagent/kbagent/internal/audit"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// BenchmarkRecord is one line as the nodes record it; grading has the most to count, a run's end the most to look up.
// The promise is 2 µs.
func BenchmarkRecord(b *testing.B) {
	scores := make([]float64, 20)
	for _, l := range []nodes.Line{
		said(nodes.AuditTransition, "from", state.PhaseRoute, "event", "search", "to", state.PhaseRetrieve),
		said(nodes.AuditToolCall, "name", "keyword_search", "items", 8, "duration_ms", int64(3)),
		said(nodes.AuditGradeResult, "source", "llm", "action", state.ActionGenerate, "scores", scores, "average", 0.8, "kept", 20),
		said(nodes.AuditDecide, "action", state.DecidePass, "confidence", 0.9),
		said(nodes.AuditRunEnd, "status", state.StatusPass, "stop_reason", state.StopSufficient, "iteration", 2,
			"usage", state.Usage{LLMCalls: 5, ByNode: map[string]int{"plan": 1, "grade_evidence": 2, "synthesize": 1, "verify_answer": 1}}),
	} {
		b.Run(l.Action, func(b *testing.B) {
			c := New(Options{})
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Record(l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRead is a log of 1,000 lines, decoded and counted.
func BenchmarkRead(b *testing.B) {
	log := strings.Repeat(goodLine+"\n", 1000)
	b.SetBytes(int64(len(log)))
	for b.Loop() {
		if _, err := Read(b.Context(), strings.NewReader(log), Filter{}, New(Options{})); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRecordEntry is a line that was read from a log.
func BenchmarkRecordEntry(b *testing.B) {
	c := New(Options{})
	e := audit.Entry{Time: noon, Thread: "t", Run: "r", Action: nodes.AuditToolCall, Details: map[string]any{"name": "grep", "items": 8.0, "duration_ms": 3.0}}
	for b.Loop() {
		c.RecordEntry(e)
	}
}
