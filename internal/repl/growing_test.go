package repl

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/internal/termtest"
)

// The size of the terminals of these tests.
const vtWidth, vtHeight = 80, 24

// wideScreen is a terminal with colours, and what it shows.
func wideScreen() (*screen, func() string) { return screenOf(vtHeight) }

// screenOf is one of a height.
func screenOf(height int) (*screen, func() string) {
	var out bytes.Buffer
	s := &screen{live: true, color: true, out: &out, size: func() (int, int) { return vtWidth, height }}
	v := termtest.NewScreen(vtWidth, height)
	return s, func() string {
		v.Write(strings.ReplaceAll(out.String(), "\n", "\r\n"))
		out.Reset()
		return v.Text()
	}
}

func TestAFinishedBlockIsRenderedWhileTheNextOneGrows(t *testing.T) {
	s, shown := wideScreen()
	s.token("# Keys\n\n**Ro")
	assert.Equal(t, "Keys\n\n**Ro", shown())
	s.token("tate** it.\n\n- o")
	assert.Equal(t, "Keys\n\nRotate it.\n\n- o", shown())
	s.token("ne\n- `two`")
	s.finish("# Keys\n\n**Rotate** it.\n\n- one\n- `two` [1]")
	assert.Equal(t, "Keys\n\nRotate it.\n\n- one\n- two [1]", shown())
}

func TestARenderedAnswerThatDoesNotStandItsCheckIsTakenOffTheScreen(t *testing.T) {
	for name, end := range map[string]func(*screen){"restart": (*screen).restart, "finish": func(s *screen) { s.finish("I **don't** know.") }} {
		s, shown := wideScreen()
		s.println("> how?")
		s.token("# Keys\n\n" + strings.Repeat("**long** ", 30) + "\n\nmore " + strings.Repeat("and more ", 12))
		assert.Contains(t, shown(), "Keys")
		end(s)
		got := shown()
		assert.NotContains(t, got, "Keys", name)
		assert.NotContains(t, got, "more", name)
		assert.True(t, strings.HasPrefix(got, "> how?\n(the model failed") || got == "> how?\nI don't know.", got)
	}
}

func TestABlockThatHasScrolledAwayStaysAsItCame(t *testing.T) {
	s, shown := wideScreen()
	long := strings.Repeat("*line*\\\n", vtHeight+3) + "end"
	s.token(long + "\n\n**n")
	assert.Contains(t, shown(), "*line*")
	s.token("ext**")
	s.finish(long + "\n\n**next**")
	got := shown()
	assert.Equal(t, vtHeight+3, strings.Count(got, "*line*"), "once")
	assert.True(t, strings.HasSuffix(got, "end\n\nnext"), got)
}

// Whatever comes in whatever pieces, the end is as if it had come at once, on a screen that holds all of it.
func TestAnAnswerLooksTheSameHoweverItCame(t *testing.T) {
	pieces := []string{"word ", "**bold** ", "`code` ", "漢字", "\n", "\n\n", "- item\n", "# Head\n\n", "```\ncode\n```\n\n", "[1] "}
	rapid.Check(t, func(t *rapid.T) {
		answer := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 12).Draw(t, "answer"), "")
		if strings.TrimSpace(answer) == "" {
			return
		}
		s, shown := screenOf(500)
		for rest := answer; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			s.token(rest[:n])
			rest = rest[n:]
		}
		s.finish(answer)
		got := shown()
		want, at := screenOf(500)
		want.finish(answer)
		if whole := at(); strings.TrimLeft(got, "\n") != whole {
			t.Fatalf("%q in pieces shows\n%s\nat once\n%s", answer, got, whole)
		}
	})
}

func TestWithoutATerminalMarkdownStaysAsItIs(t *testing.T) {
	got := converse(t, "markdown please\n", nil)
	require.NoError(t, got.end)
	assert.Equal(t, "# Keys\n\n**Rotate** it [1].\n\n[1] guide/keys.md:L42-L43\n[2] faq.md:L7-L7\n", got.out)
}
