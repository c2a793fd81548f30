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
	Scope  state.Scope      // where the knowledge base is looked into; default that of the settings

	// Settings are the thresholds and switches of this run instead of the agent's; a change of [Agent.Settings] is the
	// usual way to make them. A run that is resumed keeps those that it started with.
	Settings *state.Settings
}

// Event is what happens while a question is answered. Exactly one of its fields is set.
type Event struct {
	Node    string      // a node starts
	Token   string      // the answer grows
	Restart bool        // the tokens so far are void
	Edge    *graph.Edge // an edge of the graph was taken
	Answer  *Answer     // the end

	// Questions are the end of a run that waits: each is for a person, and Resume takes the answers.
	Questions []graph.Interrupt
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
	thread := a.Thread(q.Thread)
	head, err := thread.Head(ctx)
	if err != nil {
		return fmt.Errorf("read thread %s: %w", q.Thread, err)
	}
	unfinished := head.Exists && !head.Done
	resumed := unfinished && head.State.Question == q.Text
	var events runEvents
	if resumed {
		events = thread.ResumeStream(ctx, shown)
	} else {
		events = thread.Stream(ctx, a.begin(q), shown)
	}
	return a.follow(events, emit, func(s state.AgentState) Answer {
		answer := a.answer(s, q.Thread, a.cfg.Nodes.Now().Sub(started))
		answer.Resumed = resumed
		if resumed {
			answer.Warnings = append(resumeNotes(q, s.Settings), answer.Warnings...)
		} else if unfinished {
			answer.Warnings = append([]string{fmt.Sprintf("the unfinished run of %q was given up", head.State.Question)}, answer.Warnings...)
		}
		return answer
	})
}

// runEvents are the events of one run.
type runEvents = iter.Seq2[graph.Event[state.AgentState, state.Update], error]

// shown are the events that an Event is made of.
const shown = graph.Tasks | graph.Custom | graph.Edges

// follow emits the events of a run and its end: the answer, or the questions that it waits for.
func (a *Agent) follow(events runEvents, emit func(Event) bool, answer func(state.AgentState) Answer) error {
	var questions []graph.Interrupt
	for ev, err := range events {
		switch {
		case err != nil:
			return err
		case ev.Kind == graph.Interrupted:
			questions = append(questions, ev.Interrupt)
			continue
		case ev.Kind == graph.RunEnd && len(questions) > 0:
			emit(Event{Questions: questions})
			return nil
		case ev.Kind == graph.RunEnd:
			emit(Event{Answer: new(answer(ev.State))})
			return nil
		}
		if e, ok := translate(ev); ok && !emit(e) {
			return errLeft
		}
	}
	return errors.New("agent: the run ended without a result")
}

// Settings are the thresholds and switches of new runs.
func (a *Agent) Settings() state.Settings { return a.cfg.Settings }

// resumeNotes say that a run was resumed, and what of the question it does not follow.
func resumeNotes(q Question, settings state.Settings) []string {
	notes := []string{"an unfinished run of this question was resumed"}
	if q.Mode != "" && q.Mode != settings.AnswerMode {
		notes = append(notes, fmt.Sprintf("the resumed run keeps the mode %s that it started with", settings.AnswerMode))
	}
	if q.Scope != (state.Scope{}) && q.Scope != settings.Scope {
		notes = append(notes, "the resumed run keeps the collections and paths that it started with")
	}
	if q.Settings != nil && q.with(*q.Settings) != settings {
		notes = append(notes, "the resumed run keeps the settings that it started with")
	}
	return notes
}

// begin is the update that starts a run.
func (a *Agent) begin(q Question) state.Update {
	settings := a.cfg.Settings
	if q.Settings != nil {
		settings = *q.Settings
	}
	return state.Update{Begin: &state.Begin{Run: a.cfg.NewID(), Question: q.Text, Settings: q.with(settings), At: a.cfg.Nodes.Now()}}
}

// with is settings in the question's mode.
func (q Question) with(settings state.Settings) state.Settings {
	if q.Mode != "" {
		settings.AnswerMode = q.Mode
	}
	if q.Scope != (state.Scope{}) {
		settings.Scope = q.Scope
	}
	return settings
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
		if e.Questions != nil {
			return Answer{}, fmt.Errorf("%w: %s", graph.ErrInterrupted, e.Questions[0].Text())
		}
	}
	return Answer{}, errors.New("agent: the run ended without a result")
}

// State is what the agent knows on a thread; exists is false for a thread that nobody used.
func (a *Agent) State(ctx context.Context, thread string) (s state.AgentState, exists bool, err error) {
	head, err := a.Thread(thread).Head(ctx)
	return head.State, head.Exists, err
}

func randomID() string { return strings.ToLower(rand.Text()[:12]) }

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
