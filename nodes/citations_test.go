package nodes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/state"
)

func passage(line int, content string) state.Evidence {
	return state.Evidence{ID: "p", Path: "a.md", StartLine: line, EndLine: line + strings.Count(content, "\n"), Content: content}
}

func TestCite(t *testing.T) {
	items := []state.Evidence{
		passage(5, "Logs are rotated every night.\nThey are kept\nfor seven days."),
		passage(1, "Bread is baked in the morning."),
	}
	t.Run("the quote is the sentence that shares most with the claim, at its own lines", func(t *testing.T) {
		c := cite("They are kept for a week, that is seven days [1].", items)
		require.Len(t, c.citations, 1)
		assert.Equal(t, state.Citation{N: 1, Path: "a.md", StartLine: 6, EndLine: 7, Quote: "They are kept\nfor seven days.", ItemID: "p"}, c.citations[0])
	})
	t.Run("two markers of one claim are two sources", func(t *testing.T) {
		c := cite("Both happen daily [1][2].", items)
		assert.Len(t, c.citations, 2)
		assert.Equal(t, "Both happen daily [1][2].", c.text)
	})
	t.Run("a list in one marker is two sources", func(t *testing.T) {
		c := cite("Both happen daily [1, 2].", items)
		assert.Len(t, c.citations, 2)
		assert.Equal(t, "Both happen daily [1][2].", c.text)
	})
	t.Run("a marker that cites nothing goes, the valid one beside it stays", func(t *testing.T) {
		c := cite("Daily [2, 7] and never [0].", items)
		assert.Equal(t, "Daily [2] and never.", c.text)
		assert.Len(t, c.faults, 2)
	})
	t.Run("markers in code are text", func(t *testing.T) {
		for _, text := range []string{"Use `a[9]` here.", "```\na[9]\n```\n", "``x ` [9]`` y"} {
			c := cite(text, items)
			assert.Equal(t, text, c.text)
			assert.Empty(t, c.faults)
		}
	})
	t.Run("a backtick that is never closed ends with its line", func(t *testing.T) {
		c := cite("It`s daily.\nBread is baked [9].", items)
		assert.Equal(t, "It`s daily.\nBread is baked.", c.text)
	})
	t.Run("a quotation must stand in the passage, white space aside", func(t *testing.T) {
		good := cite(`It says "They are kept for seven days." [1]`, items)
		assert.Empty(t, good.faults)
		assert.Equal(t, 6, good.citations[0].StartLine)
		bad := cite(`It says "They are kept for eight days." [1]`, items)
		assert.Len(t, bad.faults, 1)
		assert.Empty(t, bad.citations)
	})
}

func TestEveryCitationStandsVerbatimAtItsLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"logs", "rotate", "night", "die", "日志", "轮转", "a.", "b!", "\n", "\n\n", "# h", "- x", "`c`"})
		content := strings.Join(rapid.SliceOfN(word, 1, 30).Draw(t, "content"), " ")
		answer := strings.Join(rapid.SliceOfN(rapid.OneOf(word, rapid.SampledFrom([]string{"[1]", "[2]", "[1,2]", "[9]"})), 1, 20).Draw(t, "answer"), " ")
		file := "first\n" + content
		items := []state.Evidence{passage(2, content), passage(2, content)}
		lines := strings.Split(file, "\n")
		for _, c := range cite(answer, items).citations {
			require.Contains(t, content, c.Quote)
			require.Contains(t, strings.Join(lines[c.StartLine-1:c.EndLine], "\n"), c.Quote)
		}
	})
}

func TestVerbatimTreatsAnyWhiteSpaceAlike(t *testing.T) {
	start, end, ok := verbatim("x  one\n\ttwo y", "one two")
	assert.True(t, ok)
	assert.Equal(t, "one\n\ttwo", "x  one\n\ttwo y"[start:end])
	for _, quote := range []string{"", "  ", "one three", "ne two y z"} {
		_, _, ok := verbatim("x one two y", quote)
		assert.False(t, ok, quote)
	}
	_, _, ok = verbatim("onetwo", "one two")
	assert.False(t, ok, "words that are glued together are other words")
}

// What is streamed is what the answer says, however the stream is cut into pieces.
func TestTheStreamShowsTheAnswerHoweverItIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{
			"word ", "[1]", "[9]", "[", "]", "[1, 9]", "`a[9]`", "4111 1111 1111 1111", "4111111111111111", "12", " ", "\n", "- ", "轮转",
		})
		text := strings.Join(rapid.SliceOf(part).Draw(t, "text"), "")
		if rapid.Bool().Draw(t, "long") { // long enough to be settled on the way
			text = strings.Repeat("many words and ", rapid.IntRange(1, 300).Draw(t, "words")) + text + "\n\n" + strings.Repeat("more [1] ", 40) + text
		}
		thinking := rapid.SampledFrom([]string{"", "<think>is it [1]?</think>", "\n<thinking>4111</thinking>\n", "a lone end</think>", "<Thought>x</thought>"}).Draw(t, "thinking")
		whole := streamed(2, []string{thinking + text})
		var pieces []string
		for rest := thinking + text; rest != ""; {
			n := rapid.IntRange(1, min(len(rest), 400)).Draw(t, "cut")
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		assert.Equal(t, whole, streamed(2, pieces))
		assert.NotContains(t, whole, "think")
	})
}

func streamed(items int, pieces []string) string {
	var out strings.Builder
	f := newTokenFilter(items, func(event any) {
		switch e := event.(type) {
		case Token:
			out.WriteString(e.Text)
		case Restart:
			out.Reset()
		}
	})
	for _, p := range pieces {
		f.write(p)
	}
	f.flush()
	return out.String()
}

func TestAnUnfinishedThoughtIsNeverShown(t *testing.T) {
	assert.Empty(t, streamed(1, []string{"<thi", "nk>a secret"}))
	assert.Equal(t, "a < b", streamed(1, []string{"a ", "< b"}))
	assert.Equal(t, "the answer", streamed(1, []string{"thoughts ", "without a begin", "</th", "ink>the ", "answer"}))
}
