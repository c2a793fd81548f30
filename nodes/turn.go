package nodes

import (
	"context"
	"fmt"
	"time"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// Audit takes the lines that explain a run. Implementations are safe for concurrent use.
type Audit interface {
	Record(Line) error
}

// Line is one decision of a run.
type Line struct {
	Time    time.Time
	Thread  string
	Run     string
	Step    int
	Action  string
	Details map[string]any
}

// The actions of audit lines.
const (
	AuditRunStart          = "run_start"
	AuditRoute             = "route"
	AuditPlan              = "plan"
	AuditToolCall          = "tool_call"
	AuditToolError         = "tool_error"
	AuditFastPathHit       = "fast_path_hit"
	AuditGradeResult       = "grade_evidence_result"
	AuditGradeParseFailure = "grade_parse_failure"
	AuditGraderDegraded    = "grader_degraded"
	AuditEvidenceRemoved   = "evidence_removed"
	AuditTransition        = "transition"
	AuditCapReached        = "cap_reached"
	AuditNoProgress        = "no_progress"
	AuditBudget            = "budget"
	AuditSynthesize        = "synthesize"
	AuditCitationRemoved   = "citation_removed"
	AuditRefineContext     = "refine_context"
	AuditRerank            = "rerank"
	AuditVerify            = "verify"
	AuditDecide            = "decide"
	AuditReview            = "review"
	AuditRunEnd            = "run_end"
	AuditLLMCall           = "llm_call"
)

// Discard is an Audit that keeps nothing, for tests and benchmarks.
type Discard struct{}

// Record does nothing.
func (Discard) Record(Line) error { return nil }

// details is the content of an audit line.
type details = map[string]any

// turn is one run of one node: the state that it sees and the update that it says.
type turn struct {
	nodes  *Nodes
	name   string
	state  state.AgentState
	update state.Update
	meter  *meter

	streamed string // of the answer, since the last Restart
}

// audit writes one line. A line that cannot be written fails the node: an unexplained answer is not reported as done.
func (t *turn) audit(ctx context.Context, action string, d details) error {
	info, _ := graph.InfoFrom(ctx)
	line := Line{
		Time: t.nodes.cfg.Now(), Thread: info.Thread, Run: t.state.Run, Step: info.Step, Action: action, Details: d,
	}
	if err := t.nodes.cfg.Audit.Record(line); err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	return nil
}

// fire moves the corrective machine from where the state, or an earlier fire of this turn, left it.
func (t *turn) fire(ctx context.Context, events ...rules.Event) error {
	phase := t.state.Phase
	if n := len(t.update.Transitions); n > 0 {
		phase = t.update.Transitions[n-1].To
	}
	moves, err := rules.Fire(phase, events...)
	if err != nil {
		return err
	}
	for _, m := range moves {
		if err := t.audit(ctx, AuditTransition, details{"from": m.From, "event": m.Event, "to": m.To}); err != nil {
			return err
		}
	}
	t.update.Transitions = append(t.update.Transitions, moves...)
	return nil
}

// stopReason is why the run stops, as far as is known.
func (t *turn) stopReason() state.StopReason {
	if t.update.StopReason != nil {
		return *t.update.StopReason
	}
	return t.state.StopReason
}

// warn tells the person who asked.
func (t *turn) warn(format string, args ...any) {
	t.update.Warnings = append(t.update.Warnings, fmt.Sprintf(format, args...))
}
