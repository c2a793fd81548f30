package repl

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// liveScreen is a terminal of 20 columns and 6 rows without colours.
func liveScreen() (*screen, *bytes.Buffer) {
	var out bytes.Buffer
	return &screen{live: true, out: &out, size: func() (int, int) { return 20, 6 }}, &out
}

func TestTheStatusLineGivesWayToTheAnswer(t *testing.T) {
	s, out := liveScreen()
	s.status("searching…")
	s.token("Hello")
	s.status("not while the answer grows")
	s.finish("Hello")
	assert.Equal(t, "\r\x1b[Ksearching…\r\x1b[KHello\n", out.String())
}

func TestTheStatusLineIsCutToTheWidthOfTheTerminal(t *testing.T) {
	s, out := liveScreen()
	s.status("judging a very large number of passages…")
	line := strings.TrimPrefix(out.String(), eraseLine)
	assert.Equal(t, "judging a very lar…", line)
	assert.Less(t, uniseg.StringWidth(line), 20, "the last column stays free: some terminals wrap there")
}

func TestAStatusLineIsGoneBeforeAnythingElseIsPrinted(t *testing.T) {
	for name, do := range map[string]func(*screen){
		"a line":   func(s *screen) { s.println("x") },
		"an end":   (*screen).settle,
		"a result": func(s *screen) { s.finish("x") },
	} {
		t.Run(name, func(t *testing.T) {
			s, out := liveScreen()
			s.status("searching…")
			do(s)
			assert.True(t, strings.HasPrefix(out.String(), "\r\x1b[Ksearching…\r\x1b[K"), "%q", out.String())
			assert.False(t, s.standing)
		})
	}
}

func TestAnAnswerThatStartsAgainIsTakenOffTheScreen(t *testing.T) {
	s, out := liveScreen()
	s.token("one\n")
	s.token(strings.Repeat("x", 21)) // two rows
	out.Reset()
	s.restart()
	assert.True(t, strings.HasPrefix(out.String(), "\r\x1b[2A\x1b[J("), "two rows up from the third: %q", out.String())
	assert.Contains(t, out.String(), "void")
	out.Reset()
	s.token("new")
	s.finish("new")
	assert.Equal(t, "new\n", out.String())
}

func TestAnAnswerTooLongToBeTakenOffTheScreenIsSaidToBeVoid(t *testing.T) {
	s, out := liveScreen()
	s.token(strings.Repeat("line\n", 6))
	out.Reset()
	s.restart()
	assert.NotContains(t, out.String(), "\x1b", "what has scrolled away cannot be erased")
	assert.Contains(t, out.String(), "void")
}

func TestARestartBeforeTheFirstTokenIsNothing(t *testing.T) {
	s, out := liveScreen()
	s.restart()
	assert.Empty(t, out.String())
}

func TestTheEndOfAnAnswerIsPrintedOnce(t *testing.T) {
	tests := map[string]struct{ streamed, answer, behind string }{
		"all was streamed":                   {"Yes [1].", "Yes [1].", "\n"},
		"white space at the ends is nothing": {"Yes [1]. ", "Yes [1].\n", "\n"},
		"a part was streamed":                {"Yes", "Yes [1].", " [1].\n"},
		"the check has changed it":           {"Yes [9].", "Yes.", "\r\x1b[JYes.\n"},
		"it was long and has changed":        {strings.Repeat("no\n", 8), "Yes.", "\n(this answer did not stand its check; what follows takes its place)\nYes.\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, out := liveScreen()
			s.token(tt.streamed)
			out.Reset()
			s.finish(tt.answer)
			assert.Equal(t, tt.behind, out.String())
		})
	}
}

func TestTokensMayCutCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aé漢🙂 "))).Draw(t, "text")
		s, out := liveScreen()
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			s.token(rest[:n])
			rest = rest[n:]
		}
		if out.String() != text {
			t.Fatalf("%q became %q", text, out.String())
		}
	})
}

func TestACutCharacterIsNotLostAtTheEnd(t *testing.T) {
	s, out := liveScreen()
	s.token("caf\xc3")
	s.finish("café")
	assert.Equal(t, "café\n", out.String())
}

func TestCleanLeavesNothingThatSteersATerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text")) + rapid.String().Draw(t, "more")
		for _, r := range clean(text) {
			if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\ufffe' {
				t.Fatalf("%U is left of %q", r, text)
			}
		}
		if strings.ContainsAny(cleanLine(text), "\n\t") {
			t.Fatalf("cleanLine leaves several lines of %q", text)
		}
	})
}

func TestRowsCountsWrappedAndWideLines(t *testing.T) {
	for text, want := range map[string]int{
		"":                      1,
		"1234567890":            1, // as wide as the screen: the cursor waits in the last column
		"12345678901":           2,
		"1234567890\n":          2,
		"a\nb\n":                3,
		"漢漢漢漢漢":                 1,
		"漢漢漢漢漢漢":                2,
		"a漢漢漢漢漢":                2, // a wide character does not fit into the last column
		"\n\n12345678901234567": 4,
	} {
		assert.Equal(t, want, rows(text, 10), "%q", text)
	}
}

func TestCutFitsTheWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab漢é🙂 "))).Draw(t, "text")
		width := rapid.IntRange(1, 12).Draw(t, "width")
		if got := cut(text, width); uniseg.StringWidth(got) > width {
			t.Fatalf("cut(%q, %d) is %q", text, width, got)
		}
	})
}

func TestThereAreNoColoursWithoutATerminalOrWhenNobodyWantsThem(t *testing.T) {
	for name, want := range map[string]struct {
		cfg   Config
		color bool
	}{
		"a terminal":          {Config{Interactive: true}, true},
		"a colourless one":    {Config{Interactive: true, NoColor: true}, false},
		"no terminal":         {Config{}, false},
		"none and colourless": {Config{NoColor: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := newScreen(want.cfg).paint(red, "x")
			assert.Equal(t, want.color, strings.Contains(got, "\x1b"))
		})
	}
}

func TestHelpNamesEveryCommandInEightyColumns(t *testing.T) {
	got := converse(t, "/help\n", nil)
	require.NoError(t, got.end)
	golden := filepath.Join("testdata", "help.txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, []byte(got.out), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got.out)
	for _, c := range commands() {
		for _, name := range append(c.aliases, c.name, c.takes) {
			assert.Contains(t, got.out, name)
		}
	}
	for _, line := range strings.Split(got.out, "\n") {
		assert.LessOrEqual(t, uniseg.StringWidth(line), 80, line)
	}
}
