package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// givenAnswer is an answer as the caller of Resume gives it.
type givenAnswer struct {
	id    string
	reply bool // to the only open question; id is empty
	value json.RawMessage
	again bool // given by the graph around a sub-graph: it may have come before
}

// Answer answers the question with the given id, for [Thread.Resume]. value is encoded as JSON; a json.RawMessage goes as it is,
// nil is null, which is an answer. Several may be given.
func Answer(id string, value any) Option {
	return func(s *settings) error {
		data, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("encode the answer to %s: %w", id, err)
		}
		s.answers = Append(s.answers, givenAnswer{id: id, value: data})
		return nil
	}
}

// Answers is [Answer] for several questions, by their ids.
func Answers(values map[string]any) Option {
	return func(s *settings) error {
		for _, id := range slices.Sorted(maps.Keys(values)) {
			if err := Answer(id, values[id])(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// Reply answers the only open question of the thread; with several it is an [ErrAmbiguousAnswer].
func Reply(value any) Option {
	return func(s *settings) error {
		data, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("encode the answer: %w", err)
		}
		s.answers = Append(s.answers, givenAnswer{reply: true, value: data})
		return nil
	}
}

// matched is an answer with its question.
type matched struct {
	note   *note
	answer json.RawMessage
}

// match finds the question of each answer among the notes of a thread, and checks that all answers can be given.
func (t *restored[S]) match(thread string, answers []givenAnswer, now int64) ([]matched, error) {
	var list []matched
	for _, a := range answers {
		n, err := t.question(thread, a)
		switch {
		case a.again && (err != nil || n.Answer != nil || n.told()):
			continue // the child has had it before
		case err != nil:
			return nil, err
		case n.Answer != nil, slices.ContainsFunc(list, func(m matched) bool { return m.note == n }):
			return nil, fmt.Errorf("%w: %s", ErrAlreadyAnswered, a.id)
		case n.told(), !a.again && n.Expires != 0 && n.Expires <= now: // what the graph around has taken in time counts
			return nil, fmt.Errorf("%w: %s", ErrExpired, a.id)
		case n.Inner != nil && n.Inner.Kind != Question:
			return nil, fmt.Errorf("%w: %s is a stop, which takes no answer", ErrUnknownQuestion, a.id)
		}
		if got := typeOfJSON(a.value); n.Want != "" && got != n.Want && got != "null" {
			return nil, &AnswerError{ID: interruptID(t.run, t.step+1, n.Task, n.Key), Want: n.Want, Err: fmt.Errorf("it is a %s", got)}
		}
		list = append(list, matched{n, a.value})
	}
	return list, nil
}

// question finds the question that an answer is for.
func (t *restored[S]) question(thread string, a givenAnswer) (*note, error) {
	var open []*note
	for _, n := range t.notes() {
		if n.Kind != askNote {
			continue
		}
		if !a.reply && interruptID(t.run, t.step+1, n.Task, n.Key) == a.id {
			return n, nil
		}
		if n.open() && !t.finished(n.Task) {
			open = append(open, n)
		}
	}
	switch {
	case !a.reply:
		return nil, &unknownQuestion{thread, a.id}
	case len(open) == 0:
		return nil, fmt.Errorf("%w: none is open on thread %q", ErrUnknownQuestion, thread)
	case len(open) > 1:
		ids := make([]string, len(open))
		for i, n := range open {
			ids[i] = interruptID(t.run, t.step+1, n.Task, n.Key)
		}
		return nil, fmt.Errorf("%w: %s", ErrAmbiguousAnswer, strings.Join(ids, ", "))
	}
	return open[0], nil
}

// unknownQuestion is an ErrUnknownQuestion that names it.
type unknownQuestion struct{ thread, id string }

func (e *unknownQuestion) Error() string {
	return fmt.Sprintf("%v: %q on thread %q", ErrUnknownQuestion, e.id, e.thread)
}

func (e *unknownQuestion) Is(target error) bool { return target == ErrUnknownQuestion }

// explainUnknown turns an unknown question into an answered one when the log of the thread holds its answer.
func (t *Thread[S, U]) explainUnknown(ctx context.Context, err error) error {
	var unknown *unknownQuestion
	if !errors.As(err, &unknown) {
		return err
	}
	for e, logErr := range t.store.Log(ctx, t.id, 0) {
		if logErr != nil {
			return errors.Join(err, logErr)
		}
		var s storedEntry
		if decode(e.Data, &s) != nil {
			continue // what is damaged is reported by those who need it
		}
		for i := range s.Writes {
			for _, a := range s.Writes[i].Answers {
				if interruptID(s.Run, s.Step, s.Writes[i].Task, a.Key) == unknown.id {
					return fmt.Errorf("%w: %s", ErrAlreadyAnswered, unknown.id)
				}
			}
		}
	}
	return err
}
