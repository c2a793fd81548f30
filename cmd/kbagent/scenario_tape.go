package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/internal/traffic"
)

// tapeReplies are the replies of the models in recordings, read as the program reads them; nil for no files. Answers that
// no reply can be read from are left out: the call failed.
func tapeReplies(ctx context.Context, files []string) (*scenarios.Replies, error) {
	if len(files) == 0 {
		return nil, nil
	}
	var all []scenarios.ModelReply
	for _, file := range files {
		seq, err := traffic.OpenSequence(file)
		if err != nil {
			return nil, err
		}
		for {
			path, streamed, ok := seq.Next()
			if !ok {
				break
			}
			choice, err := tapeChoice(ctx, seq, path, streamed)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				continue
			}
			reply, err := replyOf(choice)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, reply)
		}
	}
	return scenarios.NewReplies(all...), nil
}

// tapeChoice lets a client read the next answer of a recording.
func tapeChoice(ctx context.Context, seq *traffic.Sequence, path string, streamed bool) (*llms.ContentChoice, error) {
	cfg := llm.Config{BaseURL: "http://recording.invalid/v1", Model: "recorded", MaxRetries: -1, Transport: seq}
	if strings.HasSuffix(path, "/messages") {
		cfg.Provider = llm.ProviderAnthropic
	}
	m, err := llm.New(cfg)
	if err != nil {
		return nil, err
	}
	var opts []llms.CallOption
	if streamed {
		opts = append(opts, llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
	}
	resp, err := m.GenerateContent(ctx, []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "?")}, opts...)
	if err != nil {
		return nil, err
	}
	one := *resp.Choices[0]
	for _, c := range resp.Choices[1:] { // some servers send text and tool calls apart
		one.Content += c.Content
		one.ToolCalls = append(one.ToolCalls, c.ToolCalls...)
	}
	return &one, nil
}

// replyOf is a choice as scenarios write it.
func replyOf(c *llms.ContentChoice) (scenarios.ModelReply, error) {
	r := scenarios.ModelReply{Reply: c.Content}
	if c.StopReason != "stop" {
		r.Stop = c.StopReason
	}
	for _, call := range c.ToolCalls {
		if call.FunctionCall == nil {
			continue
		}
		made := scenarios.ModelCall{Name: call.FunctionCall.Name}
		if err := json.Unmarshal([]byte(call.FunctionCall.Arguments), &made.Args); err != nil {
			return r, fmt.Errorf("the arguments of a call of %s cannot be read: %w", made.Name, err)
		}
		r.Calls = append(r.Calls, made)
	}
	return r, nil
}
