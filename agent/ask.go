package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// ErrEmptyQuestion reports a question without text.
var ErrEmptyQuestion = errors.New("the question is empty")

// Question is one question to the agent.
type Question struct {
	Text   string           // required
	Thread string           // the conversation; default a new one
	Mode   state.AnswerMode // default the agent's
}

// Event is what happens while a question is answered. Exactly one of its fields is set.
type Event struct {
	Node    string      // a node starts
	Token   string      // the answer grows
	Restart bool        // the tokens so far are void
	Edge    *graph.Edge // an edge of the graph was taken
	Answer  *Answer     // the end
}

// Ask answers a question and yields what happens on the way; the last event holds the answer. The same question on a
// thread with an unfinished run resumes that run: nodes whose result was committed do not run again. Leaving the range
// cancels the run; it can be resumed. Ranging the sequence again asks again.
func (a *Agent) Ask(ctx context.Context, q Question) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := a.ask(ctx, q, func(e Event) bool { return yield(e, nil) }); err != nil && !errors.Is(err, errLeft) {
			yield(Event{}, err)
		}
	}
}

// errLeft says that the consumer of the events has gone.
var errLeft = errors.New("agent: the consumer left")

func (a *Agent) ask(ctx context.Context, q Question, emit func(Event) bool) error {
	q.Text = strings.TrimSpace(q.Text)
	if q.Text == "" {
		return ErrEmptyQuestion
	}
	if q.Thread == "" {
		q.Thread = a.cfg.NewID()
	}
	started := a.cfg.Nodes.Now()
	thread := a.app.Thread(q.Thread, graph.WithStore(a.cfg.Store))
	head, err := thread.Head(ctx)
	if err != nil {
		return fmt.Errorf("read thread %s: %w", q.Thread, err)
	}
	unfinished := head.Exists && !head.Done
	resumed := unfinished && head.State.Question == q.Text
	const modes = graph.Tasks | graph.Custom | graph.Edges
	var events iter.Seq2[graph.Event[state.AgentState, state.Update], error]
	if resumed {
		events = thread.ResumeStream(ctx, modes)
	} else {
		events = thread.Stream(ctx, a.begin(q), modes)
	}
	for ev, err := range events {
		if err != nil {
			return err
		}
		if ev.Kind == graph.RunEnd {
			answer := a.answer(ev.State, q.Thread, a.cfg.Nodes.Now().Sub(started))
			answer.Resumed = resumed
			if resumed {
				answer.Warnings = append(resumeNotes(q, ev.State.Settings), answer.Warnings...)
			} else if unfinished {
				answer.Warnings = append([]string{fmt.Sprintf("the unfinished run of %q was given up", head.State.Question)}, answer.Warnings...)
			}
			emit(Event{Answer: &answer})
			return nil
		}
		if e, ok := translate(ev); ok && !emit(e) {
			return errLeft
		}
	}
	return errors.New("agent: the run ended without a result")
}

// resumeNotes say that a run was resumed, and what of the question it does not follow.
func resumeNotes(q Question, settings state.Settings) []string {
	notes := []string{"an unfinished run of this question was resumed"}
	if q.Mode != "" && q.Mode != settings.AnswerMode {
		notes = append(notes, fmt.Sprintf("the resumed run keeps the mode %s that it started with", settings.AnswerMode))
	}
	return notes
}

// begin is the update that starts a run.
func (a *Agent) begin(q Question) state.Update {
	settings := a.cfg.Settings
	if q.Mode != "" {
		settings.AnswerMode = q.Mode
	}
	return state.Update{Begin: &state.Begin{Run: a.cfg.NewID(), Question: q.Text, Settings: settings, At: a.cfg.Nodes.Now()}}
}

func translate(ev graph.Event[state.AgentState, state.Update]) (Event, bool) {
	switch ev.Kind {
	case graph.TaskStart:
		return Event{Node: ev.Node}, true
	case graph.EdgeTaken:
		return Event{Edge: &ev.Edge}, true
	case graph.CustomKind:
		switch c := ev.Custom.(type) {
		case nodes.Token:
			return Event{Token: c.Text}, true
		case nodes.Restart:
			return Event{Restart: true}, true
		}
	}
	return Event{}, false
}

// Do answers a question without showing the way.
func (a *Agent) Do(ctx context.Context, q Question) (Answer, error) {
	for e, err := range a.Ask(ctx, q) {
		if err != nil {
			return Answer{}, err
		}
		if e.Answer != nil {
			return *e.Answer, nil
		}
	}
	return Answer{}, errors.New("agent: the run ended without a result")
}

// State is what the agent knows on a thread; exists is false for a thread that nobody used.
func (a *Agent) State(ctx context.Context, thread string) (s state.AgentState, exists bool, err error) {
	head, err := a.app.Thread(thread, graph.WithStore(a.cfg.Store)).Head(ctx)
	return head.State, head.Exists, err
}

func randomID() string { return strings.ToLower(rand.Text()[:12]) }

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
