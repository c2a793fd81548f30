package main

import (
	"context"
	"iter"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/state"
)

// conversation is the agent as a chat has it: with the settings and the model of the conversation, a review is decided in its
// queue only, and a decision is heard of.
type conversation struct {
	with *assistant
	std  streams
	host *chatHost
}

// Ask implements repl.Agent.
func (c conversation) Ask(ctx context.Context, q agent.Question) iter.Seq2[agent.Event, error] {
	return c.heard(ctx, q.Thread, c.with.agent.Ask(ctx, c.host.ask(q)))
}

// Again implements repl.Agent.
func (c conversation) Again(ctx context.Context, q agent.Question) iter.Seq2[agent.Event, error] {
	return c.heard(ctx, q.Thread, c.with.agent.Again(ctx, c.host.ask(q)))
}

// State implements repl.Agent.
func (c conversation) State(ctx context.Context, thread string) (state.AgentState, bool, error) {
	return c.with.agent.State(ctx, thread)
}

// Thread implements repl.Agent.
func (c conversation) Thread(id string) *agent.Thread { return c.with.agent.Thread(id) }

// Topology implements repl.Agent.
func (c conversation) Topology() graph.Topology { return c.with.agent.Topology() }

// Resume implements repl.Agent. It takes no answer to a review.
func (c conversation) Resume(ctx context.Context, thread string, answers ...graph.Option) iter.Seq2[agent.Event, error] {
	if len(answers) > 0 {
		head, err := c.Thread(thread).Head(ctx)
		if err == nil && waitsForReview(head.Interrupts) {
			err = reviewDecides(thread)
		}
		if err != nil {
			return func(yield func(agent.Event, error) bool) { yield(agent.Event{}, err) }
		}
	}
	return c.heard(ctx, thread, c.with.agent.Resume(ctx, thread, answers...))
}

// heard is events, with the answer in place of a question that a person has answered already.
func (c conversation) heard(ctx context.Context, thread string, events iter.Seq2[agent.Event, error]) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		var waits outcome
		for e, err := range events {
			if err == nil && e.Questions != nil {
				waits.questions = e.Questions
				continue // until the run has let go of its thread
			}
			if !yield(e, err) {
				return
			}
		}
		if waits.questions == nil {
			return
		}
		o, err := c.with.hear(ctx, thread, waits, c.std, false)
		if err == nil && o.questions == nil {
			yield(agent.Event{Answer: &o.answer}, nil)
			return
		}
		yield(agent.Event{Questions: o.questions}, err)
	}
}
