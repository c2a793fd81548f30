package repl

import (
	"strings"
	"testing"
	"unicode"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

const sample = "# Keys\n\nRotate the **signing key** once a *month* with `rotate --all` [1]. See <b>the</b> [guide](keys.md) &amp; 2 \\* 3.\n\n" +
	"- one\n- two\n  1. nested\n  2. more\n- ~~gone~~\n\n> quoted\n> text\n\n```sh\nrotate  --all\n\n\techo\n```\n\n" +
	"| key | age |\n|---|---:|\n| signing | 1 |\n| a `b` | 20 |\n\n---\n\n[1]: keys.md is a source.\n\nEnd  \nof it."

func TestMarkdownIsRenderedForATerminal(t *testing.T) {
	assert.Equal(t, `# Keys

Rotate the signing key once a month with
`+"`rotate --all`"+` [1]. See <b>the</b> guide
(keys.md) & 2 * 3.

- one
- two
  1. nested
  2. more
- ~~gone~~

> quoted text

sh:
    rotate  --all

        echo

key      age
───────  ───
signing  1
a `+"`b`"+`    20

────────────────────

[1]: keys.md is a source.

End
of it.`, markdown{width: 40}.render(clean(sample)))
}

func TestMarkdownHasStylesWhereThereAreColours(t *testing.T) {
	got := markdown{width: 60, color: true}.render("# A\n\n**b** *i* `c` [1] ~~s~~ ***bi***")
	assert.Equal(t, "\x1b[1mA\x1b[0m\n\n\x1b[1mb\x1b[0m \x1b[3mi\x1b[0m \x1b[36mc\x1b[0m \x1b[36m[1]\x1b[0m \x1b[9ms\x1b[0m \x1b[3;1mbi\x1b[0m", got)
}

func TestMarkdownForAListenerDrawsNothing(t *testing.T) {
	got := markdown{words: true}.render(sample)
	for _, mark := range []string{"#", "**", "`", "─", "│", "|"} {
		assert.NotContains(t, got, mark)
	}
	assert.Contains(t, got, "key: signing\nage: 1\n\nkey: a b\nage: 20", "tables are read row by row")
}

func TestATableThatIsTooWideIsToldRowByRow(t *testing.T) {
	got := markdown{width: 24}.render("| name | what it is for |\n|---|---|\n| rotate | renews the signing keys |\n")
	assert.Equal(t, "name: rotate\nwhat it is for: renews\n  the signing keys", got)
}

func TestAWordThatIsWiderThanTheScreenIsBroken(t *testing.T) {
	assert.Equal(t, "abcdefghij\nklm no", markdown{width: 10}.render("abcdefghijklm no"))
	assert.Equal(t, "漢字漢字漢\n字漢字", markdown{width: 10}.render("漢字漢字漢字漢字"))
}

func TestAnEntityCannotSteerTheTerminal(t *testing.T) {
	assert.Equal(t, "a[2Jb c", markdown{}.render("a&#27;[2Jb&#10;c"))
	assert.NotContains(t, markdown{color: true}.render("[x](java\x01script:&#27;]0;y)"), "\x1b]")
}

// letters are those of a text, in their order.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// Answers are made of pieces like these in any order; the numbers of lists may change, so there are none outside of words.
func TestNoLetterOfAnAnswerIsLostAndNoLineIsTooLong(t *testing.T) {
	pieces := []string{"word", "**bold**", "*it", "`code`", "漢字", "é🙂", "[x]", "<b>", "</div>", "|", "\n", "\n\n", " ", "- ", "> ", "# ", "    ", "\\", "&lt", "~~", "***", "***\n", "---\n"}
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "source"), "")
		width := rapid.IntRange(20, 80).Draw(t, "width")
		for _, m := range []markdown{{width: width}, {width: width, color: true}, {words: true}} {
			got := unstyled(m.render(source))
			if strings.ContainsRune(got, '\x1b') {
				t.Fatalf("%q renders as %q", source, got)
			}
			if letters(got) != letters(source) && !strings.Contains(source, "|") && !strings.Contains(source, "&lt") {
				t.Fatalf("%q renders as %q", source, got)
			}
			for line := range strings.SplitSeq(got, "\n") {
				if m.width > 0 && uniseg.StringWidth(strings.TrimLeft(line, " >│")) > width && !strings.HasPrefix(line, "    ") && !strings.Contains(source, "<") {
					t.Fatalf("%q has a line of more than %d columns: %q", source, width, line)
				}
			}
		}
	})
}

func TestABlockIsFinishedByAnEmptyLineAndALineThatDoesNotBelongToIt(t *testing.T) {
	for growing, done := range map[string]string{
		"":                                  "",
		"one":                               "",
		"one\n\n":                           "",
		"one\n\nt":                          "one\n\n",
		"one\n\ntwo\n\nthree":               "one\n\n",
		"\n\none\n\ntwo":                    "\n\none\n\n",
		"- a\n\n  more of a":                "",
		"- a\n\n- b":                        "- a\n\n",
		"```\ncode\n\nmore":                 "",
		"```\ncode\n\nmore\n```\n\nt":       "```\ncode\n\nmore\n```\n\n",
		"~~~\n```\n\nx\n~~~\n\nt":           "~~~\n```\n\nx\n~~~\n\n",
		"a ``` b\n\nc":                      "a ``` b\n\n",
		"```one line```\n\nc":               "```one line```\n\n",
		"text\n\n```\ncode that is not yet": "text\n\n",
	} {
		got, rest := finishedBlock(growing)
		assert.Equal(t, done, got, "%q", growing)
		assert.Equal(t, growing, got+rest)
	}
}

func BenchmarkMarkdown(b *testing.B) {
	for b.Loop() {
		markdown{width: 80, color: true}.render(sample)
	}
}
