package nodes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// AnalyzeAndRoute is the node analyze_and_route. On a new question it decides what kind of turn it is, resolves a
// follow-up with the conversation and picks a retrieval strategy. When the grader sent the run back (RE_RETRIEVE), it
// picks a strategy that was not attempted yet, or ends the search when none is left.
func (n *Nodes) AnalyzeAndRoute() graph.NodeFunc[state.AgentState, state.Update] {
	return n.run(NameAnalyzeAndRoute, func(ctx context.Context, t *turn) error {
		if t.state.Phase == state.PhaseReRetrieve {
			if err := t.fire(ctx, rules.EventReroute); err != nil {
				return err
			}
			return t.takeStrategy(ctx, t.state.Query(), "")
		}
		return t.route(ctx)
	})
}

// route understands a new question.
func (t *turn) route(ctx context.Context) error {
	if err := t.audit(ctx, AuditRunStart, details{"question": t.state.Question, "settings": t.state.Settings}); err != nil {
		return err
	}
	request := RouteRequest{Question: t.state.Question, Topic: t.state.Topic, Messages: t.state.Messages}
	d, by, err := play(ctx, t, RoleRouter, t.nodes.router, func(r Router) (RouteDecision, error) { return r.Route(ctx, request) })
	if err != nil {
		return fmt.Errorf("route the question: %w", err)
	}
	d.Keywords = withoutCards(d.Keywords, d.Query)
	d.SubQueries, d.Keywords = d.SubQueries[:min(len(d.SubQueries), maxCalls)], d.Keywords[:min(len(d.Keywords), maxKeywords)]
	t.update.Route = &d.Route
	t.update.RouteConfidence = &d.Confidence
	t.update.Category = &d.Category
	t.update.ResolvedQuery = &d.Query
	t.update.SubQueries = &d.SubQueries
	t.update.Keywords = &d.Keywords
	err = t.audit(ctx, AuditRoute, by.into(details{
		"route": d.Route, "confidence": d.Confidence, "category": d.Category, "resolved_query": d.Query,
		"sub_queries": d.SubQueries, "keywords": d.Keywords,
	}, "heuristic"))
	if err != nil {
		return err
	}
	if d.Route == state.RouteChitchat {
		t.update.StopReason = new(state.StopChitchat)
		return t.fire(ctx, rules.EventChitchat)
	}
	if d.Topic != "" {
		t.update.Topic = &d.Topic
	}
	return t.takeStrategy(ctx, d.Query, d.Strategy)
}

// withoutCards leaves out the keywords that are pieces of a card number in the query: each alone would pass every mask.
func withoutCards(keywords []string, query string) []string {
	masked := strings.ToLower(mask.Cards(query))
	if masked == strings.ToLower(query) {
		return keywords
	}
	return slices.DeleteFunc(slices.Clone(keywords), func(k string) bool { return !strings.Contains(masked, strings.ToLower(k)) })
}

// maxKeywords is how many keywords of a question are kept.
const maxKeywords = 32

// takeStrategy picks the next way of retrieval, or ends the search.
func (t *turn) takeStrategy(ctx context.Context, query string, preferred state.Strategy) error {
	available, err := t.available(ctx, query)
	if err != nil {
		return err
	}
	strategy, ok := rules.NextStrategy(available, t.state.AttemptedStrategies, preferred)
	if ok && strategy == state.StrategyWeb && !t.takeWeb() { // another run was faster
		strategy, ok = rules.NextStrategy(available, append(slices.Clip(t.state.AttemptedStrategies), strategy), preferred)
	}
	if !ok {
		t.update.StopReason = new(state.StopExhausted)
		t.warn("every way of retrieval was tried without finding evidence")
		return t.fire(ctx, rules.EventExhausted)
	}
	t.update.Strategy = &strategy
	if err := t.audit(ctx, AuditRoute, details{"strategy": strategy, "available": available, "attempted": t.state.AttemptedStrategies}); err != nil {
		return err
	}
	return t.fire(ctx, rules.EventSearch)
}

// available is the strategies that make sense for the question.
func (t *turn) available(ctx context.Context, query string) ([]state.Strategy, error) {
	lib := t.nodes.cfg.Library
	files, err := lib.NamedFiles(ctx, t.state.Question)
	if err != nil {
		return nil, fmt.Errorf("look for the files that the question names: %w", err)
	}
	parts := t.state.SubQueries
	if t.update.SubQueries != nil {
		parts = *t.update.SubQueries
	}
	return rules.Available(rules.Means{
		Vectors:    lib.HasVectors(),
		Expansion:  t.state.Settings.QueryExpansion && len(rules.Keywords(query)) > 0,
		Parts:      len(parts),
		NamedFiles: len(files),
		Web:        t.webPossible(),
	}), nil
}
