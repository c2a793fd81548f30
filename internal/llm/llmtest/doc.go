// Package llmtest is a scripted server that speaks the OpenAI protocol on loopback, for tests of
// whatever talks to a model: chat completions whole and streamed, tool calls, embeddings, the list of
// models, and every way in which real servers break.
// It may import the standard library and langchaingo's llms types.
package llmtest
