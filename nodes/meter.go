package nodes

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// meter counts what the model calls of one node cost and refuses calls beyond the budget of the run.
// It is safe for concurrent use.
type meter struct {
	node    string
	state   state.AgentState
	now     func() time.Time
	started time.Time
	audit   func(ctx context.Context, action string, d details) error // of the node's turn

	mu    sync.Mutex
	spent state.Usage
}

type meterKey struct{}

func withMeter(ctx context.Context, node string, s state.AgentState, now func() time.Time) (context.Context, *meter) {
	m := &meter{node: node, state: s, now: now, started: now()}
	return context.WithValue(ctx, meterKey{}, m), m
}

// allow returns errBudget when the run may not call a model any more.
func (m *meter) allow() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.state
	s.Usage = s.Usage.Plus(m.spent)
	if used := rules.OverBudget(s, m.running()); used != "" {
		return fmt.Errorf("%w (%s)", errBudget, used)
	}
	m.spent = m.spent.Plus(state.Usage{LLMCalls: 1, ByNode: map[string]int{m.node: 1}})
	return nil
}

// remaining is the wall time that the run has left; ok is false when it has no limit.
func (m *meter) remaining() (left time.Duration, ok bool) {
	limit := m.state.Settings.RunTimeout
	if limit <= 0 {
		return 0, false
	}
	return limit - m.state.Elapsed - m.running(), true
}

// running is the time that the node has taken so far.
func (m *meter) running() time.Duration { return m.now().Sub(m.started) }

// record audits one call of a model.
func (m *meter) record(ctx context.Context, call Call, choice *llms.ContentChoice, took time.Duration, failure error) error {
	d := details{"node": m.node, "role": call.Role, "prompt": call.Prompt, "duration_ms": took.Milliseconds()}
	if call.Repair {
		d["repair"] = true
	}
	if failure != nil {
		d["error"] = oneLine(failure)
		return m.audit(ctx, AuditLLMCall, d)
	}
	d["prompt_tokens"], d["completion_tokens"] = count(choice, "PromptTokens"), count(choice, "CompletionTokens")
	return m.audit(ctx, AuditLLMCall, d)
}

// charge adds the tokens of a call. Some servers leave the total out.
func (m *meter) charge(prompt, completion, total int) {
	if total == 0 {
		total = prompt + completion
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spent = m.spent.Plus(state.Usage{PromptTokens: prompt, CompletionTokens: completion, TotalTokens: total})
}

func (m *meter) usage() state.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent
}
