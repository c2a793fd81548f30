package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/state"
)

// Result is what a call found. Note is a hint for the next plan: an empty result is a note, never an error.
type Result struct {
	Items []state.Evidence
	Note  string
}

// Tool is one thing that a plan may call. It is immutable and safe for concurrent use if its function is.
type Tool struct {
	Name        string
	Description string             // for the model
	Schema      *jsonschema.Schema // of the arguments
	ScoreKind   state.ScoreKind    // of the items that it finds
	call        func(context.Context, json.RawMessage) (Result, error)
	check       func(json.RawMessage) (json.RawMessage, error)
}

// New makes a tool of a function with a typed argument struct. The schema comes from A: its json tags name the
// arguments, jsonschema tags describe them, omitempty makes them optional. A type without a schema is a fault of the
// program and panics at start.
func New[A any](name, description string, kind state.ScoreKind, fn func(context.Context, A) (Result, error)) Tool {
	schema, err := jsonschema.For[A](nil)
	if err != nil {
		panic(fmt.Sprintf("tools: arguments of %s: %v", name, err))
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("tools: arguments of %s: %v", name, err))
	}
	read := func(raw json.RawMessage) (A, error) {
		args, err := decode[A](raw, resolved)
		if err != nil {
			return args, &Error{Code: CodeBadArguments, Message: fmt.Sprintf("%s: %v", name, err)}
		}
		return args, nil
	}
	return Tool{
		Name: name, Description: strings.TrimSpace(description), Schema: schema, ScoreKind: kind,
		call: func(ctx context.Context, raw json.RawMessage) (Result, error) {
			args, err := read(raw)
			if err != nil {
				return Result{}, err
			}
			return fn(ctx, args)
		},
		check: func(raw json.RawMessage) (json.RawMessage, error) {
			args, err := read(raw)
			if err != nil {
				return nil, err
			}
			return json.Marshal(args)
		},
	}
}

// decode reads arguments strictly: what does not fit the schema is refused with the reason.
func decode[A any](raw json.RawMessage, schema *jsonschema.Resolved) (A, error) {
	var args A
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	var loose any
	if err := json.Unmarshal(raw, &loose); err != nil {
		return args, fmt.Errorf("arguments are no JSON: %w", err)
	}
	if err := schema.Validate(loose); err != nil {
		return args, fmt.Errorf("arguments do not fit: %w", err)
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return args, fmt.Errorf("arguments do not fit: %w", err)
	}
	return args, nil
}

// Call runs the tool. Arguments that do not fit the schema give an *Error with CodeBadArguments.
func (t Tool) Call(ctx context.Context, args json.RawMessage) (Result, error) {
	return t.call(ctx, args)
}

// With is the same tool with other work behind it, for tests and for decorators. The arguments reach work checked.
func (t Tool) With(work func(context.Context, json.RawMessage) (Result, error)) Tool {
	check := t.check
	t.call = func(ctx context.Context, raw json.RawMessage) (Result, error) {
		args, err := check(raw)
		if err != nil {
			return Result{}, err
		}
		return work(ctx, args)
	}
	return t
}

// Check reads arguments without running the tool and returns them in a stable form, so that equal calls are equal
// bytes. Its errors are those of Call.
func (t Tool) Check(args json.RawMessage) (json.RawMessage, error) { return t.check(args) }

// Code classifies what went wrong in a tool, for the plan and for tool_history.
type Code string

// The codes of tool errors.
const (
	CodeBadArguments Code = "BAD_ARGUMENTS"
	CodeUnknownTool  Code = "UNKNOWN_TOOL"
	CodeNotAllowed   Code = "NOT_ALLOWED" // the route does not offer the tool
	CodeNotFound     Code = "NOT_FOUND"
	CodeAccessDenied Code = "ACCESS_DENIED"
	CodeNotAFile     Code = "NOT_A_FILE"
	CodeTooLarge     Code = "TOO_LARGE"
	CodeTimeout      Code = "TIMEOUT"
	CodeUnavailable  Code = "UNAVAILABLE" // e.g. vector_search without an embedding endpoint
	CodeDamaged      Code = "DAMAGED"     // the index cannot be read: no other call will fare better
	CodeFailed       Code = "FAILED"      // anything else
)

// Error is a tool's failure with its code.
type Error struct {
	Code    Code
	Message string
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// AsError gives every error a code; one without becomes FAILED, or TIMEOUT for a deadline.
func AsError(err error) *Error {
	var te *Error
	switch {
	case errors.As(err, &te):
		return te
	case errors.Is(err, index.ErrDamaged):
		return &Error{Code: CodeDamaged, Message: err.Error()}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: CodeTimeout, Message: "the tool took too long"}
	default:
		return &Error{Code: CodeFailed, Message: err.Error()}
	}
}

// Set is the tools of an agent, by name.
type Set struct {
	tools  []Tool
	byName map[string]Tool
}

// NewSet is the set of tools. Two tools of one name are a fault of the program and panic.
func NewSet(tools ...Tool) Set {
	s := Set{tools: tools, byName: make(map[string]Tool, len(tools))}
	for _, t := range tools {
		if _, twice := s.byName[t.Name]; twice {
			panic("tools: two tools are named " + t.Name)
		}
		s.byName[t.Name] = t
	}
	return s
}

// Lookup is the tool of that name.
func (s Set) Lookup(name string) (Tool, bool) {
	t, ok := s.byName[name]
	return t, ok
}

// Only is the tools of s that names lists, in the order of s.
func (s Set) Only(names []string) []Tool {
	var some []Tool
	for _, t := range s.tools {
		for _, name := range names {
			if t.Name == name {
				some = append(some, t)
			}
		}
	}
	return some
}

// Names is the names of all tools, in the order of NewSet.
func (s Set) Names() []string {
	names := make([]string, len(s.tools))
	for i, t := range s.tools {
		names[i] = t.Name
	}
	return names
}
