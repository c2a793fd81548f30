package repl

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// noLibrary is a knowledge base that knows nothing about its words.
type noLibrary struct{}

func (noLibrary) NamedFiles(context.Context, string) ([]string, error) { return nil, nil }
func (noLibrary) HasVectors() bool                                     { return false }
func (noLibrary) DocFreq(context.Context, []string) (map[string]int, int, error) {
	return nil, 0, nil
}

// hangingAgent is a real agent whose first search hangs until it is cancelled. hanging is closed when it does.
func hangingAgent(t testing.TB) (a *agent.Agent, hanging chan struct{}, searches *atomic.Int32) {
	hanging, searches = make(chan struct{}), new(atomic.Int32)
	search := tools.New("keyword_search", "searches", state.ScoreBM25, func(ctx context.Context, q tools.SearchArgs) (tools.Result, error) {
		if searches.Add(1) == 1 {
			close(hanging)
			<-ctx.Done()
			return tools.Result{}, ctx.Err()
		}
		const content = "Rotate the signing key once a month."
		return tools.Result{Items: []state.Evidence{{
			ID: "k", Tool: "keyword_search", Path: "keys.md", StartLine: 3, EndLine: 3, Content: content,
			RetrievalScore: 0.9, ScoreKind: state.ScoreBM25,
		}}}, nil
	})
	a, err := agent.New(agent.Config{Nodes: nodes.Config{Tools: tools.NewSet(search), Library: noLibrary{}, Audit: nodes.Discard{}}})
	require.NoError(t, err)
	return a, hanging, searches
}

func TestAQuestionThatWasCancelledGoesOnWhereItStoppedWhenItIsAskedAgain(t *testing.T) {
	a, hanging, searches := hangingAgent(t)
	signals := make(chan os.Signal, 1)
	go func() {
		<-hanging
		signals <- os.Interrupt
	}()
	const question = "When do I rotate the signing key?\n"
	cfg := Config{Agent: a, In: strings.NewReader(question), Out: io.Discard, Err: io.Discard, Thread: "t", Signals: signals}
	require.ErrorIs(t, Run(t.Context(), cfg), ErrInterrupted)

	stopped, exists, err := a.State(t.Context(), "t")
	require.NoError(t, err)
	require.True(t, exists)
	assert.Equal(t, []string{nodes.NameAnalyzeAndRoute, nodes.NamePlan}, stopped.Path, "the search was not committed")

	var out bytes.Buffer
	cfg.In, cfg.Out = strings.NewReader("/why\n"+question), &out
	require.NoError(t, Run(t.Context(), cfg))
	assert.Contains(t, out.String(), "This run is not finished: it stopped before searching.")
	assert.Contains(t, out.String(), "Rotate the signing key once a month. [1]\n\n[1] keys.md:L3-L3\n\nnote: an unfinished run of this question was resumed\n")
	assert.EqualValues(t, 2, searches.Load())

	ended, _, err := a.State(t.Context(), "t")
	require.NoError(t, err)
	assert.Len(t, ended.Path, 5, "what was committed did not run again")
}

// The way from Ctrl-C to the end of a turn: the promise is that a person gets the prompt back within 100 ms.
func BenchmarkInterrupt(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		a, hanging, _ := hangingAgent(b)
		signals := make(chan os.Signal)
		end := make(chan error)
		go func() {
			end <- Run(b.Context(), Config{
				Agent: a, In: strings.NewReader("When do I rotate the signing key?\n"), Out: io.Discard, Err: io.Discard, Signals: signals,
			})
		}()
		<-hanging
		b.StartTimer()
		signals <- os.Interrupt
		require.ErrorIs(b, <-end, ErrInterrupted)
	}
}

func TestSourcesOfAnUnfinishedRunWaitForItsEnd(t *testing.T) {
	got := converse(t, "/sources\n", func(c *Config) {
		c.Agent.(*scripted).keep("first", state.AgentState{Question: "how?", Phase: state.PhaseGrade})
	})
	require.NoError(t, got.end)
	assert.Equal(t, "The last question has no answer yet; ask it again to go on where it stopped.\n", got.out)
}

func TestAPassageThatGradingHadDroppedIsShown(t *testing.T) {
	s := answeredState("how?")
	s.Quarantined = []state.Quarantine{{Item: s.Context[1]}}
	s.Context = nil
	got := converse(t, "/sources 2\n/sources 1\n", func(c *Config) { c.Agent.(*scripted).keep("first", s) })
	require.NoError(t, got.end)
	assert.Equal(t, "[2] faq.md:L7-L7\n> 7 | Keys expire.\n\n[1] guide/keys.md:L42-L43\n> 42 | Run `rotate`\n> 43 | once a month.\n", got.out,
		"of a passage that is gone the quote is left")
}
