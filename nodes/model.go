package nodes

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/nodes/reply"
	"github.com/kbagent/kbagent/state"
)

// Model is a language model with what the nodes need around it.
type Model struct {
	LLM  llms.Model
	Name string // for the keys of caches
	// Schema asks the provider for a reply of this JSON schema; nil when it cannot. The reply is parsed either way.
	Schema func(name string, schema json.RawMessage) llms.CallOption
	// Fence returns a delimiter that no document can know; default 16 random bytes. Scenarios pass a fixed one.
	Fence func() string

	prompts Prompts // those of the nodes that it works for
}

func (m *Model) fence() string {
	if m.Fence != nil {
		return m.Fence()
	}
	return rand.Text()
}

// Call says which role a model call plays and with which prompt. Models find it with CallFrom.
type Call struct {
	Role   string // router, planner, grader, synthesizer
	Prompt string // name and version of the template, e.g. "grader/2"
	Repair bool   // the second attempt, which shows the model its error
}

type callKey struct{}

// CallFrom is the role that the model call of ctx plays.
func CallFrom(ctx context.Context) (Call, bool) {
	c, ok := ctx.Value(callKey{}).(Call)
	return c, ok
}

// generate makes one model call within the budget of the run and charges it.
func (m *Model) generate(ctx context.Context, call Call, msgs []llms.MessageContent, opts ...llms.CallOption) (*llms.ContentChoice, error) {
	meter, _ := ctx.Value(meterKey{}).(*meter)
	if meter != nil {
		if err := meter.allow(); err != nil {
			return nil, err
		}
		if left, limited := meter.remaining(); limited {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, left, errBudget)
			defer cancel()
		}
	}
	if meter == nil {
		return m.reply(ctx, call, msgs, opts)
	}
	started := meter.now()
	choice, err := m.reply(ctx, call, msgs, opts)
	if err == nil {
		meter.charge(count(choice, "PromptTokens"), count(choice, "CompletionTokens"), count(choice, "TotalTokens"))
	}
	return choice, errors.Join(err, meter.record(context.WithoutCancel(ctx), call, choice, meter.now().Sub(started), err))
}

// reply makes one model call.
func (m *Model) reply(ctx context.Context, call Call, msgs []llms.MessageContent, opts []llms.CallOption) (*llms.ContentChoice, error) {
	ctx = context.WithValue(ctx, callKey{}, call)
	resp, err := m.LLM.GenerateContent(ctx, msgs, append([]llms.CallOption{llms.WithTemperature(0)}, opts...)...)
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, errBudget) {
			return nil, cause
		}
		return nil, err
	}
	if resp == nil || len(resp.Choices) == 0 {
		return nil, errors.New("the model sent an empty reply")
	}
	return join(resp.Choices), nil
}

// join makes one choice of all: some providers send text and tool calls apart.
func join(choices []*llms.ContentChoice) *llms.ContentChoice {
	one := *choices[0]
	for _, c := range choices[1:] {
		if one.Content == "" {
			one.Content = c.Content
		}
		one.ToolCalls = append(one.ToolCalls, c.ToolCalls...)
	}
	return &one
}

func count(c *llms.ContentChoice, key string) int {
	n, _ := c.GenerationInfo[key].(int)
	return n
}

// repaired asks once, reads the reply, and on a reply that cannot be read shows the model its error and asks once more.
func repaired[T any](ctx context.Context, m *Model, call Call, msgs []llms.MessageContent, read func(*llms.ContentChoice) (T, error), opts ...llms.CallOption) (T, error) {
	choice, err := m.generate(ctx, call, msgs, opts...)
	if err != nil {
		var zero T
		return zero, err
	}
	value, err := read(choice)
	if err == nil {
		return value, nil
	}
	again := append(slices.Clip(msgs), rejected(choice, err, m.fence())...)
	call.Repair = true
	choice, err = m.generate(ctx, call, again, opts...)
	if err != nil {
		return value, err
	}
	return read(choice)
}

// rejected shows the model its reply and why it cannot be used. Both may quote documents, so they stand in the fence.
func rejected(choice *llms.ContentChoice, reason error, delimiter string) []llms.MessageContent {
	return []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeAI, quoted(clip(orNothing(choice.Content), 4000), delimiter)),
		llms.TextParts(llms.ChatMessageTypeHuman, newFencing(delimiter).FenceRule+" That reply could not be used, for this reason:\n"+
			quoted(clip(reason.Error(), 1000), delimiter)+"\nReply again, with the requested format only."),
	}
}

func orNothing(s string) string {
	if strings.TrimSpace(s) == "" {
		return "(nothing)"
	}
	return s
}

// content is the text of a reply without its thinking.
func content(c *llms.ContentChoice) string { return strings.TrimSpace(reply.StripThinking(c.Content)) }

// history is the last turns of a conversation, as messages. Answers quote documents, so they stand behind the fence.
func history(msgs []state.Message, turns int, fence string) []llms.MessageContent {
	var out []llms.MessageContent
	for _, m := range msgs[max(0, len(msgs)-2*turns):] {
		if m.Role != "assistant" {
			out = append(out, llms.TextParts(llms.ChatMessageTypeHuman, clip(m.Content, 2000)))
			continue
		}
		out = append(out, llms.TextParts(llms.ChatMessageTypeAI, quoted(clip(m.Content, 2000), fence)))
	}
	return out
}

// clip cuts s after n runes and says so with an ellipsis.
func clip(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}

// excerpt is the text of an item for a prompt: cut at a sentence end when it is longer than limit runes, and then it says so.
func excerpt(content string, limit int) string {
	runes := []rune(content)
	if len(runes) <= limit {
		return content
	}
	head := string(runes[:limit])
	if end := lastSentenceEnd(head); end > len(head)/2 {
		head = head[:end]
	}
	return fmt.Sprintf("%s\n[cut here: %d of %d characters are shown]", strings.TrimRight(head, " \n"), len([]rune(head)), len(runes))
}

func lastSentenceEnd(s string) int {
	end := 0
	for i, r := range s {
		switch r {
		case '.', '!', '?', '\n':
			if i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n' || r == '\n' {
				end = i + 1
			}
		case '。', '！', '？':
			end = i + len(string(r))
		}
	}
	return end
}
