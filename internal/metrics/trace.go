package metrics

import (
	"context"
	"errors"

	"github.com/tmc/langchaingo/llms"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/kbagent/kbagent/nodes"
)

// Scope is the instrumentation scope of the spans.
const Scope = "github.com/kbagent/kbagent/internal/metrics"

// Names of attributes by the semantic conventions for generative AI, in their present form
// (github.com/open-telemetry/semantic-conventions-genai; packages semconv have had them up to v1.41 only).
const (
	keyOperation    = attribute.Key("gen_ai.operation.name")
	keyProvider     = attribute.Key("gen_ai.provider.name")
	keyModel        = attribute.Key("gen_ai.request.model")
	keyMaxTokens    = attribute.Key("gen_ai.request.max_tokens")
	keyTemperature  = attribute.Key("gen_ai.request.temperature")
	keyStream       = attribute.Key("gen_ai.request.stream")
	keyFinish       = attribute.Key("gen_ai.response.finish_reasons")
	keyInputTokens  = attribute.Key("gen_ai.usage.input_tokens")
	keyOutputTokens = attribute.Key("gen_ai.usage.output_tokens")
	keyErrorType    = attribute.Key("error.type")
)

// Our own attributes.
const (
	keyRole   = attribute.Key("kbagent.role")   // as nodes.RoleRouter
	keyPrompt = attribute.Key("kbagent.prompt") // name and version of the prompt, like "grader/1"
	keyRepair = attribute.Key("kbagent.repair") // when true: the model was shown the error of its last reply
)

const operationChat = "chat"

// Traced describes the model that is traced.
type Traced struct {
	Provider string // as the conventions name it, like "openai" or "anthropic"; default "_OTHER"
	Model    string // asked for when a call does not name one
	// ErrorType names the kind of an error, of which there are few, like "429"; "" leaves it to the default: timeout,
	// canceled or _OTHER.
	ErrorType func(error) string
}

// TraceModel is m with a span "chat <role>" for each call, a child of the span of the node that calls. The spans have the
// attributes of the semantic conventions for generative AI, the role, and the prompt's name and version; an error shows by
// its kind only. Prompts, replies and messages of errors are never part of a trace. It is as safe for concurrent use as m.
func TraceModel(m llms.Model, tracer trace.Tracer, about Traced) llms.Model {
	if about.Provider == "" {
		about.Provider = "_OTHER"
	}
	return tracedModel{m, tracer, about}
}

type tracedModel struct {
	llms.Model
	tracer trace.Tracer
	about  Traced
}

// GenerateContent asks the model within a span.
func (t tracedModel) GenerateContent(ctx context.Context, msgs []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentResponse, error) {
	name, attrs := t.describe(ctx, opts)
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attrs...))
	defer span.End()
	resp, err := t.Model.GenerateContent(ctx, msgs, opts...)
	if err != nil {
		kind := t.errorType(err)
		span.SetAttributes(keyErrorType.String(kind))
		span.SetStatus(codes.Error, kind)
		return resp, err
	}
	span.SetAttributes(outcomeOf(resp)...)
	return resp, nil
}

// Call is GenerateContent for one prompt.
func (t tracedModel) Call(ctx context.Context, prompt string, opts ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, t, prompt, opts...)
}

// describe is the name and the attributes that are known before the call.
func (t tracedModel) describe(ctx context.Context, opts []llms.CallOption) (string, []attribute.KeyValue) {
	var o llms.CallOptions
	for _, opt := range opts {
		opt(&o)
	}
	model := o.Model
	if model == "" {
		model = t.about.Model
	}
	attrs := []attribute.KeyValue{
		keyOperation.String(operationChat), keyProvider.String(t.about.Provider), keyTemperature.Float64(o.Temperature),
	}
	if model != "" {
		attrs = append(attrs, keyModel.String(model))
	}
	if o.MaxTokens > 0 {
		attrs = append(attrs, keyMaxTokens.Int(o.MaxTokens))
	}
	if o.StreamingFunc != nil || o.StreamingReasoningFunc != nil {
		attrs = append(attrs, keyStream.Bool(true))
	}
	call, ok := nodes.CallFrom(ctx)
	if !ok {
		return operationChat, attrs
	}
	attrs = append(attrs, keyRole.String(call.Role), keyPrompt.String(call.Prompt))
	if call.Repair {
		attrs = append(attrs, keyRepair.Bool(true))
	}
	return operationChat + " " + call.Role, attrs
}

// outcomeOf is the attributes of a reply.
func outcomeOf(resp *llms.ContentResponse) []attribute.KeyValue {
	if resp == nil || len(resp.Choices) == 0 {
		return nil
	}
	var attrs []attribute.KeyValue
	var reasons []string
	for _, choice := range resp.Choices {
		if choice != nil && choice.StopReason != "" {
			reasons = append(reasons, choice.StopReason)
		}
	}
	if len(reasons) > 0 {
		attrs = append(attrs, keyFinish.StringSlice(reasons))
	}
	if first := resp.Choices[0]; first != nil {
		if n, ok := first.GenerationInfo["PromptTokens"].(int); ok {
			attrs = append(attrs, keyInputTokens.Int(n))
		}
		if n, ok := first.GenerationInfo["CompletionTokens"].(int); ok {
			attrs = append(attrs, keyOutputTokens.Int(n))
		}
	}
	return attrs
}

func (t tracedModel) errorType(err error) string {
	if t.about.ErrorType != nil {
		if kind := t.about.ErrorType(err); kind != "" {
			return kind
		}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	default:
		return "_OTHER"
	}
}
