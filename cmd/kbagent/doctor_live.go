package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/llm"
)

// liveChecks asks each configured endpoint for what the agent will ask of it, once and without retries: a completion,
// a streamed one, one under a JSON schema, one with a tool, embeddings, and re-ranking. It costs a few hundred tokens. What the agent
// can do without (a schema that is not honoured, a tool that is not called) is off, not failed. Without an endpoint there
// are no checks.
func liveChecks(ctx context.Context, cfg config.Config) []check {
	var checks []check
	for _, m := range []struct{ name, model string }{{"model", cfg.LLM.Model}, {"fast model", cfg.LLM.FastModel}} {
		if m.model != "" {
			checks = append(checks, liveModel(ctx, cfg.LLM, m.name, m.model)...)
		}
	}
	if cfg.Embedding.Model != "" {
		checks = append(checks, liveEmbedding(ctx, cfg))
	}
	if cfg.Search.Rerank == "endpoint" {
		checks = append(checks, liveRerank(ctx, cfg))
	}
	return checks
}

// liveTokens bounds each reply.
const liveTokens = 256

func liveModel(ctx context.Context, c config.LLM, name, model string) []check {
	m, err := llm.New(llm.Config{
		Provider: c.Provider, BaseURL: c.BaseURL, APIKey: c.APIKey, Model: model, Timeout: c.Timeout, MaxRetries: -1,
	})
	if err != nil {
		return []check{{name, stateFailed, err.Error()}}
	}
	p := probe{name: name, model: m}
	whole := p.completion(ctx)
	if whole.State == stateFailed {
		return []check{whole} // the others would fail for the same reason, one timeout after the other
	}
	return []check{whole, p.stream(ctx), p.schema(ctx), p.tool(ctx)}
}

// probe asks one model.
type probe struct {
	name  string
	model *llm.Model
}

// ask asks once and returns the reply and the time that it took.
func (p probe) ask(ctx context.Context, prompt string, options ...llms.CallOption) (*llms.ContentChoice, llm.Usage, time.Duration, error) {
	begin := time.Now()
	options = append(options, llms.WithMaxTokens(liveTokens))
	resp, err := p.model.GenerateContent(ctx, []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, prompt)}, options...)
	took := time.Since(begin)
	switch {
	case err != nil:
		return nil, llm.Usage{}, took, err
	case len(resp.Choices) == 0:
		return nil, llm.Usage{}, took, errors.New("the reply is empty: check the model name and the server's log")
	}
	return resp.Choices[0], llm.UsageOf(resp), took, nil
}

const livePrompt = "Reply with the single word: ready"

func (p probe) completion(ctx context.Context) check {
	c := check{Name: p.name + ": completion", State: stateFailed}
	reply, usage, took, err := p.ask(ctx, livePrompt)
	switch {
	case err != nil:
		c.Detail = err.Error()
	case strings.TrimSpace(reply.Content) == "" && reply.ReasoningContent == "":
		c.Detail = fmt.Sprintf("it answered with nothing (stop reason %q): check that the model is made for chat", reply.StopReason)
	default:
		c.State, c.Detail = stateOK, "answered in "+milliseconds(took)
		if usage.TotalTokens == 0 {
			c.Detail += "; it reports no usage, so that a budget of tokens (KB_AGENT_LLM_MAX_TOKENS) cannot work"
		}
	}
	return c
}

func (p probe) stream(ctx context.Context) check {
	c := check{Name: p.name + ": streaming", State: stateFailed}
	var text strings.Builder
	var first time.Duration
	pieces, begin := 0, time.Now()
	reply, _, took, err := p.ask(ctx, livePrompt, llms.WithStreamingFunc(func(_ context.Context, piece []byte) error {
		if pieces == 0 {
			first = time.Since(begin)
		}
		pieces++
		text.Write(piece)
		return nil
	}))
	switch {
	case err != nil:
		c.Detail = err.Error()
	case text.String() != reply.Content:
		c.Detail = "what was streamed is not the final answer: look into the server's log, or put another server in front"
	default:
		c.State, c.Detail = stateOK, fmt.Sprintf("first piece after %s, %d pieces in %s", milliseconds(first), pieces, milliseconds(took))
	}
	return c
}

// liveSchema is a small one of the kind that grading uses.
const liveSchema = `{"type":"object","properties":{"scores":{"type":"array","items":{"type":"number","enum":[0,0.5,1]},"minItems":2,"maxItems":2}},"required":["scores"],"additionalProperties":false}`

func (p probe) schema(ctx context.Context) check {
	c := check{Name: p.name + ": JSON schema", State: stateFailed}
	reply, _, took, err := p.ask(ctx, `Reply with the JSON object {"scores":[1,0]} and nothing else.`, llm.Schema("doctor", json.RawMessage(liveSchema)))
	switch {
	case err != nil:
		c.Detail = err.Error()
	case !fitsLiveSchema(reply.Content):
		c.State, c.Detail = stateOff, "the reply does not fit the schema that was asked for: grades and plans are read from plain text and repaired where they must be; a larger model or a newer server does better"
	default:
		c.State, c.Detail = stateOK, "honoured in "+milliseconds(took)
	}
	return c
}

func fitsLiveSchema(content string) bool {
	var reply struct{ Scores []float64 }
	if json.Unmarshal([]byte(content), &reply) != nil || len(reply.Scores) != 2 {
		return false
	}
	return !slices.ContainsFunc(reply.Scores, func(x float64) bool { return x != 0 && x != 0.5 && x != 1 })
}

var liveTool = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
	Name: "search_kb", Description: "Searches the documents for words.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"],"additionalProperties":false}`),
}}

func (p probe) tool(ctx context.Context) check {
	c := check{Name: p.name + ": tools", State: stateFailed}
	reply, _, took, err := p.ask(ctx, `Call the tool search_kb with the query "logs".`, llms.WithTools([]llms.Tool{liveTool}))
	switch {
	case err != nil:
		c.Detail = err.Error()
	case len(reply.ToolCalls) == 0:
		c.State, c.Detail = stateOff, "it called no tool: plans are read from its text, or made without the model; a model that knows tools does better"
	default:
		c.State, c.Detail = stateOK, "called in "+milliseconds(took)
	}
	return c
}

// liveEmbedding embeds two texts; that all numbers are finite and both vectors equally long is checked by the embedder.
func liveEmbedding(ctx context.Context, cfg config.Config) check {
	c := check{Name: "embeddings: two texts", State: stateFailed}
	e, err := llm.NewEmbedder(llm.EmbeddingConfig{
		BaseURL: cfg.Embedding.BaseURL, APIKey: cfg.Embedding.APIKey, Model: cfg.Embedding.Model, Timeout: cfg.LLM.Timeout, MaxRetries: -1,
	})
	if err != nil {
		c.Detail = err.Error()
		return c
	}
	begin := time.Now()
	vectors, err := e.Embed(ctx, []string{"how long are the logs kept", "bread needs an hour in the oven"})
	took := time.Since(begin)
	switch {
	case err != nil:
		c.Detail = err.Error()
	case norm(vectors[0]) == 0 || norm(vectors[1]) == 0:
		c.Detail = "a vector is all zeros: check that the model is made for embeddings"
	case slices.Equal(vectors[0], vectors[1]):
		c.Detail = "two different texts have the same vector: check that the model is made for embeddings"
	default:
		c.State, c.Detail = stateOK, fmt.Sprintf("%d dimensions, all numbers finite, in %s", e.Dimensions(), milliseconds(took))
	}
	return c
}

// liveRerank asks which of two texts answers a question.
func liveRerank(ctx context.Context, cfg config.Config) check {
	c := check{Name: "re-ranking: two texts", State: stateFailed}
	r, err := newReranker(cfg, llm.RerankConfig{MaxRetries: -1})
	if err != nil {
		c.Detail = err.Error()
		return c
	}
	begin := time.Now()
	scores, err := r.Rerank(ctx, "how long are the logs kept?", []string{"Bread needs an hour in the oven.", "Logs are kept for thirty days."})
	took := time.Since(begin)
	switch {
	case err != nil:
		c.Detail = err.Error()
	case scores[1] <= scores[0]:
		c.Detail = fmt.Sprintf("the text that answers got %.2f, another one %.2f: check that the model is made for re-ranking", scores[1], scores[0])
	default:
		c.State, c.Detail = stateOK, fmt.Sprintf("the text that answers got %.2f, another one %.2f, in %s", scores[1], scores[0], milliseconds(took))
	}
	return c
}

func norm(vector []float32) float64 {
	var sum float64
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

func milliseconds(d time.Duration) string { return d.Round(time.Millisecond).String() }
