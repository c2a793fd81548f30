package nodes

import (
	"context"
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// Plan is the node plan: it decides which tools the next round calls. It never repeats a call that was already made.
func (n *Nodes) Plan() graph.NodeFunc[state.AgentState, state.Update] {
	return n.run(NamePlan, func(ctx context.Context, t *turn) error {
		refine := t.state.Phase == state.PhaseRefine
		if refine {
			if err := t.fire(ctx, rules.EventReplan); err != nil {
				return err
			}
		}
		if t.state.Correcting() {
			calls := t.number(t.correction())
			t.update.Calls = &calls
			return t.audit(ctx, AuditPlan, details{"source": "correction", "targets": t.state.Targets, "calls": calls})
		}
		request, err := t.planRequest(ctx, refine)
		if err != nil {
			return err
		}
		calls, by, err := play(ctx, t, RolePlanner, n.planner, func(p Planner) ([]state.ToolCall, error) {
			return t.ask(ctx, p, request)
		})
		if err == nil && by.model && len(calls) == 0 {
			by = player{reason: "it only repeated calls that were made"}
			calls, err = t.ask(ctx, n.planner.builtIn, request)
		}
		if err != nil {
			return fmt.Errorf("plan the next round: %w", err)
		}
		calls = t.number(slices.Concat(t.pages(), calls, t.webBeside(refine)))
		t.update.Calls = &calls
		return t.audit(ctx, AuditPlan, by.into(details{"strategy": t.state.Strategy, "calls": calls, "refine": refine}, "heuristic"))
	})
}

// maxCalls is how many calls of one plan are made; a plan that asks for more is cut.
const maxCalls = 6

// ask takes the calls of a planner that are new, up to the limit, and numbers them.
func (t *turn) ask(ctx context.Context, p Planner, request PlanRequest) ([]state.ToolCall, error) {
	calls, err := p.Plan(ctx, request)
	if err != nil {
		return nil, err
	}
	calls = fresh(calls, t.state.ToolHistory)
	return calls[:min(len(calls), maxCalls)], nil
}

// number gives the new ones of the calls their ids.
func (t *turn) number(calls []state.ToolCall) []state.ToolCall {
	calls = fresh(calls, t.state.ToolHistory)
	for i := range calls {
		calls[i].ID = fmt.Sprintf("r%dc%d", t.state.Rounds+1, i+1)
	}
	return calls
}

func (t *turn) planRequest(ctx context.Context, refine bool) (PlanRequest, error) {
	s := t.state
	files, err := t.nodes.cfg.Library.NamedFiles(ctx, s.Question)
	if err != nil {
		return PlanRequest{}, fmt.Errorf("look for the files that the question names: %w", err)
	}
	request := PlanRequest{
		Query: s.Query(), Strategy: s.Strategy, Keywords: s.Keywords, SubQueries: s.SubQueries, NamedFiles: files,
		Tools: t.nodes.cfg.Tools.Only(t.once(rules.AllowedTools(s.Strategy))), Refine: refine, Tried: s.ToolHistory, Synonyms: *t.nodes.cfg.Synonyms,
	}
	if s.Strategy == state.StrategyExpanded && !refine {
		if request.Expansion, err = t.expand(ctx, s.Query()); err != nil {
			return PlanRequest{}, err
		}
	}
	if refine {
		request.Missing = rules.Missing(s.Query(), s.Context)
	}
	for _, item := range s.Context[:min(len(s.Context), 5)] {
		request.Found = append(request.Found, where(item))
	}
	for _, record := range s.ToolHistory {
		if record.Note != "" {
			request.Notes = append(request.Notes, clip(record.Note, 2000))
		}
	}
	return request, nil
}

// fresh leaves out calls that were made before, or that the plan holds twice.
func fresh(calls []state.ToolCall, history []state.ToolRecord) []state.ToolCall {
	seen := make(map[string]bool, len(history))
	for _, record := range history {
		seen[rules.CallKey(record.Name, record.Args)] = true
	}
	return slices.DeleteFunc(slices.Clone(calls), func(c state.ToolCall) bool {
		key := rules.CallKey(c.Name, c.Args)
		twice := seen[key]
		seen[key] = true
		return twice
	})
}
