package rules

import (
	"context"
	"errors"
	"fmt"

	"github.com/looplab/fsm"

	"github.com/kbagent/kbagent/state"
)

// Event is a move of the corrective machine.
type Event string

// The events of the corrective machine.
const (
	EventSearch     Event = "search"
	EventChitchat   Event = "chitchat"
	EventExhausted  Event = "exhausted"
	EventRetrieved  Event = "retrieved"
	EventSufficient Event = "sufficient"
	EventMixed      Event = "mixed"
	EventPoor       Event = "poor"
	EventCapped     Event = "capped"
	EventNoProgress Event = "no_progress"
	EventReplan     Event = "replan"
	EventReroute    Event = "reroute"
	EventAnswered   Event = "answered"
	EventPass       Event = "pass"
	EventDeliver    Event = "deliver"
	EventCorrect    Event = "correct"
	EventRerank     Event = "rerank"
	EventWeb        Event = "web"
	EventReview     Event = "review"
	EventDecided    Event = "decided"
)

// ErrTransition reports an event that the machine's table does not hold for the present phase.
var ErrTransition = errors.New("the corrective machine has no such transition")

// Row is one row of the machine's table. Stage names the part of the agent that takes it.
type Row struct {
	From  state.Phase
	Event Event
	To    state.Phase
	Stage Stage
}

// Stage is a part of the agent.
type Stage string

// The stages.
const (
	StageCore   Stage = "core"   // routing, retrieval, grading, the answer
	StageVerify Stage = "verify" // verification of the answer and what follows from it, switchable
)

// Table is the complete table of the corrective machine. A pair that is not in it is an error, never a silent move.
func Table() []Row {
	return []Row{
		{state.PhaseRoute, EventSearch, state.PhaseRetrieve, StageCore},
		{state.PhaseRoute, EventChitchat, state.PhaseGenerate, StageCore},
		{state.PhaseRoute, EventExhausted, state.PhaseGenerate, StageCore},
		{state.PhaseRetrieve, EventRetrieved, state.PhaseGrade, StageCore},
		{state.PhaseGrade, EventSufficient, state.PhaseGenerate, StageCore},
		{state.PhaseGrade, EventMixed, state.PhaseRefine, StageCore},
		{state.PhaseGrade, EventPoor, state.PhaseReRetrieve, StageCore},
		{state.PhaseGrade, EventCapped, state.PhaseGenerate, StageCore},
		{state.PhaseGrade, EventNoProgress, state.PhaseGenerate, StageCore},
		{state.PhaseRefine, EventReplan, state.PhaseRetrieve, StageCore},
		{state.PhaseReRetrieve, EventReroute, state.PhaseRoute, StageCore},
		{state.PhaseGenerate, EventAnswered, state.PhaseAnswered, StageCore},
		{state.PhaseAnswered, EventPass, state.PhaseDone, StageVerify},
		{state.PhaseAnswered, EventDeliver, state.PhaseDone, StageCore},
		{state.PhaseAnswered, EventCorrect, state.PhaseRetrieve, StageVerify},
		{state.PhaseAnswered, EventRerank, state.PhaseGenerate, StageVerify},
		{state.PhaseAnswered, EventWeb, state.PhaseRetrieve, StageVerify},
		{state.PhaseAnswered, EventReview, state.PhaseReview, StageVerify},
		{state.PhaseReview, EventDecided, state.PhaseDone, StageVerify},
	}
}

// Machine validates and names the moves of one node. It does no work of its own. It is not safe for concurrent use;
// a node makes one, fires its events and puts Transitions into its update.
type Machine struct {
	fsm   *fsm.FSM
	moves []state.Transition
}

// NewMachine is a machine that stands at phase. It returns ErrTransition for a phase that no row knows.
func NewMachine(phase state.Phase) (*Machine, error) {
	events := make(fsm.Events, 0, len(Table()))
	known := false
	for _, row := range Table() {
		known = known || row.From == phase || row.To == phase
		events = append(events, fsm.EventDesc{Name: string(row.Event), Src: []string{string(row.From)}, Dst: string(row.To)})
	}
	if !known {
		return nil, fmt.Errorf("%w: unknown phase %q", ErrTransition, phase)
	}
	return &Machine{fsm: fsm.NewFSM(string(phase), events, nil)}, nil
}

// Fire moves the machine. It returns ErrTransition, and does not move, when the table holds no row for the event.
func (m *Machine) Fire(event Event) error {
	from := m.Phase()
	// looplab/fsm wedges for ever when an event meets a cancelled context; a move is not cancellable anyway.
	if err := m.fsm.Event(context.Background(), string(event)); err != nil {
		return fmt.Errorf("%w: %s in %s: %w", ErrTransition, event, from, err)
	}
	m.moves = append(m.moves, state.Transition{From: from, Event: string(event), To: m.Phase()})
	return nil
}

// Phase is where the machine stands.
func (m *Machine) Phase() state.Phase { return state.Phase(m.fsm.Current()) }

// Transitions are the moves since NewMachine, in order.
func (m *Machine) Transitions() []state.Transition { return m.moves }

// Fire moves a machine that stands at phase through events and returns the moves.
func Fire(phase state.Phase, events ...Event) ([]state.Transition, error) {
	m, err := NewMachine(phase)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		if err := m.Fire(e); err != nil {
			return nil, err
		}
	}
	return m.Transitions(), nil
}
