package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// steady is a model that says the same whenever it is asked the same.
type steady struct{}

func (m steady) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

func (steady) GenerateContent(ctx context.Context, _ []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var opts llms.CallOptions
	for _, o := range options {
		o(&opts)
	}
	call, _ := nodes.CallFrom(ctx)
	if call.Role == nodes.RoleVerifier {
		return say(ctx, `{"verdicts":[{"claim":1,"verdict":"SUPPORTED","passage":1,"quote":"Old logs are kept for seven days","reasoning":""}],"suggested_corrections":[]}`, opts)
	}
	return say(ctx, "Old logs are kept for seven days [1].", opts)
}

// book is a review queue that holds one entry for a run.
type book struct {
	mu      sync.Mutex
	entries map[string]state.Review
}

func (b *book) Submit(_ context.Context, q nodes.ReviewRequest) (state.Review, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.entries[q.Run]
	if !ok {
		r = state.Review{ID: fmt.Sprint("v", len(b.entries)+1), Mode: q.Mode, Status: state.ReviewPending}
		b.entries[q.Run] = r
	}
	return r, nil
}

// words is a knowledge base that holds nothing but what the tools of a test find.
type words struct{}

func (words) NamedFiles(context.Context, string) ([]string, error) { return nil, nil }
func (words) HasVectors() bool                                     { return false }
func (words) DocFreq(context.Context, []string) (map[string]int, int, error) {
	return nil, 0, nil
}

// finds is a tool that finds a passage of its own for each query.
func finds(tool tools.Tool) tools.Tool {
	return tool.With(func(_ context.Context, raw json.RawMessage) (tools.Result, error) {
		content := "Old logs are kept for seven days.\n\n" + tool.Name + string(raw)
		return tools.Result{Items: []state.Evidence{{
			ID: state.EvidenceID(tool.Name, 0, len(content), content), Tool: tool.Name, Path: tool.Name + ".md", StartLine: 1, EndLine: 3, Content: content,
			EndByte: len(content), RetrievalScore: 0.9, ScoreKind: tool.ScoreKind,
		}}}, nil
	})
}

// everything is an agent whose every question is answered, corrected, looked up in the web, and sent to a person.
func everything(t *testing.T, store graph.Store, reviews nodes.Reviews, mode state.ReviewMode, newID func() string) *agent.Agent {
	settings := state.DefaultSettings()
	settings.RefineContext, settings.Verify, settings.ScoreConfidence, settings.ReviewMode = true, true, true, mode
	settings.WebSearch = state.WebIncorrect
	a, err := agent.New(agent.Config{Store: store, Settings: settings, NewID: newID, Nodes: nodes.Config{
		Tools: tools.NewSet(finds(tools.KeywordSearch(nil)), finds(tools.WebSearch(nil))), Library: words{}, Audit: nodes.Discard{}, Reviews: reviews,
		Model: &nodes.Model{LLM: steady{}}, ModelRoles: []string{nodes.RoleSynthesizer, nodes.RoleVerifier}, WebCooldown: time.Hour,
		Now: func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) },
		Measure: func(_ context.Context, s state.AgentState, _ state.Attempt) state.Components {
			value := []float64{0.5, 0.3, 0.6}[len(s.Attempts)]
			return state.Components{Relevance: &value, Grounding: &value}
		},
	}})
	require.NoError(t, err)
	return a
}

// sameRun is the id of every run: a run that died before it began is not told from another.
func sameRun() string { return "run" }

// end asks, and approves of the answer, until the run has ended.
func end(t *testing.T, next func() *agent.Agent) state.AgentState {
	t.Helper()
	for range 5 {
		a := next()
		s, _, err := a.State(t.Context(), "t")
		if err != nil {
			require.ErrorIs(t, err, graphtest.ErrInjected)
			continue
		}
		if s.Finished() { // another question would start another run
			return s
		}
		for e, err := range a.Ask(t.Context(), agent.Question{Text: longQuestion, Thread: "t"}) {
			if err != nil {
				require.ErrorIs(t, err, graphtest.ErrInjected)
				break
			}
			if e.Answer != nil {
				return e.Answer.State
			}
			if e.Questions != nil {
				err := a.Decide(t.Context(), "t", "run", state.Review{ID: "v1", Status: state.ReviewApproved, Reviewer: "ann"})
				if err != nil {
					require.ErrorIs(t, err, graphtest.ErrInjected)
				}
				break
			}
		}
	}
	t.Fatal("the run has no end")
	return state.AgentState{}
}

// failOnce is a store whose n-th call fails, and no other: the process goes on.
func failOnce(store graph.Store, n int, when graphtest.Verdict) graph.Store {
	return graphtest.Faulty(store, func(op graphtest.Op) graphtest.Verdict {
		if op.N == n {
			return when
		}
		return graphtest.Pass
	})
}

// A death is a call of the store that fails, and whether the process goes on.
type death struct {
	call int
	when graphtest.Verdict
	same bool
}

// survive is the end of a run that dies on its way, and how many reviews it has queued.
func (d death) survive(t *testing.T, mode state.ReviewMode) (s state.AgentState, queued int) {
	reviews, store := &book{entries: map[string]state.Review{}}, graph.NewMemoryStore()
	dying := graph.Store(graphtest.CrashAt(store, d.call, d.when))
	if d.same {
		dying = failOnce(store, d.call, d.when)
	}
	agents := []*agent.Agent{everything(t, dying, reviews, mode, sameRun)}
	s = end(t, func() *agent.Agent {
		next := agents[len(agents)-1]
		if !d.same {
			agents = append(agents, everything(t, store, reviews, mode, sameRun))
		}
		return next
	})
	return s, len(reviews.entries)
}

// A run that dies at any call of its store goes on, in the same process or another, and ends as if nothing had happened.
func TestARunWithAllStagesThatDiesAnywhereEndsAsIfItHadNot(t *testing.T) {
	for _, mode := range []state.ReviewMode{state.ReviewProvisional, state.ReviewBlocking} {
		calm := graphtest.Faulty(graph.NewMemoryStore(), func(graphtest.Op) graphtest.Verdict { return graphtest.Pass })
		whole := everything(t, calm, &book{entries: map[string]state.Review{}}, mode, sameRun)
		want := end(t, func() *agent.Agent { return whole })
		require.Equal(t, 1, want.Corrections)
		require.Equal(t, 1, want.WebRounds)
		require.NotNil(t, want.Review)
		require.Len(t, want.Messages, 2)
		for call := 1; call <= len(calm.Ops()); call++ {
			for _, d := range []death{
				{call, graphtest.FailBefore, true}, {call, graphtest.FailBefore, false}, {call, graphtest.FailAfter, true}, {call, graphtest.FailAfter, false},
			} {
				t.Run(fmt.Sprintf("%s %+v", mode, d), func(t *testing.T) {
					got, queued := d.survive(t, mode)
					assert.Equal(t, want, got)
					assert.Equal(t, 1, queued)
				})
			}
		}
	}
}

func TestOneAgentAnswersManyQuestionsAtOnceAndOneOfThemSearchesTheWeb(t *testing.T) {
	reviews := &book{entries: map[string]state.Review{}}
	a := everything(t, graph.NewMemoryStore(), reviews, state.ReviewProvisional, nil)
	const runs = 8
	answers := make([]agent.Answer, runs)
	var group sync.WaitGroup
	for i := range runs {
		group.Go(func() {
			answer, err := a.Do(t.Context(), agent.Question{Text: longQuestion, Thread: fmt.Sprint(i)})
			assert.NoError(t, err)
			answers[i] = answer
		})
	}
	group.Wait()
	web := 0
	for _, answer := range answers {
		assert.True(t, answer.State.Finished())
		assert.Equal(t, 1, answer.State.Corrections)
		web += answer.State.WebRounds
	}
	assert.Equal(t, 1, web)
	assert.Len(t, reviews.entries, runs)
}
