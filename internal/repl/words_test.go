package repl

import (
	"bytes"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listened is a conversation of somebody who listens to a screen reader, on a terminal.
func listened(t *testing.T, input string, change func(*Config)) said {
	t.Helper()
	return converse(t, input, func(c *Config) {
		c.Interactive, c.Plain, c.Banner = true, true, []string{"kbagent test"}
		if change != nil {
			change(c)
		}
	})
}

func TestAListenerHearsWhatGoesOnAndWordsInsteadOfSymbols(t *testing.T) {
	got := listened(t, "markdown warned\n/history\n/threads\n/sources 1\n", nil)
	require.NoError(t, got.end)
	assert.Equal(t, `kbagent test

Question: Understanding the question.
Planning the search.
Searching.
Judging 2 passages.
Writing the answer.
Keys

Rotate it [1].

Source 1: guide/keys.md, lines 42 to 43.
Source 2: faq.md, line 7.

Question: No question was asked on this thread yet.
Question: (this) first  empty
Question: Source 1: guide/keys.md, lines 40 to 44. Keys > Rotation
Line 40: ## Rotation
Line 41:
Line 42, quoted: Run `+"`rotate`"+`
Line 43, quoted: once a month.
Line 44: Card **** **** **** 1111.
Question: `, got.out)
}

func TestAListenerHearsNoEscapeCodes(t *testing.T) {
	got := listened(t, "restart\ncorrected\nevil\n/graph\n/why\n/why picture\n/help\n/compare\nfail\n", nil)
	require.NoError(t, got.end, "errors were told already")
	assert.NotContains(t, got.out+got.err, "\x1b")
	assert.NotContains(t, got.out, "VOID")
	assert.Contains(t, got.out, "Path: analyze_and_route then plan then tool_call")
	assert.NotContains(t, got.out, "Tab completes")
	assert.Contains(t, got.err, "error: the model at http://127.0.0.1:1 does not answer\n")
}

func TestAListenerDoesNotHearEveryFileThatIsIndexed(t *testing.T) {
	h := newAround()
	got := listened(t, "/index notes\n", func(c *Config) { c.Host = h })
	require.NoError(t, got.end)
	assert.Contains(t, got.out, "Question: Indexing.\n2 indexed")
}

// reacting is an output that does something when a text is written to it.
type reacting struct {
	text bytes.Buffer
	to   string
	do   func()
}

func (r *reacting) Write(p []byte) (int, error) {
	n, err := r.text.Write(p)
	if bytes.Contains(p, []byte(r.to)) {
		r.do()
	}
	return n, err
}

func TestAListenersCtrlCStopsTheTurnAndTheConversationGoesOn(t *testing.T) {
	signals := make(chan os.Signal, 1)
	out := &reacting{to: "Searching.", do: sync.OnceFunc(func() { signals <- os.Interrupt })}
	got := listened(t, "hang on\nhow?\n", func(c *Config) { c.Signals, c.Out = signals, out })
	require.NoError(t, got.end)
	assert.Contains(t, out.text.String(), "Searching.\nCancelling.\nCancelled. Ask the same question again to go on where it stopped.\nQuestion: Understanding")
	assert.Contains(t, out.text.String(), "Source 1")
}

func TestPlainWithoutATerminalAsksNothing(t *testing.T) {
	got := converse(t, "how?\n", func(c *Config) { c.Plain = true })
	require.NoError(t, got.end)
	assert.Equal(t, "Rotate it [1] before it expires [2].\n\nSource 1: guide/keys.md, lines 42 to 43.\nSource 2: faq.md, line 7.\n", got.out)
}
