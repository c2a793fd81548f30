package metrics

import (
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// unattributed is the node of tokens of which only the sum of a run is known.
const unattributed = "unattributed"

// Types of tokens.
const (
	typePrompt     = "prompt"
	typeCompletion = "completion"
)

// usage is what was counted of a run's model calls.
type usage struct {
	calls              map[string]float64 // by node
	prompt, completion float64
}

func (u *usage) add(node string, calls, prompt, completion float64) {
	if u.calls == nil {
		u.calls = map[string]float64{}
	}
	u.calls[node] += calls
	u.prompt += prompt
	u.completion += completion
}

// modelCalled counts one call of a model.
func (c *Collector) modelCalled(l line, r *run) bool {
	c.perCall = true
	node := nodeNames.of(l.d.text("node"))
	c.spend(r, node, node, 1, l.d.count("prompt_tokens"), l.d.count("completion_tokens"))
	if l.d.text("error") != "" {
		c.f.llmErrors.WithLabelValues(node).Inc()
	}
	if ms, ok := l.d.number("duration_ms"); ok {
		c.f.llmDuration.WithLabelValues(node).Observe(max(0, ms) / 1000)
	}
	return node != none
}

// spend counts calls of a node, and tokens; what is below 0 was counted already.
func (c *Collector) spend(r *run, node, tokensOf string, calls, prompt, completion float64) {
	calls, prompt, completion = max(0, calls), max(0, prompt), max(0, completion)
	if calls > 0 {
		c.f.llmCalls.WithLabelValues(node).Add(calls)
	}
	if prompt > 0 {
		c.f.llmTokens.WithLabelValues(tokensOf, typePrompt).Add(prompt)
	}
	if completion > 0 {
		c.f.llmTokens.WithLabelValues(tokensOf, typeCompletion).Add(completion)
	}
	r.counted.add(node, calls, prompt, completion)
}

// settle counts what a run cost beyond its lines of single calls: all of it where there are no such lines. Of a run that
// began before the first line nothing is known, and its calls may have been counted by another process.
func (c *Collector) settle(l line, r *run) {
	if !r.begun && c.perCall {
		return
	}
	total := l.d.usage()
	byNode := 0
	for name, calls := range total.ByNode {
		node := nodeNames.of(name)
		c.spend(r, node, unattributed, float64(calls)-r.counted.calls[node], 0, 0)
		byNode += calls
	}
	rest := float64(total.LLMCalls-byNode) - r.counted.calls[unattributed]
	c.spend(r, unattributed, unattributed, rest, float64(total.PromptTokens)-r.counted.prompt, float64(total.CompletionTokens)-r.counted.completion)
}

// fallback counts a model that failed in a node, when the line says so.
func (c *Collector) fallback(l line, node string) {
	if l.d.text("model_failed") != "" {
		c.f.llmFallbacks.WithLabelValues(node).Inc()
	}
}

func (c *Collector) synthesized(l line, _ *run) bool {
	c.fallback(l, nodes.NameSynthesize)
	return true
}

func (c *Collector) citationRemoved(line, *run) bool {
	c.f.citations.WithLabelValues().Inc()
	return true
}

// verified counts a verification and its claims.
func (c *Collector) verified(l line, r *run) bool {
	by, outcome := verifiers.of(l.d.text("by")), outcomes.of(l.d.text("outcome"))
	c.f.verifications.WithLabelValues(by, outcome).Inc()
	if by == "llm" && outcome == string(state.OutcomeUnknown) {
		c.f.llmFallbacks.WithLabelValues(nodes.NameVerifyAnswer).Inc()
	}
	r.verifiedOK = false
	if outcome != string(state.OutcomeVerified) {
		return outcome != none
	}
	checked, supported, partial := l.d.count("claims_checked"), l.d.count("claims_supported"), l.d.count("claims_partial")
	c.f.claims.WithLabelValues("supported").Add(supported)
	c.f.claims.WithLabelValues("partial").Add(partial)
	c.f.claims.WithLabelValues("unsupported").Add(max(0, checked-supported-partial))
	confidence, ok := l.d.number("confidence")
	if ok {
		c.f.grounding.WithLabelValues(by).Observe(confidence)
		r.verified, r.verifiedOK = confidence, true
	}
	return ok
}
