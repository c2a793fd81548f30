package repl

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/state"
)

// said is what a conversation without a terminal came to.
type said struct {
	out, err string
	end      error
	agent    *scripted
}

// converse holds a conversation without a terminal.
func converse(t *testing.T, input string, change func(*Config)) said {
	t.Helper()
	var out, errs bytes.Buffer
	a := newScripted()
	ids := 0
	cfg := Config{
		Agent: a, In: strings.NewReader(input), Out: &out, Err: &errs, Thread: "first",
		NewThread: func() string { ids++; return "new" + strings.Repeat("r", ids) },
	}
	if change != nil {
		change(&cfg)
	}
	end := Run(t.Context(), cfg)
	return said{out: out.String(), err: errs.String(), end: end, agent: a}
}

const rotated = `Rotate it [1] before it expires [2].

[1] guide/keys.md:L42-L43
[2] faq.md:L7-L7
`

func TestWithoutATerminal(t *testing.T) {
	tests := map[string]struct{ input, out, err, end string }{
		"an answer comes with its sources and nothing else":                {input: "how?\n", out: rotated},
		"the last line needs no line feed":                                 {input: "how?", out: rotated},
		"a carriage return is no part of a question":                       {input: "how?\r\n", out: rotated},
		"empty lines are nothing":                                          {input: "\n  \n\t\r\n"},
		"no input is no conversation":                                      {input: ""},
		"answers are apart from each other":                                {input: "how?\n\nhow?\n", out: rotated + "\n" + rotated},
		"warnings follow the sources":                                      {input: "warned", out: rotated + "\nnote: no model wrote this answer: it quotes the passages that fit the question best\n"},
		"an answer that was started again is printed once":                 {input: "restart", out: rotated},
		"an answer that did not stand its check is not printed":            {input: "corrected", out: state.DefaultAbstention + "\n"},
		"a document cannot steer the terminal":                             {input: "evil", out: "a[2Jbcd\n\n[1] guide/keys.md:L42-L43\n[2] faq.md:L7-L7\n\nnote: w]0;xw\n"},
		"an error is told and the next line goes on":                       {input: "fail\nhow?\n", out: rotated, err: "error: the model at http://127.0.0.1:1 does not answer\n", end: "not everything worked: 1 of 2 lines failed"},
		"an error says what to do":                                         {input: "fenced", err: "error: another conversation has taken this thread; ask again, or start another thread with /new\n", end: "not everything worked: 1 of 1 lines failed"},
		"an agent that says nothing has failed":                            {input: "silent", err: "error: the agent gave no answer\n", end: "not everything worked: 1 of 1 lines failed"},
		"the input ends with /quit":                                        {input: "/quit\nhow?\n"},
		"the input ends with /exit":                                        {input: "/exit\nhow?\n"},
		"the input ends with :q":                                           {input: ":q\nhow?\n"},
		"a failure before /quit is still a failure":                        {input: "fail\n/quit\n", err: "error: the model at http://127.0.0.1:1 does not answer\n", end: "not everything worked: 1 of 2 lines failed"},
		"an unknown command names the nearest":                             {input: "/soruces", err: "error: there is no command /soruces; did you mean /sources?\n", end: "not everything worked: 1 of 1 lines failed"},
		"an unknown command that is near to none names the help":           {input: "/etc/passwd is what?", err: "error: there is no command /etc/passwd; /help lists the commands\n", end: "not everything worked: 1 of 1 lines failed"},
		"a question may start with a slash behind a space":                 {input: " /etc/passwd is what?", out: rotated},
		"a command that takes nothing says so":                             {input: "/graph all", err: "error: /graph takes no argument, for example: /graph\n", end: "not everything worked: 1 of 1 lines failed"},
		"/mode refuses other modes and says which there are":               {input: "/mode lax", err: "error: /mode takes strict, best_effort or open, for example: /mode strict\n", end: "not everything worked: 1 of 1 lines failed"},
		"/mode alone says the mode":                                        {input: "/mode", out: "Mode: as configured (/mode strict, best_effort or open changes it).\n"},
		"/thread refuses two names":                                        {input: "/thread a b", err: "error: /thread takes nothing or the name of one thread, for example: /thread q3k7\n", end: "not everything worked: 1 of 1 lines failed"},
		"/thread alone marks the present one":                              {input: "/thread", out: "* first  empty\n"},
		"/thread of a name that nobody used starts it":                     {input: "/thread other\n/thread", out: "New thread other.\n\n* other  empty\n"},
		"/thread of a known name tells its last question":                  {input: "how?\n/new\n/thread first", out: rotated + "\nNew thread newr.\n\nThread first. Last question: how?\n"},
		"/history of a thread that nobody used says so":                    {input: "/history", out: "No question was asked on this thread yet.\n"},
		"/fork wants a number":                                             {input: "/fork back", err: "error: /fork takes the number of a step, for example: /fork 3\n", end: "not everything worked: 1 of 1 lines failed"},
		"/fork wants a number that there is":                               {input: "/fork 3", err: "error: there is no step 3; /history lists the steps\n", end: "not everything worked: 1 of 1 lines failed"},
		"/resume of a run that waits tells what it waits for":              {input: "/resume", out: "The agent asks: Publish it?\n/resume followed by the answer goes on.\n"},
		"/resume with an answer goes on":                                   {input: "/resume yes", out: rotated},
		"/resume of several questions names the command that takes them":   {input: "/thread two\n/resume", out: "New thread two.\n\nThe agent asks: Publish it?\nThe run has stopped before send.\n`kbagent resume two` goes on; it takes an answer for each question.\n"},
		"/sources lists the sources":                                       {input: "how?\n/sources", out: rotated + "\n[1] guide/keys.md:L42-L43\n[2] faq.md:L7-L7\n"},
		"/sources before a question has none":                              {input: "/sources", out: "No question was asked on this thread yet.\n"},
		"/sources of an answer without sources says so":                    {input: "corrected\n/sources", out: state.DefaultAbstention + "\n\nThe last answer cites no source.\n"},
		"/sources of a number that is not there names those that are":      {input: "how?\n/sources 7", out: rotated, err: "error: there is no source [7]; the last answer cites [1], [2]\n", end: "not everything worked: 1 of 2 lines failed"},
		"/sources of no number says what it takes":                         {input: "how?\n/sources all", out: rotated, err: "error: /sources takes nothing or the number of a source, for example: /sources 2\n", end: "not everything worked: 1 of 2 lines failed"},
		"/sources of one numbers its lines, marks the quote, masks a card": {input: "how?\n/sources 1", out: rotated + "\n[1] guide/keys.md:L40-L44  Keys > Rotation\n  40 | ## Rotation\n  41 |\n> 42 | Run `rotate`\n> 43 | once a month.\n  44 | Card **** **** **** 1111.\n"},
		"/sources takes a number in brackets":                              {input: "how?\n/sources [2]", out: rotated + "\n[2] faq.md:L7-L7\n> 7 | Keys expire.\n"},
		"/why before a question says so":                                   {input: "/why", out: "No question was asked on this thread yet.\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := converse(t, tt.input, nil)
			assert.Equal(t, tt.out, got.out)
			assert.Equal(t, tt.err, got.err)
			if tt.end == "" {
				require.NoError(t, got.end)
				return
			}
			require.ErrorIs(t, got.end, ErrFailed)
			assert.EqualError(t, got.end, tt.end)
		})
	}
}

func TestQuestionsGoToTheThreadAndTheModeThatWereChosen(t *testing.T) {
	got := converse(t, "one\n/new\ntwo\n/mode strict\nthree\n/thread first\nfour\n", func(c *Config) { c.Mode = state.ModeOpen })
	require.NoError(t, got.end)
	var asked []string
	for _, q := range got.agent.questions() {
		asked = append(asked, strings.Join([]string{q.Text, q.Thread, string(q.Mode)}, " "))
	}
	assert.Equal(t, []string{"one first open", "two newr open", "three newr strict", "four first strict"}, asked)
}

func TestAConversationWithoutANameGetsANewOne(t *testing.T) {
	got := converse(t, "one", func(c *Config) { c.Thread, c.NewThread = "", nil })
	require.NoError(t, got.end)
	assert.Len(t, got.agent.questions()[0].Thread, 12)
}

func TestALineOfAnyLengthIsOneQuestion(t *testing.T) {
	long := "how " + strings.Repeat("very ", 1<<20) + "long?"
	got := converse(t, long+"\n", nil)
	require.NoError(t, got.end)
	require.Len(t, got.agent.questions(), 1)
	assert.Equal(t, long, got.agent.questions()[0].Text)
}

func TestWhyExplainsTheLastRun(t *testing.T) {
	got := converse(t, "how?\n/why\n", nil)
	require.NoError(t, got.end)
	why, _ := strings.CutPrefix(got.out, rotated)
	assert.Contains(t, why, "Question: how?")
	assert.Contains(t, why, "by the rule few_context")
	assert.Contains(t, why, "Path: analyze_and_route → plan → tool_call → grade_evidence → synthesize")
}

func TestGraphMarksTheWayOfTheLastRunAndNoOtherOutcome(t *testing.T) {
	got := converse(t, "/graph\nhow?\n/graph\n", nil)
	require.NoError(t, got.end)
	before, after, _ := strings.Cut(got.out, rotated)
	assert.NotContains(t, before, "=", "no run, no way")
	a := newScripted()
	way := a.Topology().Highlight(a.Topology().Edges[0], a.Topology().Edges[1], a.Topology().Edges[4],
		a.Topology().Edges[5], a.Topology().Edges[6], a.Topology().Edges[9])
	assert.Equal(t, "\n"+way.ASCII()+"\n=> is the way of the last run.\n", after)
}

func TestThreadsAreListedWithThePresentOneMarked(t *testing.T) {
	got := converse(t, "/thread\n/thread b\n/thread\n", func(c *Config) {
		c.Threads = func(context.Context) ([]string, error) { return []string{"a\x1b", "b"}, nil }
	})
	require.NoError(t, got.end)
	assert.Equal(t, "* first  empty\n  a      empty\n  b      empty\n\nNew thread b.\n\n  a  empty\n* b  empty\n", got.out)
}

func TestThreadsThatCannotBeListedAreAnError(t *testing.T) {
	got := converse(t, "/thread\n", func(c *Config) {
		c.Threads = func(context.Context) ([]string, error) { return nil, errors.New("disk on fire") }
	})
	require.ErrorIs(t, got.end, ErrFailed)
	assert.Equal(t, "error: list the threads: disk on fire\n", got.err)
}

func TestAStateThatCannotBeReadIsAnErrorOfEachCommandThatNeedsIt(t *testing.T) {
	for _, line := range []string{"/why", "/sources", "/graph", "/thread x"} {
		t.Run(line, func(t *testing.T) {
			got := converse(t, line, func(c *Config) { c.Agent.(*scripted).broken = state.ErrNewerVersion })
			require.ErrorIs(t, got.end, ErrFailed)
			assert.Contains(t, got.err, "a newer version of kbagent wrote this thread")
		})
	}
}

func TestCtrlCDuringAQuestionEndsAConversationWithoutATerminal(t *testing.T) {
	signals := make(chan os.Signal, 1)
	signals <- os.Interrupt
	got := converse(t, "hang on\nhow?\n", func(c *Config) { c.Signals = signals })
	require.ErrorIs(t, got.end, ErrInterrupted)
	assert.Empty(t, got.out)
}

func TestCtrlCWhileTheInputIsSilentEndsAConversationWithoutATerminal(t *testing.T) {
	signals := make(chan os.Signal, 1)
	silent, never := io.Pipe()
	defer never.Close()
	signals <- os.Interrupt
	got := converse(t, "", func(c *Config) { c.In, c.Signals = silent, signals })
	require.ErrorIs(t, got.end, ErrInterrupted)
}

func TestTheEndOfTheContextEndsTheConversation(t *testing.T) {
	cause := errors.New("shutting down")
	for name, input := range map[string]string{"while it waits": "", "during a question": "hang on\n"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			in, write := io.Pipe()
			defer write.Close()
			end := make(chan error)
			a := newScripted()
			go func() {
				end <- Run(ctx, Config{Agent: a, In: in, Out: io.Discard, Err: io.Discard})
			}()
			if input != "" {
				_, err := io.WriteString(write, input)
				require.NoError(t, err)
			}
			cancel(cause)
			require.ErrorIs(t, <-end, cause)
		})
	}
}

func TestAClosedChannelOfSignalsIsNoCtrlC(t *testing.T) {
	signals := make(chan os.Signal)
	close(signals)
	got := converse(t, "how?\n", func(c *Config) { c.Signals = signals })
	require.NoError(t, got.end)
	assert.Equal(t, rotated, got.out)
}

// brokenWriter fails as a closed pipe does.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAnOutputThatIsGoneEndsTheConversation(t *testing.T) {
	got := converse(t, "how?\nhow?\nhow?\n", func(c *Config) { c.Out = brokenWriter{} })
	require.ErrorIs(t, got.end, io.ErrClosedPipe)
	assert.Len(t, got.agent.questions(), 1)

	got = converse(t, "fail\nhow?\n", func(c *Config) { c.Err = brokenWriter{} })
	require.ErrorIs(t, got.end, io.ErrClosedPipe)
}

func TestAnInputThatBreaksIsAnError(t *testing.T) {
	in, write := io.Pipe()
	write.CloseWithError(io.ErrUnexpectedEOF)
	got := converse(t, "", func(c *Config) { c.In = in })
	require.ErrorIs(t, got.end, io.ErrUnexpectedEOF)
}

func TestAConfigWithoutItsPartsIsRefused(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.Agent = nil }, func(c *Config) { c.In = nil },
		func(c *Config) { c.Out = nil }, func(c *Config) { c.Err = nil },
	} {
		assert.Error(t, converse(t, "how?", change).end)
	}
}
