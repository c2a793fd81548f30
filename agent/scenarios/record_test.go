package scenarios

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/scenario"
	"github.com/kbagent/kbagent/state"
)

func load(t *testing.T) []scenario.Scenario[Given, When] {
	t.Helper()
	list, err := scenario.Load[Given, When, Observation](".")
	require.NoError(t, err)
	return list
}

// play runs a scenario and returns its world, still open.
func play(t *testing.T, s scenario.Scenario[Given, When]) *world {
	t.Helper()
	session, err := subject{}.Start(t.Context(), s.Given)
	require.NoError(t, err)
	w := session.(*world)
	t.Cleanup(func() { assert.NoError(t, w.cleanUp()) })
	for _, turn := range s.Turns {
		if _, _, err := w.Turn(t.Context(), turn.When); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// notRepeatable are the runs that a scenario cannot repeat from their checkpoints alone.
var notRepeatable = map[string]string{
	"a run whose time is up ends with the best answer so far":           "the clock of a scenario stands still",
	"a budget that cut the model off is the reason why the run stopped": "likewise",
	"a quotation that does not stand in its source loses its citation":  "the marker that was removed is not stored",
}

// Each scenario of this folder is a run that can be recorded, and each recording passes but for those above.
func TestTheRunsOfAllScenariosCanBeRecorded(t *testing.T) {
	passed := 0
	for _, s := range load(t) {
		t.Run(s.Name, func(t *testing.T) {
			w := play(t, s)
			if w.agent == nil {
				t.Skip("the settings are refused")
			}
			r, err := Record(t.Context(), w.agent.Thread("t").Changes(t.Context()), Recording{Library: w.lib})
			if errors.Is(err, ErrNothingToRecord) || errors.Is(err, ErrUnfinished) {
				t.Skip(err)
			}
			require.NoError(t, err)
			if reason, ok := notRepeatable[s.Name]; ok {
				assert.False(t, r.Result.Passed, "it can be repeated now: %s", reason)
				return
			}
			assert.True(t, r.Result.Passed, "%s\n%v\n%v\n%s", r.Result.Error, r.Result.Mismatches, r.Notes, r.YAML)
			passed++
		})
	}
	assert.Greater(t, passed, 200, "most of them")
}

// A plan without calls is stored as none, but the model was asked for it.
func TestARunWhosePlannerFailedUntilNothingWasLeftCanBeRecorded(t *testing.T) {
	for name, planner := range map[string]string{
		"failed":   `{role: planner, error: down}`,
		"repeated": `{role: planner, calls: [{name: keyword_search, args: {query: "How do I rotate the logs?"}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			list, err := scenario.Parse[Given, When, Observation]("x.yaml", []byte(`
scenario: s
guards: g
given:
  documents:
    a.md: "# Logs\n\nRotate the logs.\n\n## Keys\n\nRotate the keys.\n\n## More\n\nLogs grow every day."
    b.md: "# Backups\n\nBackups rotate.\n\n## Where\n\nThe logs of backups."
  model:
    - `+planner+`
    - {role: grader, reply: nonsense}
    - {role: grader, reply: nonsense}
    - `+planner+`
    - {role: grader, reply: nonsense}
    - {role: grader, reply: nonsense}
    - `+planner+`
    - {role: grader, reply: nonsense}
    - {role: grader, reply: nonsense}
turns: [{when: {ask: "How do I rotate the logs?"}}]
`))
			require.NoError(t, err)
			w := play(t, list[0])
			r, err := Record(t.Context(), w.agent.Thread("t").Changes(t.Context()), Recording{Library: w.lib})
			require.NoError(t, err)
			assert.True(t, r.Result.Passed, "%v %s\n%s", r.Result.Mismatches, r.Result.Error, r.YAML)
		})
	}
}

func TestARecordedRunHidesWhatMustNotBeSeen(t *testing.T) {
	list, err := scenario.Parse[Given, When, Observation]("x.yaml", []byte(`
scenario: s
guards: g
given:
  tools: [{tool: keyword_search, items: [{id: a, path: a.md, content: "The password of the vault is hunter22."}]}]
turns: [{when: {ask: "What is the password of the vault, hunter22?"}}]
`))
	require.NoError(t, err)
	w := play(t, list[0])
	r, err := Record(t.Context(), w.agent.Thread("t").Changes(t.Context()), Recording{
		Name: "a name", Guards: "a reason", Library: w.lib, Mask: func(s string) string { return strings.ReplaceAll(s, "hunter22", "****") },
	})
	require.NoError(t, err)
	assert.True(t, r.Result.Passed, "%v %s", r.Result.Mismatches, r.Result.Error)
	assert.NotContains(t, string(r.YAML), "hunter22")
	assert.Contains(t, string(r.YAML), "The password of the vault is ****.")
	assert.Contains(t, string(r.YAML), "scenario: a name\nguards: a reason\n")
}

func TestAThreadThatNoScenarioCanBeMadeOfIsRefused(t *testing.T) {
	list, err := scenario.Parse[Given, When, Observation]("x.yaml", []byte(`
scenario: s
guards: g
given:
  tools: [{tool: keyword_search, items: [{id: a, path: a.md, content: "Rotate the logs."}], repeat: 2}, {tool: keyword_search, items: [{id: a, path: a.md, content: "Rotate the logs."}]}]
turns: [{when: {ask: "How do I rotate the logs?"}}, {when: {ask: "And how often do I rotate the logs?"}}]
`))
	require.NoError(t, err)
	record := func(thread *agent.Thread) error {
		_, err := Record(t.Context(), thread.Changes(t.Context()), Recording{})
		return err
	}
	w := play(t, list[0])
	require.ErrorIs(t, record(w.agent.Thread("nobody")), ErrNothingToRecord)
	require.NoError(t, record(w.agent.Thread("t")))
	thread := w.agent.Thread("t")
	_, err = thread.UpdateState(t.Context(), state.Update{Warnings: []string{"by hand"}})
	require.NoError(t, err)
	require.ErrorIs(t, record(thread), ErrEdited)
	_, err = thread.Prune(t.Context(), graph.Keep{Last: 3})
	require.NoError(t, err)
	require.ErrorIs(t, record(thread), ErrPruned)

	_, err = w.agent.Thread("u").UpdateState(t.Context(), state.Update{})
	require.NoError(t, err)
	require.ErrorIs(t, record(w.agent.Thread("u")), ErrPruned)
}

func TestSettingsBecomeTheVariablesThatMakeThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := state.DefaultSettings()
		share := rapid.Map(rapid.IntRange(0, 100), func(n int) float64 { return float64(n) / 100 })
		s.MaxIterations = rapid.IntRange(1, 10).Draw(t, "iterations")
		s.AutoApproveMaxItems = rapid.IntRange(0, 100).Draw(t, "auto")
		s.VectorScoreThreshold = share.Draw(t, "vector")
		s.EvidenceMinScore = share.Draw(t, "evidence")
		s.GenerateMinScore = max(s.EvidenceMinScore, share.Draw(t, "generate"))
		s.MaxContextItems = rapid.IntRange(1, 100).Draw(t, "context")
		s.Evaluator = rapid.SampledFrom([]state.Evaluator{"auto", "lexical", "signals", "heuristic"}).Draw(t, "evaluator")
		s.AnswerMode = rapid.SampledFrom([]state.AnswerMode{"strict", "best_effort", "open"}).Draw(t, "mode")
		s.QueryExpansion, s.RefineContext = rapid.Bool().Draw(t, "expansion"), rapid.Bool().Draw(t, "refine")
		s.MaxLLMCalls, s.MaxLLMTokens = rapid.IntRange(0, 9).Draw(t, "calls"), rapid.IntRange(0, 9).Draw(t, "tokens")
		s.Abstention = rapid.SampledFrom([]string{s.Abstention, "No: \"idea\" # ever."}).Draw(t, "abstention")
		s.WebSearch = rapid.SampledFrom([]state.WebMode{"off", "incorrect", "ambiguous"}).Draw(t, "web")
		s.ScoreConfidence = rapid.Bool().Draw(t, "confidence")
		s.ReviewMode = rapid.SampledFrom([]state.ReviewMode{"off", "provisional", "blocking"}).Draw(t, "review")
		s.Verify = s.ScoreConfidence || s.ReviewMode != "off" || rapid.Bool().Draw(t, "verify")
		s.VerifyMin, s.VerifyAttempts = share.Draw(t, "verifyMin"), rapid.IntRange(0, 5).Draw(t, "attempts")
		if s.Verify {
			s.VerifyRate, s.ShowClaims = rapid.Bool().Draw(t, "rate"), rapid.Bool().Draw(t, "claims")
		}
		s.Floors = state.Floors{Relevance: share.Draw(t, "r"), Grounding: share.Draw(t, "g"), Consistency: share.Draw(t, "c"), Completeness: share.Draw(t, "k")}
		cfg, err := config.Load(config.Options{EnvFile: os.DevNull, Environ: environ(environmentOf(s))})
		if err != nil {
			t.Fatalf("%v: %v", environmentOf(s), err)
		}
		if cfg.Settings != s {
			t.Fatalf("%v\nwant %+v\ngot  %+v", environmentOf(s), s, cfg.Settings)
		}
	})
}
