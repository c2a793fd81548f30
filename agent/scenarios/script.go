package scenarios

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/scenario"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// errCrash is what a node sees when the scenario lets the process die in it.
var errCrash = errors.New("scenario: the process died here")

// script is the replies and results that a scenario still holds. It is safe for concurrent use.
type script struct {
	mu      sync.Mutex
	model   []ModelReply
	tools   map[string][]scriptedResult
	given   int    // replies
	crash   func() // cancels the run
	calls   []Call
	faults  []error
	scripts map[string]bool // tools that had results
}

// scriptedResult is a result with its place in the scenario.
type scriptedResult struct {
	ToolResult
	at int
}

func newScript(g Given) *script {
	s := &script{model: g.Model, given: len(g.Model), tools: make(map[string][]scriptedResult), scripts: make(map[string]bool)}
	for i, r := range g.Tools {
		s.tools[r.Tool] = append(s.tools[r.Tool], scriptedResult{r, i})
		s.scripts[r.Tool] = true
	}
	return s
}

// roles are the roles that the script plays.
func (s *script) roles() []string {
	seen := make(map[string]bool)
	var roles []string
	for _, r := range s.model {
		if !seen[r.Role] {
			seen[r.Role] = true
			roles = append(roles, r.Role)
		}
	}
	return roles
}

func (s *script) fault(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, err)
	return err
}

// leftovers are what the scenario scripted and nobody asked for.
func (s *script) leftovers() error {
	var left, paths []string
	for i, r := range s.model {
		left = append(left, "a reply of the "+r.Role)
		paths = append(paths, fmt.Sprintf("given.model[%d]", s.given-len(s.model)+i))
	}
	for _, name := range slices.Sorted(maps.Keys(s.tools)) {
		results := s.tools[name]
		if len(results) > 0 {
			left = append(left, fmt.Sprintf("%d result(s) of %s", len(results), name))
		}
		for _, r := range results {
			paths = append(paths, fmt.Sprintf("given.tools[%d]", r.at))
		}
	}
	if len(left) == 0 {
		return nil
	}
	return &scenario.UnusedError{Paths: paths, Text: "the scenario scripts what nobody asked for: " + strings.Join(left, ", ")}
}

// scriptedModel is a model that replies by the script.
type scriptedModel struct{ *script }

// Call implements llms.Model; nobody uses it.
func (m scriptedModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent replies with the next line of the script.
func (m scriptedModel) GenerateContent(ctx context.Context, msgs []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var opts llms.CallOptions
	for _, o := range options {
		o(&opts)
	}
	call, _ := nodes.CallFrom(ctx)
	reply, err := m.next(call, shown(msgs))
	if err != nil {
		return nil, err
	}
	if err := wait(ctx, reply.Delay); err != nil {
		return nil, err
	}
	if reply.Crash {
		m.crash()
		return nil, errCrash
	}
	if reply.Error != "" {
		return nil, errors.New(reply.Error)
	}
	if opts.StreamingFunc != nil {
		for _, piece := range pieces(reply.Reply) {
			if err := opts.StreamingFunc(ctx, []byte(piece)); err != nil {
				return nil, err
			}
		}
	}
	if reply.Cut {
		return nil, errors.New("the stream of the model was cut")
	}
	return response(reply)
}

func (s *script) next(call nodes.Call, shown string) (ModelReply, error) {
	s.mu.Lock()
	s.calls = append(s.calls, Call{Role: call.Role, Repair: call.Repair, Shown: shown})
	if len(s.model) == 0 {
		s.mu.Unlock()
		return ModelReply{}, s.fault("the %s asked the model, and the script has no reply left", call.Role)
	}
	reply := s.model[0]
	if reply.Role != call.Role {
		s.mu.Unlock()
		return ModelReply{}, s.fault("the %s asked the model, and the next reply of the script is for the %s", call.Role, reply.Role)
	}
	s.model = s.model[1:]
	s.mu.Unlock()
	return reply, nil
}

func response(r ModelReply) (*llms.ContentResponse, error) {
	tokens := r.Tokens
	if tokens == 0 {
		tokens = 10
	}
	choice := &llms.ContentChoice{
		Content: r.Reply, StopReason: cmp.Or(r.Stop, "stop"),
		GenerationInfo: map[string]any{"PromptTokens": tokens / 2, "CompletionTokens": tokens - tokens/2, "TotalTokens": tokens},
	}
	for i, c := range r.Calls {
		args, err := json.Marshal(c.Args)
		if err != nil {
			return nil, fmt.Errorf("scenario: arguments of %s: %w", c.Name, err)
		}
		choice.ToolCalls = append(choice.ToolCalls, llms.ToolCall{
			ID: fmt.Sprint(i), Type: "function", FunctionCall: &llms.FunctionCall{Name: c.Name, Arguments: string(args)},
		})
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, nil
}

// pieces cuts a reply like a stream does: behind each space.
func pieces(s string) []string { return strings.SplitAfter(s, " ") }

func shown(msgs []llms.MessageContent) string {
	var b strings.Builder
	for _, m := range msgs {
		for _, part := range m.Parts {
			if text, ok := part.(llms.TextContent); ok {
				fmt.Fprintf(&b, "%s: %s\n", m.Role, text.Text)
			}
		}
	}
	return b.String()
}

// wait lets time pass, unless the run ends.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// waitTool is wait for a tool. One that would be given up is given up at once: nobody has to wait for that.
func waitTool(ctx context.Context, d time.Duration) error {
	if deadline, ok := ctx.Deadline(); ok && d >= time.Until(deadline) {
		return context.DeadlineExceeded
	}
	return wait(ctx, d)
}

// scripted replaces a tool's work by the results of the script; its name, description and arguments stay.
func (s *script) scripted(tool tools.Tool) tools.Tool {
	return tool.With(func(ctx context.Context, _ json.RawMessage) (tools.Result, error) {
		s.mu.Lock()
		results := s.tools[tool.Name]
		if len(results) == 0 {
			s.mu.Unlock()
			return tools.Result{}, s.fault("%s was called, and the script has no result left for it", tool.Name)
		}
		r := results[0]
		s.tools[tool.Name] = results[1:]
		s.mu.Unlock()
		if err := waitTool(ctx, r.Delay); err != nil {
			return tools.Result{}, err
		}
		if r.Crash {
			s.crash()
			return tools.Result{}, errCrash
		}
		if r.Error != "" {
			return tools.Result{}, toolError(r.Error)
		}
		return tools.Result{Items: evidence(tool, r.ToolResult), Note: r.Note}, nil
	})
}

func toolError(text string) error {
	code, message, ok := strings.Cut(text, ": ")
	if ok && strings.ToUpper(code) == code && !strings.Contains(code, " ") {
		return &tools.Error{Code: tools.Code(code), Message: message}
	}
	return errors.New(text)
}

// evidence makes the items of a result.
func evidence(tool tools.Tool, r ToolResult) []state.Evidence {
	items := r.Items
	if r.Repeat > 0 && len(items) > 0 {
		first := items[0]
		items = nil
		for i := range r.Repeat {
			copy := first
			copy.Path, copy.ID = fmt.Sprintf("%d.md", i+1), fmt.Sprintf("i%d", i+1)
			items = append(items, copy)
		}
	}
	var out []state.Evidence
	for _, item := range items {
		e := state.Evidence{
			ID: item.ID, Tool: tool.Name, Path: item.Path, Title: item.Title, Section: item.Section, StartLine: max(item.Line, 1),
			Language: item.Language,
			Content:  item.Content, RetrievalScore: item.Score, ScoreKind: tool.ScoreKind,
		}
		if item.Kind != "" {
			e.ScoreKind = state.ScoreKind(item.Kind)
		}
		e.EndLine = cmp.Or(item.EndLine, e.StartLine+strings.Count(e.Content, "\n"))
		e.EndByte = len(e.Content)
		if e.ID == "" {
			e.ID = state.EvidenceID(e.Path, e.StartLine, e.EndByte, e.Content)
		}
		out = append(out, e)
	}
	return out
}
