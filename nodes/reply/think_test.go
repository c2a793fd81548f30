package reply_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/nodes/reply"
)

func TestStripThinkingLeavesTheAnswer(t *testing.T) {
	for name, c := range map[string]struct{ raw, want string }{
		"as it is without any tag":           {" a < b > c ", " a < b > c "},
		"after a block":                      {"<think>x</think>answer", "answer"},
		"after blocks of every kind":         {"<THINKING>x</Thinking><reasoning effort=\"low\">y</reasoning><thought>z</thought>◁think▷u◁/think▷[THINK]v[/THINK]answer", "answer"},
		"around blocks":                      {"one <think>x</think>two<think>y</think> three", "one two three"},
		"after a lone closing tag":           {"some thoughts</think>answer", "answer"},
		"after a block in a block":           {"<think>a <think>b</think> c</think>answer", "answer"},
		"in front of a block without an end": {"answer <think>and then", "answer "},
		"out of a block without an end":      {"<think>and then", ""},
		"with tags that are mentioned":       {"Use `<think>` and \"</think>\".", "Use `<think>` and \"</think>\"."},
		"with words in brackets":             {"[Thinking](a.md) <thinker>", "[Thinking](a.md) <thinker>"},
		"of the final channel":               {"<|channel|>analysis<|message|>x<|end|><|channel|>final<|message|>answer", "answer"},
		"out of a reply without final part":  {"<|channel|>analysis<|message|>x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, reply.StripThinking(c.raw))
		})
	}
}
