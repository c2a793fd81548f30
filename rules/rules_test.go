package rules

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/state"
)

// in is a state in its first round, with default settings.
func in(change func(*state.AgentState)) state.AgentState {
	s := state.AgentState{Settings: state.DefaultSettings(), Iteration: 1, Rounds: 1}
	change(&s)
	return s
}

func call(name, err string) state.ToolRecord {
	return state.ToolRecord{Round: 1, Name: name, Error: err}
}

func items(tool string, ids ...string) []state.Evidence {
	var list []state.Evidence
	for _, id := range ids {
		list = append(list, state.Evidence{ID: id, Tool: tool})
	}
	return list
}

func TestReadFileHoldsWhenTheRoundReadFilesOnlyAndOneSucceeded(t *testing.T) {
	for claim, c := range map[string]struct {
		calls []state.ToolRecord
		want  bool
	}{
		"one read":                  {[]state.ToolRecord{call("read_file", "")}, true},
		"many reads":                {[]state.ToolRecord{call("read_file", ""), call("read_file", "")}, true},
		"a read and a search":       {[]state.ToolRecord{call("read_file", ""), call("keyword_search", "")}, false},
		"a failed read":             {[]state.ToolRecord{call("read_file", "NOT_FOUND")}, false},
		"a failed and a good read":  {[]state.ToolRecord{call("read_file", "NOT_FOUND"), call("read_file", "")}, true},
		"no calls":                  {nil, false},
		"reads of an earlier round": {[]state.ToolRecord{{Round: 0, Name: "read_file"}}, false},
		"a search that failed too":  {[]state.ToolRecord{call("read_file", ""), call("grep", "FAILED")}, false},
	} {
		t.Run(claim, func(t *testing.T) {
			assert.Equal(t, c.want, ReadFile(in(func(s *state.AgentState) { s.ToolHistory = c.calls })))
		})
	}
}

func TestFewContext(t *testing.T) {
	for _, c := range []struct {
		items, limit int
		want         bool
	}{{0, 2, false}, {1, 2, true}, {2, 2, true}, {3, 2, false}, {0, 0, false}, {1, 0, false}, {5, 5, true}, {6, 5, false}} {
		s := in(func(s *state.AgentState) {
			s.Context, s.Settings.AutoApproveMaxItems = make([]state.Evidence, c.items), c.limit
		})
		assert.Equal(t, c.want, FewContext(s), "%d items, limit %d", c.items, c.limit)
	}
}

func TestHighVectorScore(t *testing.T) {
	record := func(kind state.ScoreKind, ids []string, scores ...float64) state.ToolRecord {
		return state.ToolRecord{Round: 1, Name: "vector_search", ItemIDs: ids, Scores: scores, ScoreKind: kind}
	}
	ab := []string{"a", "b"}
	for claim, c := range map[string]struct {
		context []state.Evidence
		history []state.ToolRecord
		want    bool
	}{
		"all above":                      {items("vector_search", ab...), []state.ToolRecord{record(state.ScoreCosine, ab, .81, .9)}, true},
		"exactly at the threshold":       {items("vector_search", ab...), []state.ToolRecord{record(state.ScoreCosine, ab, .8, .8)}, true},
		"a rounding below it":            {items("vector_search", ab...), []state.ToolRecord{record(state.ScoreCosine, ab, .8-1e-10, .9)}, true},
		"one just below":                 {items("vector_search", ab...), []state.ToolRecord{record(state.ScoreCosine, ab, .79, .99)}, false},
		"a missing score":                {items("vector_search", ab...), []state.ToolRecord{record(state.ScoreCosine, ab, .9)}, false},
		"an item nobody recorded":        {items("vector_search", "a", "c"), []state.ToolRecord{record(state.ScoreCosine, ab, .9, .9)}, false},
		"another kind of score":          {items("vector_search", ab...), []state.ToolRecord{record(state.ScoreRRF, ab, .99, .99)}, false},
		"an item of another tool":        {append(items("vector_search", "a"), items("grep", "b")...), []state.ToolRecord{record(state.ScoreCosine, ab, .9, .9)}, false},
		"the best of several rounds":     {items("vector_search", ab...), []state.ToolRecord{record(state.ScoreCosine, ab, .5, .9), record(state.ScoreCosine, []string{"a"}, .85)}, true},
		"a later worse score is no loss": {items("vector_search", ab...), []state.ToolRecord{record(state.ScoreCosine, ab, .85, .9), record(state.ScoreCosine, ab, .1, .1)}, true},
		"no items":                       {nil, nil, false},
	} {
		t.Run(claim, func(t *testing.T) {
			s := in(func(s *state.AgentState) { s.Context, s.ToolHistory = c.context, c.history })
			assert.Equal(t, c.want, HighVectorScore(s))
		})
	}
}

func TestTheFirstRuleThatMatchesWins(t *testing.T) {
	s := in(func(s *state.AgentState) {
		s.Context, s.ToolHistory = items("read_file", "a"), []state.ToolRecord{call("read_file", "")}
	})
	assert.Equal(t, "read_file", FirstMatch(Default(), s))
	s.ToolHistory = nil
	assert.Equal(t, "few_context", FirstMatch(Default(), s))
	s.Settings.AutoApproveMaxItems = 0
	assert.Equal(t, "", FirstMatch(Default(), s))
}

func TestJudge(t *testing.T) {
	for claim, c := range map[string]struct {
		scores []float64
		want   Verdict
	}{
		"no items":                        {nil, Verdict{Action: state.ActionReRetrieve}},
		"all just below the threshold":    {[]float64{.29, .29}, Verdict{Action: state.ActionReRetrieve}},
		"exactly 0.3 stays and refines":   {[]float64{.3}, Verdict{Action: state.ActionRefine, Average: .3, Kept: 1}},
		"just above 0.3":                  {[]float64{.31}, Verdict{Action: state.ActionRefine, Average: .31, Kept: 1}},
		"just below 0.7 refines":          {[]float64{.69}, Verdict{Action: state.ActionRefine, Average: .69, Kept: 1}},
		"0.7 generates":                   {[]float64{.7}, Verdict{Action: state.ActionGenerate, Average: .7, Kept: 1}},
		"dropped items do not count":      {[]float64{.8, .1, .8}, Verdict{Action: state.ActionGenerate, Average: .8, Kept: 2}},
		"the mean of three 0.7 generates": {[]float64{.7, .7, .7}, Verdict{Action: state.ActionGenerate, Average: 0.6999999999999998, Kept: 3}},
	} {
		t.Run(claim, func(t *testing.T) { assert.Equal(t, c.want, Judge(c.scores, state.DefaultSettings())) })
	}
}

// §3.7: the average of what is kept can never be below the threshold, so RE_RETRIEVE means that nothing is left.
func TestReRetrieveMeansThatNothingIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "scores")
		v := Judge(scores, state.DefaultSettings())
		assert.Equal(t, v.Kept == 0, v.Action == state.ActionReRetrieve)
		if v.Kept > 0 {
			assert.True(t, AtLeast(v.Average, .3))
			assert.Equal(t, AtLeast(v.Average, .7), v.Action == state.ActionGenerate)
		}
	})
}

func TestAfterGrading(t *testing.T) {
	round := func(n int, args string, ids ...string) state.ToolRecord {
		return state.ToolRecord{Round: n, Name: "grep", Args: json.RawMessage(args), ItemIDs: ids}
	}
	for claim, c := range map[string]struct {
		action state.Action
		change func(*state.AgentState)
		event  Event
		stop   state.StopReason
	}{
		"sufficient evidence generates":                         {state.ActionGenerate, func(*state.AgentState) {}, EventSufficient, state.StopSufficient},
		"sufficient evidence in the capped round is sufficient": {state.ActionGenerate, func(s *state.AgentState) { s.Iteration = 3 }, EventSufficient, state.StopSufficient},
		"mixed evidence refines":                                {state.ActionRefine, func(s *state.AgentState) { s.ToolHistory = []state.ToolRecord{round(1, `{}`)} }, EventMixed, ""},
		"poor evidence retrieves again":                         {state.ActionReRetrieve, func(*state.AgentState) {}, EventPoor, ""},
		"the cap wins over the action":                          {state.ActionReRetrieve, func(s *state.AgentState) { s.Iteration = 3 }, EventCapped, state.StopMaxIterations},
		"a cap below the rounds made is a cap":                  {state.ActionRefine, func(s *state.AgentState) { s.Iteration = 4 }, EventCapped, state.StopMaxIterations},
		"the same calls with the same results are no progress": {state.ActionRefine, func(s *state.AgentState) {
			s.Iteration, s.Rounds = 2, 2
			s.ToolHistory = []state.ToolRecord{round(1, `{"a":1,"b":2}`, "x", "y"), round(2, `{"b":2, "a":1}`, "y", "x")}
		}, EventNoProgress, state.StopNoProgress},
		"the same calls with other results are progress": {state.ActionRefine, func(s *state.AgentState) {
			s.Iteration, s.Rounds = 2, 2
			s.ToolHistory = []state.ToolRecord{round(1, `{}`, "x"), round(2, `{}`, "y")}
		}, EventMixed, ""},
		"other calls with the same results are progress": {state.ActionRefine, func(s *state.AgentState) {
			s.Iteration, s.Rounds = 2, 2
			s.ToolHistory = []state.ToolRecord{round(1, `{"a":1}`, "x"), round(2, `{"a":2}`, "x")}
		}, EventMixed, ""},
		"a refining round without calls is no progress": {state.ActionRefine, func(*state.AgentState) {}, EventNoProgress, state.StopNoProgress},
		"used-up model calls end the loop": {state.ActionRefine, func(s *state.AgentState) {
			s.Settings.MaxLLMCalls, s.Usage.LLMCalls = 2, 2
		}, EventCapped, state.StopBudget},
		"used-up tokens end the loop": {state.ActionRefine, func(s *state.AgentState) {
			s.Settings.MaxLLMTokens, s.Usage.TotalTokens = 10, 11
		}, EventCapped, state.StopBudget},
		"used-up time ends the loop": {state.ActionRefine, func(s *state.AgentState) {
			s.Settings.RunTimeout, s.Elapsed = time.Second, 900*time.Millisecond
		}, EventCapped, state.StopBudget},
	} {
		t.Run(claim, func(t *testing.T) {
			event, stop := AfterGrading(in(c.change), c.action, 100*time.Millisecond)
			assert.Equal(t, c.event, event)
			assert.Equal(t, c.stop, stop)
		})
	}
}

func TestTheMachineTakesItsTableAndNothingElse(t *testing.T) {
	rows := make(map[state.Phase]map[Event]state.Phase)
	events := make(map[Event]bool)
	phases := make(map[state.Phase]bool)
	for _, r := range Table() {
		if rows[r.From] == nil {
			rows[r.From] = make(map[Event]state.Phase)
		}
		require.NotContains(t, rows[r.From], r.Event, "two rows for %s in %s: the library would take the last in silence", r.Event, r.From)
		rows[r.From][r.Event] = r.To
		events[r.Event], phases[r.From], phases[r.To] = true, true, true
	}
	for phase := range phases {
		for event := range events {
			moves, err := Fire(phase, event)
			to, exists := rows[phase][event]
			if !exists {
				require.ErrorIs(t, err, ErrTransition, "%s in %s", event, phase)
				continue
			}
			require.NoError(t, err)
			assert.Equal(t, []state.Transition{{From: phase, Event: string(event), To: to}}, moves)
		}
	}
	_, err := NewMachine("NOWHERE")
	require.ErrorIs(t, err, ErrTransition)
}

func TestAMachineThatRefusedAnEventStandsWhereItStood(t *testing.T) {
	m, err := NewMachine(state.PhaseGrade)
	require.NoError(t, err)
	require.Error(t, m.Fire(EventSearch))
	assert.Equal(t, state.PhaseGrade, m.Phase())
	require.NoError(t, m.Fire(EventMixed))
	require.NoError(t, m.Fire(EventReplan))
	assert.Equal(t, state.PhaseRetrieve, m.Phase())
	assert.Len(t, m.Transitions(), 2)
}

func TestStrategies(t *testing.T) {
	all := Available(Means{Vectors: true, Expansion: true, Parts: 2, NamedFiles: 1})
	assert.Equal(t, []state.Strategy{"read_file", "hybrid", "vector", "keyword", "expanded", "decomposed"}, all)
	assert.Equal(t, []state.Strategy{"keyword"}, Available(Means{Parts: 1}))

	t.Run("none is taken twice and then none is left", func(t *testing.T) {
		var attempted []state.Strategy
		for range all {
			next, ok := NextStrategy(all, attempted, "")
			require.True(t, ok)
			require.NotContains(t, attempted, next)
			attempted = append(attempted, next)
		}
		_, ok := NextStrategy(all, attempted, "keyword")
		assert.False(t, ok)
	})
	t.Run("the preferred one is taken when it is there", func(t *testing.T) {
		next, _ := NextStrategy(all, nil, "keyword")
		assert.Equal(t, state.StrategyKeyword, next)
		next, _ = NextStrategy(all, []state.Strategy{"keyword"}, "keyword")
		assert.Equal(t, state.StrategyReadFile, next)
		next, _ = NextStrategy(Available(Means{}), nil, "vector")
		assert.Equal(t, state.StrategyKeyword, next)
	})
	t.Run("every strategy may read what a search named", func(t *testing.T) {
		for _, s := range all {
			assert.Contains(t, AllowedTools(s), "read_file")
		}
	})
}

func TestRelevance(t *testing.T) {
	stats := TermStats{Passages: 100, DocFreq: map[string]int{"rotat": 3, "log": 20, "night": 10, "bread": 2}}
	item := func(content string) state.Evidence { return state.Evidence{Content: content} }
	t.Run("an item that answers scores above one that only touches the subject, and that above one about something else", func(t *testing.T) {
		scores := Relevance("How do I rotate the logs?", []state.Evidence{
			item("To rotate the logs, run logrotate every night."), item("The logs are in the folder logs."), item("Bread is baked."),
		}, stats)
		assert.Greater(t, scores[0], .7)
		assert.Less(t, scores[1], scores[0])
		assert.Zero(t, scores[2])
	})
	t.Run("a question without content words is no division by zero", func(t *testing.T) {
		for _, q := range []string{"", "the of and", "?!", "   "} {
			for _, score := range Relevance(q, []state.Evidence{item("Anything."), item("")}, TermStats{}) {
				assert.Zero(t, score, q)
			}
		}
	})
	t.Run("a Chinese question is graded by its bigrams", func(t *testing.T) {
		scores := Relevance("旧日志保留多久？", []state.Evidence{item("旧日志保留七天。"), item("揉面十分钟。")}, TermStats{})
		assert.Greater(t, scores[0], scores[1]+.3)
	})
	t.Run("scores are 0 to 1 for any text", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			query, content := rapid.String().Draw(t, "query"), rapid.String().Draw(t, "content")
			for _, score := range Relevance(query, []state.Evidence{item(content), item(query)}, stats) {
				assert.False(t, math.IsNaN(score))
				assert.GreaterOrEqual(t, score, 0.0)
				assert.LessOrEqual(t, score, 1.0)
			}
		})
	})
}

func TestExtractPicksTheSentenceUnderTheHeadingThatAsksTheSame(t *testing.T) {
	content := "## Why are there no exceptions?\n\nWe believe that coupling them to a control structure results in convoluted code.\n\n## Other\n\nNothing."
	got := Extract("Why are there no exceptions?", "", []state.Evidence{{Content: content, Section: "Why are there no exceptions?"}}, TermStats{}, 3)
	require.NotEmpty(t, got)
	assert.Contains(t, content[got[0].Start:got[0].End], "convoluted code")
	assert.NotContains(t, content[got[0].Start:got[0].End], "#")
}

func TestExtractPrefersWhatAFollowUpAsksFor(t *testing.T) {
	items := []state.Evidence{{Content: "# Adding a tool\n\nWrite a tool."}, {Content: "# Adding a rule\n\nWrite a rule."}}
	got := Extract("How do I add a tool? and a rule?", "and a rule?", items, TermStats{}, 1)
	require.Len(t, got, 1)
	assert.Equal(t, 1, got[0].Item)
}

func TestExtractKeepsListsAndCodeWhole(t *testing.T) {
	for claim, c := range map[string]struct{ content, want string }{
		"a sentence that announces a list brings it along": {"To rotate the logs:\n\n1. Stop it.\n2. Move them.\n\n# Other\n\nNo.", "To rotate the logs:\n\n1. Stop it.\n2. Move them."},
		"an item of a list keeps its marker":               {"# Other\n\n2. Rotate the logs.\n3. Sleep.\n", "2. Rotate the logs.\n3. Sleep."},
		"code keeps its opening fence":                     {"```sh\nrotate the logs\n```\n", "```sh\nrotate the logs\n```"},
		"code is never left open":                          {"To rotate the logs:\n\n```\na\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\n```\n\nDone.", "To rotate the logs:\n\n```\na\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\n```"},
		"code without an end is left out":                  {"To rotate the logs:\n\n```\na\nb", "To rotate the logs:"},
		"a row of a table stands for itself":               {"| what | how |\n|---|---|\n| rotate logs | logrotate |\n| bread | bake |", "| rotate logs | logrotate |"},
	} {
		t.Run(claim, func(t *testing.T) {
			got := Extract("How do I rotate the logs?", "", []state.Evidence{{Content: c.content}}, TermStats{}, 1)
			require.Len(t, got, 1)
			assert.Equal(t, c.want, strings.TrimSpace(c.content[got[0].Start:got[0].End]))
		})
	}
}

func TestMissingNamesTheWordsThatNoItemHolds(t *testing.T) {
	held := []state.Evidence{{Content: "Logs are rotated.", Title: "Nights"}}
	assert.Equal(t, []string{"windows"}, Missing("How do I rotate logs at night on Windows?", held))
	assert.Empty(t, Missing("rotating log", held), "other forms of a word are the same word")
}

func TestCallsAreEqualHoweverTheirArgumentsAreWritten(t *testing.T) {
	assert.Equal(t, CallKey("a", json.RawMessage(`{"x":1,"y":[1,2]}`)), CallKey("a", json.RawMessage(`{ "y": [1, 2], "x": 1 }`)))
	assert.NotEqual(t, CallKey("a", json.RawMessage(`{"x":1}`)), CallKey("b", json.RawMessage(`{"x":1}`)))
	assert.NotPanics(t, func() { CallKey("a", json.RawMessage(`{broken`)) })
}

func ExampleFire() {
	moves, err := Fire(state.PhaseGrade, EventMixed, EventReplan)
	for _, m := range moves {
		fmt.Println(m.From, m.Event, m.To)
	}
	fmt.Println(err)
	// Output:
	// GRADE mixed REFINE
	// REFINE replan RETRIEVE
	// <nil>
}
