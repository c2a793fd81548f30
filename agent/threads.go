package agent

import (
	"context"
	"errors"
	"iter"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/state"
)

// A Thread is a conversation as the graph keeps it.
type Thread = graph.Thread[state.AgentState, state.Update]

// Thread is the conversation id, for its past: history, states, forks, edits, copies, pruning. It need not exist.
// A fork or an edit takes the thread from a run that is going on, like another question does.
func (a *Agent) Thread(id string) *Thread {
	return a.app.Thread(id, graph.WithStore(a.cfg.Store))
}

// Resume goes on with the unfinished run of a thread, as [Agent.Ask] does with the same question, and gives it answers to
// its questions ([graph.Answer], [graph.Reply]). On a finished thread its event is the last answer. Errors are those of
// [graph.Thread.Resume]. Ranging the sequence again resumes again.
func (a *Agent) Resume(ctx context.Context, thread string, answers ...graph.Option) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		started := a.cfg.Nodes.Now()
		events := a.Thread(thread).ResumeStream(ctx, shown, answers...)
		err := a.follow(events, func(e Event) bool { return yield(e, nil) }, func(s state.AgentState) Answer {
			answer := a.answer(s, thread, a.cfg.Nodes.Now().Sub(started))
			answer.Resumed = true
			return answer
		})
		if err != nil && !errors.Is(err, errLeft) {
			yield(Event{}, err)
		}
	}
}
