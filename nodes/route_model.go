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
)

// modelRouter asks the model.
type modelRouter struct{ m *Model }

// conversationTurns is how much of the conversation the router and the synthesizer see.
const conversationTurns = 3

var routerSchema = json.RawMessage(`{"type":"object","properties":{"route":{"type":"string","enum":["search","chitchat"]},"confidence":{"type":"number"},"category":{"type":"string","enum":["definition","how_to","comparison","why","list","yes_no","troubleshooting","other"]},"query":{"type":"string"},"sub_queries":{"type":"array","items":{"type":"string"}},"keywords":{"type":"array","items":{"type":"string"}}},"required":["route","confidence","category","query","sub_queries","keywords"],"additionalProperties":false}`)

type routeReply struct {
	Route      state.Route `json:"route"`
	Confidence float64     `json:"confidence"`
	Category   string      `json:"category"`
	Query      string      `json:"query"`
	SubQueries []string    `json:"sub_queries"`
	Keywords   []string    `json:"keywords"`
}

func (r modelRouter) Route(ctx context.Context, q RouteRequest) (RouteDecision, error) {
	asked := r.m.prompts.get(promptRouter)
	delimiter := r.m.fence()
	data := routerData{Question: q.Question, fencing: newFencing(delimiter)}
	msgs, err := asked.messages(data, history(q.Messages, conversationTurns, delimiter))
	if err != nil {
		return RouteDecision{}, err
	}
	return repaired(ctx, r.m, asked.call(RoleRouter), msgs, readRoute, r.m.schema("route", routerSchema)...)
}

func readRoute(c *llms.ContentChoice) (RouteDecision, error) {
	var in routeReply
	if err := reply.Into(c.Content, &in, "route", "query"); err != nil {
		return RouteDecision{}, err
	}
	d := RouteDecision{
		Route: in.Route, Confidence: min(max(in.Confidence, 0), 1), Category: in.Category,
		Query: strings.TrimSpace(in.Query), Topic: strings.TrimSpace(in.Query), SubQueries: nonEmpty(in.SubQueries), Keywords: nonEmpty(in.Keywords),
	}
	switch {
	case d.Route != state.RouteSearch && d.Route != state.RouteChitchat:
		return d, fmt.Errorf("route is %q, not search or chitchat", d.Route)
	case d.Query == "":
		return d, fmt.Errorf("query is empty")
	}
	return d, nil
}

// schema is the call option for a reply of this form, when the provider knows one.
func (m *Model) schema(name string, schema json.RawMessage) []llms.CallOption {
	if m.Schema == nil {
		return nil
	}
	return []llms.CallOption{m.Schema(name, schema)}
}

func nonEmpty(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return strings.TrimSpace(s) == "" })
}
