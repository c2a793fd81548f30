package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/nodes/reply"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// modelPlanner asks the model for tool calls.
type modelPlanner struct{ m *Model }

func (p modelPlanner) Plan(ctx context.Context, q PlanRequest) ([]state.ToolCall, error) {
	asked := p.m.prompts.get(promptPlanner)
	msgs, err := asked.messages(newPlannerData(q, p.m.fence()), nil)
	if err != nil {
		return nil, err
	}
	read := func(c *llms.ContentChoice) ([]state.ToolCall, error) { return readCalls(c, q.Tools) }
	return repaired(ctx, p.m, asked.call(RolePlanner), msgs, read, llms.WithTools(offers(q.Tools)))
}

func offers(list []tools.Tool) []llms.Tool {
	out := make([]llms.Tool, len(list))
	for i, t := range list {
		out[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Schema}}
	}
	return out
}

// readCalls takes the calls of a reply, or those that its text spells out, and refuses what does not fit.
func readCalls(c *llms.ContentChoice, allowed []tools.Tool) ([]state.ToolCall, error) {
	var calls []state.ToolCall
	for _, tc := range c.ToolCalls {
		if tc.FunctionCall != nil {
			calls = append(calls, state.ToolCall{Name: tc.FunctionCall.Name, Args: json.RawMessage(tc.FunctionCall.Arguments)})
		}
	}
	if len(calls) == 0 {
		spelled, err := reply.Calls(c.Content)
		if err != nil {
			return nil, fmt.Errorf("the reply holds no tool calls: %w", err)
		}
		for _, s := range spelled {
			calls = append(calls, state.ToolCall{Name: s.Name, Args: s.Args})
		}
	}
	var faults []string
	for i := range calls {
		if err := check(&calls[i], allowed); err != nil {
			faults = append(faults, err.Error())
		}
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("%s", strings.Join(faults, "; "))
	}
	return calls, nil
}

// check refuses a call of a tool that is not offered, and arguments that do not fit; it puts the arguments into a
// stable form.
func check(c *state.ToolCall, allowed []tools.Tool) error {
	i := slices.IndexFunc(allowed, func(t tools.Tool) bool { return t.Name == c.Name })
	if i < 0 {
		names := make([]string, len(allowed))
		for j, t := range allowed {
			names[j] = t.Name
		}
		return fmt.Errorf("there is no tool %q here; the tools are %s", c.Name, strings.Join(names, ", "))
	}
	args, err := allowed[i].Check(c.Args)
	if err != nil {
		return err
	}
	c.Args = args
	return nil
}
