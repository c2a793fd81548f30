package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"
)

// Errors of questions and answers.
var (
	// ErrInterrupted is what [Ask] returns while its question is open. The node should return it; whatever it does return,
	// its task counts as interrupted, nothing that it wrote stays, and it runs again once there is an answer.
	ErrInterrupted = errors.New("waiting for an answer")
	// ErrExpired is what [Ask] returns for a question whose time is over, and [Thread.Resume] for an answer to it.
	ErrExpired = errors.New("question has expired")
	// ErrAlreadyAnswered reports a second answer to the same question.
	ErrAlreadyAnswered = errors.New("question has been answered already")
	// ErrUnknownQuestion reports an answer to a question that the thread has not asked on its present way.
	ErrUnknownQuestion = errors.New("no such question")
	// ErrAmbiguousAnswer reports a [Reply] while several questions are open.
	ErrAmbiguousAnswer = errors.New("several questions are open: name the one that is answered")
	// ErrAnswerType reports an answer that the question does not take; see [AnswerError].
	ErrAnswerType = errors.New("answer has the wrong type")
	// ErrNeedsResume reports an answer that came with a new input, which gives the question up.
	ErrNeedsResume = errors.New("an answer needs Resume")
	// ErrNeedsThread reports an [Ask] in a run without a thread, which nothing could resume.
	ErrNeedsThread = errors.New("a question needs a thread")
)

// An InterruptKind says what a call has stopped for.
type InterruptKind string

// The kinds of interrupts.
const (
	Question InterruptKind = "question" // of Ask; needs an answer
	Before   InterruptKind = "before"   // a StopBefore; Resume goes on
	After    InterruptKind = "after"    // a StopAfter; Resume goes on
)

// An Interrupt is a place where a call has stopped to wait for its caller. It is plain data.
type Interrupt struct {
	// ID names the question: run, step, task and key, and before them those of the tasks of the graphs around a sub-graph.
	// It stays the same over attempts, crashes, and copies of the thread.
	ID      string          `json:"id"`
	Kind    InterruptKind   `json:"kind"`
	Node    string          `json:"node"`
	Task    string          `json:"task,omitzero"` // id within the step; "" for a stop
	Step    int             `json:"step"`          // of the run, from 1
	Key     string          `json:"key,omitzero"`  // given to Ask
	Prompt  json.RawMessage `json:"prompt,omitempty"`
	Want    string          `json:"want,omitzero"`    // JSON type of the answer: "boolean", "number", "string", "array", "object"; "" = any
	Expires time.Time       `json:"expires,omitzero"` // zero = never
}

// Text is the prompt as text: a JSON string without its quotes, anything else as it is.
func (i Interrupt) Text() string {
	var s string
	if json.Unmarshal(i.Prompt, &s) == nil && len(i.Prompt) > 0 && i.Prompt[0] == '"' {
		return s
	}
	return string(i.Prompt)
}

// interrupt is the open question n as the caller sees it.
func (n *note) interrupt(run int64, step int) Interrupt {
	i := Interrupt{
		ID: interruptID(run, step, n.Task, n.Key), Kind: Question, Node: n.Node, Task: n.Task, Step: step,
		Key: n.Key, Prompt: n.Prompt, Want: n.Want,
	}
	if n.Inner != nil {
		i.Kind, i.Key = n.Inner.Kind, n.Inner.Key
	}
	if n.Expires != 0 {
		i.Expires = time.UnixMilli(n.Expires).UTC()
	}
	return i
}

// An AnswerError reports an answer that does not fit its question. It is an [ErrAnswerType]. Nothing is consumed:
// the question stays open.
type AnswerError struct {
	ID   string // of the question
	Want string // the Go or JSON type that the question wants
	Err  error  // what does not fit
}

// Error names the question and the type.
func (e *AnswerError) Error() string {
	return fmt.Sprintf("%v: %s wants %s: %v", ErrAnswerType, e.ID, e.Want, e.Err)
}

// Unwrap returns Err.
func (e *AnswerError) Unwrap() error { return e.Err }

// Is makes errors.Is(err, ErrAnswerType) true.
func (e *AnswerError) Is(target error) bool { return target == ErrAnswerType }

// An AskOption tunes a question.
type AskOption func(*note, Clock)

// ExpiresAfter gives a question d (> 0) to be answered, from when it is first asked. After that the node runs again with
// the next [Thread.Resume], and [Ask] returns [ErrExpired], so that the node decides what to do without an answer.
func ExpiresAfter(d time.Duration) AskOption {
	return func(n *note, c Clock) { n.Expires = c.Now().Add(d).UnixMilli() }
}

// Ask puts a question to whoever runs the thread and returns the answer. The first time it saves the question and returns
// [ErrInterrupted]: the call ends with an [Interrupt] in its Result, and no error. When [Thread.Resume] brings the answer,
// the node runs again from its beginning, and Ask returns the answer at once. Everything before the Ask runs again, too:
// put what must not into [Once].
//
// key names the question within the task and must not depend on chance. prompt is what to show, encoded as JSON.
// The answer is JSON that T takes, without unknown fields; null gives the zero T. A node may ask several questions, one by
// one or together: it runs again as soon as one of them is answered.
// Other errors: [ErrExpired], [ErrKeyUsed], [ErrNeedsThread], [ErrNoTask], [AnswerError], [SaveError].
func Ask[T any](ctx context.Context, key string, prompt any, opts ...AskOption) (T, error) {
	var answer T
	c, ok := ctx.Value(taskKey{}).(*taskContext)
	switch {
	case !ok:
		return answer, fmt.Errorf("ask %q: %w", key, ErrNoTask)
	case c.shared.journals.save == nil:
		return answer, fmt.Errorf("ask %q: %w", key, ErrNeedsThread)
	}
	j, err := c.notes()
	if err != nil {
		return answer, fmt.Errorf("ask %q: %w", key, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if c.over.Load() {
		return answer, fmt.Errorf("ask %q: %w", key, errAttemptOver)
	}
	n, err := j.use(askNote, key)
	switch {
	case err != nil:
		return answer, err
	case n == nil:
		return answer, j.ask(key, prompt, reflect.TypeFor[T](), clockFrom(ctx), opts)
	case n.Answer != nil:
		if err := decodeStrict(n.Answer, &answer); err != nil {
			return answer, j.refuse(n, reflect.TypeFor[T](), err)
		}
		return answer, nil
	case n.told(), n.Expires != 0 && n.Expires <= clockFrom(ctx).Now().UnixMilli():
		n.expired = true
		return answer, fmt.Errorf("%w: %q", ErrExpired, key)
	default:
		return answer, ErrInterrupted
	}
}

// ask saves a question that is new.
func (j *journal) ask(key string, prompt any, want reflect.Type, clock Clock, opts []AskOption) error {
	text, err := json.Marshal(prompt)
	if err != nil {
		return fmt.Errorf("encode the prompt of %q: %w", key, err)
	}
	n := &note{Kind: askNote, Key: key, Prompt: text, Want: jsonType(want)}
	for _, opt := range opts {
		opt(n, clock)
	}
	if err := j.add(n); err != nil {
		return err
	}
	return ErrInterrupted
}

// refuse opens a question again whose answer has the wrong type.
func (j *journal) refuse(n *note, want reflect.Type, cause error) error {
	answer := n.Answer
	n.Answer, n.Seen = nil, false
	err := j.all.write(n)
	if err != nil {
		n.Answer = answer
	} else {
		err = &AnswerError{ID: interruptID(j.all.run, j.all.step, n.Task, n.Key), Want: want.String(), Err: cause}
	}
	if j.err == nil {
		j.err = err
	}
	return err
}

// decodeStrict reads one JSON value without unknown fields.
func decodeStrict(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

// jsonType is the JSON type that a Go type takes, "" when that is not one alone.
func jsonType(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Implements(jsonUnmarshaler) || reflect.PointerTo(t).Implements(jsonUnmarshaler) {
		return ""
	}
	if reflect.PointerTo(t).Implements(textUnmarshaler) {
		return "string"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "string"
		}
		return "array"
	case reflect.Array:
		return "array"
	case reflect.Map, reflect.Struct:
		return "object"
	default:
		return ""
	}
}

// typeOfJSON is the JSON type of a valid value.
func typeOfJSON(data []byte) string {
	switch data = bytes.TrimSpace(data); data[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	default:
		return "number"
	}
}
