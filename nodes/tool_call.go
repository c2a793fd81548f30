package nodes

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// ToolCall is the node tool_call: it makes the calls of the plan, in parallel up to a limit, and adds what they found
// to the context in the order of the calls. A call that fails is recorded and the run goes on; its error never
// becomes evidence. A damaged index fails the node: no other call would fare better, and "not found" would be a lie.
func (n *Nodes) ToolCall() graph.NodeFunc[state.AgentState, state.Update] {
	return n.run(NameToolCall, func(ctx context.Context, t *turn) error {
		calls := t.state.PendingToolCalls
		outcomes := make([]outcome, len(calls))
		group, inner := errgroup.WithContext(ctx)
		group.SetLimit(n.cfg.ToolParallelism)
		for i, call := range calls {
			group.Go(func() error {
				outcomes[i] = n.call(inner, t.allowed(), call)
				if err := outcomes[i].err; err != nil && tools.AsError(err).Code == tools.CodeDamaged {
					return err
				}
				return context.Cause(ctx)
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		round := &state.Round{Records: make([]state.ToolRecord, 0, len(calls))}
		for _, o := range outcomes {
			if err := t.auditCall(ctx, o); err != nil {
				return err
			}
			round.Records = append(round.Records, o.record)
			round.Found = append(round.Found, o.items...)
		}
		if t.state.Strategy == state.StrategyExpanded && !t.state.Correcting() {
			round.Found, round.Ranked = fuse(outcomes), true
		}
		t.update.Round = round
		return t.fire(ctx, rules.EventRetrieved)
	})
}

// expansionTokens is how much the searches of an expanded question may find together.
const expansionTokens = 8000

// fuse merges what the calls found by reciprocal rank, within the token budget.
func fuse(outcomes []outcome) []state.Evidence {
	lists := make([][]state.Evidence, 0, len(outcomes))
	for _, o := range outcomes {
		if len(o.items) > 0 {
			lists = append(lists, o.items)
		}
	}
	return rules.FitTokens(rules.MergeRRF(lists, fusionK), expansionTokens)
}

// fusionK is the k of reciprocal rank fusion.
const fusionK = 60

// outcome is what became of one call.
type outcome struct {
	record state.ToolRecord
	items  []state.Evidence
	err    error
}

// call makes one call with its time limit.
func (n *Nodes) call(ctx context.Context, allowed []string, call state.ToolCall) outcome {
	started := n.cfg.Now()
	record := state.ToolRecord{ID: call.ID, Name: call.Name, Args: call.Args, ItemIDs: []string{}, Scores: []float64{}, ScoreKind: state.ScoreNone}
	result, err := n.invoke(ctx, allowed, call, &record)
	record.DurationMS = n.cfg.Now().Sub(started).Milliseconds()
	if err != nil {
		record.Error = tools.AsError(err).Error()
		return outcome{record: record, err: err}
	}
	record.Note = result.Note
	for i, item := range result.Items {
		if i == 0 {
			record.ScoreKind = item.ScoreKind
		}
		record.ItemIDs = append(record.ItemIDs, item.ID)
		record.Scores = append(record.Scores, item.RetrievalScore)
	}
	return outcome{record: record, items: result.Items}
}

func (n *Nodes) invoke(ctx context.Context, allowed []string, call state.ToolCall, record *state.ToolRecord) (result tools.Result, err error) {
	defer func() { // a tool runs on a goroutine of its own, where the runtime cannot catch its panic
		if p := recover(); p != nil {
			slog.Error("tool_panicked", "tool", call.Name, "panic", p, "stack", string(debug.Stack()))
			err = &tools.Error{Code: tools.CodeFailed, Message: fmt.Sprintf("%s panicked: %v", call.Name, p)}
		}
	}()
	tool, ok := n.cfg.Tools.Lookup(call.Name)
	if !ok {
		return tools.Result{}, &tools.Error{Code: tools.CodeUnknownTool, Message: fmt.Sprintf("there is no tool %q", call.Name)}
	}
	if !slices.Contains(allowed, call.Name) {
		return tools.Result{}, &tools.Error{Code: tools.CodeNotAllowed, Message: fmt.Sprintf("this round does not offer %s", call.Name)}
	}
	record.ScoreKind = tool.ScoreKind
	ctx, cancel := context.WithTimeout(ctx, n.cfg.ToolTimeout)
	defer cancel()
	return tool.Call(ctx, call.Args)
}

func (t *turn) auditCall(ctx context.Context, o outcome) error {
	r := o.record
	d := details{"id": r.ID, "name": r.Name, "args": r.Args, "items": len(r.ItemIDs), "duration_ms": r.DurationMS}
	if r.Note != "" {
		d["note"] = clip(r.Note, 200)
	}
	if r.Error != "" {
		d["error"] = r.Error
		t.warn("%s failed: %s", r.Name, clip(r.Error, 300))
		return t.audit(ctx, AuditToolError, d)
	}
	return t.audit(ctx, AuditToolCall, d)
}
