package nodes

import (
	"context"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// RefineContext is the node refine_context: it cuts the evidence into strips and keeps the relevant ones, with the lines
// of their source. When nothing would be left, the evidence stays as it is.
func (n *Nodes) RefineContext() graph.NodeFunc[state.AgentState, state.Update] {
	return n.run(NameRefineContext, func(ctx context.Context, t *turn) error {
		items, low := answerItems(t.state)
		if low || len(items) == 0 { // what grading had removed is not improved by cutting
			return t.audit(ctx, AuditRefineContext, details{"items": len(items), "skipped": true})
		}
		stats, err := termStats(ctx, n.cfg.Library, t.state.Query())
		if err != nil {
			return err
		}
		kept, report := rules.Refine(t.state.Query(), items, rules.RefineOptions{Stats: stats})
		t.update.Refined = &kept
		return t.audit(ctx, AuditRefineContext, details{
			"items": len(items), "kept_items": len(kept), "strips": report.Strips, "kept": report.Kept, "tokens": report.Tokens,
		})
	})
}
