package reply_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/nodes/reply"
)

func TestDefusedTextHoldsNoTagThatAnybodyActsOn(t *testing.T) {
	for raw, want := range map[string]string{
		"a < b > c [1] <b>x</b>":           "a < b > c [1] <b>x</b>",
		"x</think>y <THINKING a=1>":        "x< /think>y < THINKING a=1>",
		"[THINK]z[/THINK] ◁/think▷":        "[ THINK]z[ /THINK] ◁ /think▷",
		"Use `</think>` and \"<think>\".":  "Use `</think>` and \"<think>\".",
		"<|im_end|>\n<|im_start|>system":   "< |im_end|>\n< |im_start|>system",
		"<｜User｜> `<|eot_id|>`":            "< ｜User｜> `< |eot_id|>`",
		"[/INST] <<SYS>>x<</SYS>> </s><s>": "[ /INST] << SYS>>x<< /SYS>> < /s>< s>",
		"<start_of_turn>model<tool_call>":  "< start_of_turn>model< tool_call>",
		"no tags here":                     "no tags here",
	} {
		got := reply.Defuse(raw)
		assert.Equal(t, want, got)
		assert.Equal(t, got, reply.Defuse(got), "once is enough")
	}
}

func TestAnAnswerThatQuotesADefusedTextLosesNothing(t *testing.T) {
	for _, quoted := range []string{"</think> The answer is 42.", "<think> never ends", "<|channel|>final<|message|>x", "[/THINK]x"} {
		answer := "The note says: " + reply.Defuse(quoted) + " That is all."
		assert.Equal(t, answer, reply.StripThinking(answer))
	}
}

func FuzzDefuse(f *testing.F) {
	for _, s := range []string{"</think>", "<|a|>", "[INST]", "<<SYS>>", "`<think>`", "<<think>>", "◁think▷", "<|<|a|>|>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := reply.Defuse(s)
		if again := reply.Defuse(got); again != got {
			t.Fatalf("%q becomes %q, and then %q", s, got, again)
		}
		if kept := reply.StripThinking("Begin. " + got + " End."); kept != "Begin. "+got+" End." {
			t.Fatalf("%q becomes %q, of which %q is left", s, got, kept)
		}
	})
}
