package metrics

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/kbagent/kbagent/graph"
	graphotel "github.com/kbagent/kbagent/graph/otel"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// modelFunc is a model of one function.
type modelFunc func(ctx context.Context, o llms.CallOptions) (*llms.ContentResponse, error)

func (f modelFunc) GenerateContent(ctx context.Context, _ []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, opt := range opts {
		opt(&o)
	}
	return f(ctx, o)
}

func (f modelFunc) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, f, prompt, opts...)
}

// replies is a model that says text.
func replies(text string) modelFunc {
	return func(context.Context, llms.CallOptions) (*llms.ContentResponse, error) {
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{
			Content: text, StopReason: "stop", GenerationInfo: map[string]any{"PromptTokens": 12, "CompletionTokens": 3},
		}}}, nil
	}
}

func fails(err error) modelFunc {
	return func(context.Context, llms.CallOptions) (*llms.ContentResponse, error) { return nil, err }
}

func recorder() (*tracetest.SpanRecorder, trace.TracerProvider) {
	r := tracetest.NewSpanRecorder()
	return r, sdk.NewTracerProvider(sdk.WithSpanProcessor(r))
}

func TestACallOfAModelIsASpanWithTheConventionsAttributes(t *testing.T) {
	r, provider := recorder()
	m := TraceModel(replies("secret reply"), provider.Tracer(Scope), Traced{Provider: "openai", Model: "small"})
	_, err := m.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "secret prompt")},
		llms.WithMaxTokens(50), llms.WithTemperature(0.5), llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
	require.NoError(t, err)
	require.Len(t, r.Ended(), 1)
	span := r.Ended()[0]
	assert.Equal(t, "chat", span.Name())
	assert.Equal(t, trace.SpanKindClient, span.SpanKind())
	assert.Equal(t, codes.Unset, span.Status().Code)
	assert.ElementsMatch(t, []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", "openai"),
		attribute.String("gen_ai.request.model", "small"), attribute.Int("gen_ai.request.max_tokens", 50),
		attribute.Float64("gen_ai.request.temperature", 0.5), attribute.Bool("gen_ai.request.stream", true),
		attribute.StringSlice("gen_ai.response.finish_reasons", []string{"stop"}),
		attribute.Int("gen_ai.usage.input_tokens", 12), attribute.Int("gen_ai.usage.output_tokens", 3),
	}, span.Attributes())
	assert.NotContains(t, fmt.Sprint(span.Attributes(), span.Events(), span.Status()), "secret")
}

func TestAModelThatACallNamesGoesBeforeTheUsualOne(t *testing.T) {
	r, provider := recorder()
	m := TraceModel(replies("x"), provider.Tracer(Scope), Traced{Model: "small"})
	_, err := m.Call(t.Context(), "hello", llms.WithModel("large")) //nolint:staticcheck // deprecated, but a part of the interface
	require.NoError(t, err)
	assert.Contains(t, r.Ended()[0].Attributes(), attribute.String("gen_ai.request.model", "large"))
	assert.Contains(t, r.Ended()[0].Attributes(), attribute.String("gen_ai.provider.name", "_OTHER"))
}

func TestAFailedCallShowsTheKindOfItsErrorOnly(t *testing.T) {
	special := errors.New("secret of the server")
	kinds := func(err error) string {
		if errors.Is(err, special) {
			return "429"
		}
		return ""
	}
	for want, err := range map[string]error{
		"429": special, "timeout": fmt.Errorf("secret: %w", context.DeadlineExceeded), "canceled": context.Canceled, "_OTHER": errors.New("secret"),
	} {
		r, provider := recorder()
		_, got := TraceModel(fails(err), provider.Tracer(Scope), Traced{ErrorType: kinds}).GenerateContent(t.Context(), nil)
		assert.Equal(t, err, got, "the error passes as it is")
		span := r.Ended()[0]
		assert.Contains(t, span.Attributes(), attribute.String("error.type", want))
		assert.Equal(t, sdk.Status{Code: codes.Error, Description: want}, span.Status())
		assert.NotContains(t, fmt.Sprint(span.Attributes(), span.Events(), span.Status()), "secret")
	}
}

func TestAReplyWithoutChoicesIsNoCrash(t *testing.T) {
	for _, resp := range []*llms.ContentResponse{nil, {}, {Choices: []*llms.ContentChoice{nil}}} {
		r, provider := recorder()
		m := modelFunc(func(context.Context, llms.CallOptions) (*llms.ContentResponse, error) { return resp, nil })
		got, err := TraceModel(m, provider.Tracer(Scope), Traced{}).GenerateContent(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, resp, got)
		assert.Len(t, r.Ended(), 1)
	}
}

// books is a library without documents.
type books struct{}

func (books) HasVectors() bool                                     { return false }
func (books) NamedFiles(context.Context, string) ([]string, error) { return nil, nil }
func (books) DocFreq(context.Context, []string) (map[string]int, int, error) {
	return nil, 0, nil
}

func TestASpanOfACallLiesInThatOfItsNodeAndKnowsItsRole(t *testing.T) {
	r, provider := recorder()
	m := TraceModel(replies(`{"route":"chitchat","confidence":1,"category":"other","query":"hello"}`), provider.Tracer(Scope), Traced{})
	n := nodes.New(nodes.Config{
		Audit: nodes.Discard{}, Library: books{}, Tools: tools.NewSet(), Model: &nodes.Model{LLM: m}, ModelRoles: []string{nodes.RoleRouter},
	})
	g := graph.New[state.AgentState]("g")
	route := g.Node(nodes.NameAnalyzeAndRoute, n.AnalyzeAndRoute())
	g.Start(route)
	g.Edge(route, graph.End)
	app, err := g.Compile(graph.Observe(graphotel.New(provider)))
	require.NoError(t, err)
	_, err = app.Invoke(t.Context(), state.Update{Begin: &state.Begin{Question: "hello", Settings: state.DefaultSettings()}})
	require.NoError(t, err)

	spans := map[string]sdk.ReadOnlySpan{}
	for _, span := range r.Ended() {
		spans[span.Name()] = span
	}
	call, node := spans["chat router"], spans["node "+nodes.NameAnalyzeAndRoute]
	require.NotNil(t, call, "%v", spans)
	require.NotNil(t, node)
	assert.Equal(t, node.SpanContext().SpanID(), call.Parent().SpanID())
	assert.Equal(t, node.SpanContext().TraceID(), call.SpanContext().TraceID())
	assert.Contains(t, call.Attributes(), attribute.String("kbagent.role", "router"))
	set := attribute.NewSet(call.Attributes()...)
	prompt, _ := set.Value("kbagent.prompt")
	assert.Regexp(t, `^router/\d+$`, prompt.AsString())
}
