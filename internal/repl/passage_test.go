package repl

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const keysFile = "# Keys\n\nAbout keys.\n" + // its passage stands at lines 40 to 44
	"%s## Rotation\n\nRun `rotate`\nonce a month.\nCard 4111 1111 1111 1111.\n\nSee also the faq.\nlast but one\nlast\n"

// keysText is the file that the scripted answer cites.
func keysText() string { return strings.Replace(keysFile, "%s", strings.Repeat("\n", 36), 1) }

func TestAPassageIsShownInItsFile(t *testing.T) {
	h := newAround()
	h.texts["guide/keys.md"] = keysText()
	got := converse(t, "how?\n/sources 1\n", func(c *Config) { c.Host = h })
	require.NoError(t, got.end)
	assert.Contains(t, got.out, `[1] guide/keys.md:L40-L44  Keys > Rotation
  37 |
  38 |
  39 |
  40 | ## Rotation
  41 |
> 42 | Run `+"`rotate`"+`
> 43 | once a month.
  44 | Card **** **** **** 1111.
  45 |
  46 | See also the faq.
  47 | last but one
`)
	assert.NotContains(t, got.out, "note:")
}

func TestAFileThatHasChangedSinceIsNotShownAsTheSource(t *testing.T) {
	for name, text := range map[string]string{"changed": strings.Replace(keysText(), "month", "year", 1), "shorter": "# Keys\n"} {
		h := newAround()
		h.texts["guide/keys.md"] = text
		got := converse(t, "how?\n/sources 1\n/sources 2\n", func(c *Config) { c.Host = h })
		require.NoError(t, got.end, name)
		assert.Contains(t, got.out, "> 43 | once a month.\n  44 | Card **** **** **** 1111.\nnote: the file has changed since; this is the passage as it was found\n", name)
		assert.Equal(t, 2, strings.Count(got.out, "note: the file"), "the other one is not in the index any more")
		assert.NotContains(t, got.out, "year", name)
	}
}

func TestAnIndexThatCannotBeReadIsAnErrorOfSources(t *testing.T) {
	h := newAround()
	h.broken = errors.New("disk on fire")
	got := converse(t, "how?\n/sources 1\n", func(c *Config) { c.Host = h })
	require.ErrorIs(t, got.end, ErrFailed)
	assert.Equal(t, "error: disk on fire\n", got.err)
}

// colouredSession is one on a terminal whose output is kept.
func colouredSession(h Host, links bool) (*session, *bytes.Buffer) {
	var out bytes.Buffer
	a := newScripted()
	a.keep("first", answeredState("How often do I rotate?"))
	return newSession(Config{Agent: a, Host: h, Out: &out, Err: &out, Interactive: true, Links: links, Thread: "first"}), &out
}

func TestTheWordsOfTheQuestionAreHighlightedInThePassage(t *testing.T) {
	h := newAround()
	h.texts["guide/keys.md"] = keysText()
	s, out := colouredSession(h, false)
	require.NoError(t, s.sources(t.Context(), "1"))
	assert.Contains(t, out.String(), "> 42 | \x1b[1mRun `\x1b[0m\x1b[1;33mrotate\x1b[0m\x1b[1m`\x1b[0m\n")
	assert.Contains(t, out.String(), "  40 | ## Rotation\n", "another word")
	assert.Contains(t, out.String(), "  \x1b[2m46\x1b[0m | \x1b[2mSee also the faq.\x1b[0m\n", "what is around the passage")
}

func TestCitationsAreHyperlinksWhereTheTerminalOpensThem(t *testing.T) {
	h := newAround()
	h.texts["guide/keys.md"] = keysText()
	s, out := colouredSession(h, true)
	require.NoError(t, s.sources(t.Context(), ""))
	host, err := os.Hostname()
	require.NoError(t, err)
	assert.Equal(t, "\x1b[36m[1]\x1b[0m \x1b]8;;file://"+host+"/kb/guide/keys.md#L42\x1b\\guide/keys.md:L42-L43\x1b]8;;\x1b\\\n\x1b[36m[2]\x1b[0m faq.md:L7-L7\n", out.String())
	assert.Equal(t, "[1] guide/keys.md:L42-L43\n[2] faq.md:L7-L7\n", unstyled(out.String()))
}

func TestCitationsNameTheFileWhereTheTerminalOpensNoHyperlinks(t *testing.T) {
	h := newAround()
	h.texts["guide/keys.md"] = keysText()
	s, out := colouredSession(h, false)
	require.NoError(t, s.sources(t.Context(), ""))
	assert.Equal(t, "[1] guide/keys.md:L42-L43  /kb/guide/keys.md:42\n[2] faq.md:L7-L7\n", unstyled(out.String()))
}

func TestAFileIsNamedFromTheWorkingDirectory(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	assert.Equal(t, filepath.Join("a", "b.md"), nearPath(filepath.Join(here, "a", "b.md")))
	assert.Equal(t, filepath.Join(filepath.Dir(here), "b.md"), nearPath(filepath.Join(filepath.Dir(here), "b.md")))
}

func TestAnAddressOfALinkCannotSteerTheTerminal(t *testing.T) {
	for _, file := range []string{"/a b/\x1b]0;x\a\u202e.md", "https://example.org/\x1b\\x", "https://%zz", "C:/notes/a.md"} {
		link := hyperlink(target(file, 3), "text")
		assert.Equal(t, 4, strings.Count(link, "\x1b"), "%q", link)
		assert.NotContains(t, link, "\a")
		assert.Equal(t, "text", unstyled(link))
	}
	assert.Contains(t, target("C:/notes/a.md", 3), "/C:/notes/a.md#L3")
}
