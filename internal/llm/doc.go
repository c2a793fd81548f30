// Package llm is the one place that names a model provider: it gives the rest of the program an
// [llms.Model] and an [Embedder] over any OpenAI-compatible endpoint (OpenAI, Ollama's /v1, vLLM,
// the llama.cpp server), and an llms.Model over Anthropic's Messages API.
// It may import langchaingo's llms and llms/openai packages, cenkalti/backoff, sony/gobreaker,
// golang.org/x/time and the standard library, and nothing of this module.
//
// # How a call travels
//
// langchaingo's openai package builds every request and maps every reply. Between it and the
// network stands a [net/http] client of ours (see doer.go) that
//
//   - adds what langchaingo leaves out (top_p, a JSON schema per call, the token-limit field that
//     the server understands),
//   - speaks the streaming wire itself and hands langchaingo one finished, checked completion,
//   - turns every failure into one of the errors of this package before langchaingo can flatten it.
//
// The reason: langchaingo v0.1.14 merges parallel tool calls of a stream, answers a cut or
// cancelled stream with a nil error, drops top_p and loses HTTP statuses and Retry-After. Each of
// these has a wire test here.
//
// The Messages API is spoken by a client of ours (see anthropic.go): langchaingo's sends neither the
// tool choice nor a JSON mode and tears text and tool calls of one reply apart. Retries, the breaker,
// the limit of requests a minute and the errors are the same for both.
//
// # Promises
//
// A reply without a stop reason is [ErrCut], never an answer. When the caller's context is done the
// error is that context's error. A reply that reached its token limit is no error: its StopReason
// is "length" and the caller decides. Thinking text goes to ReasoningContent, never to Content.
// API keys appear in no error and no log.
package llm
