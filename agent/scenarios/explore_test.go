package scenarios_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/scenario"
	"github.com/kbagent/kbagent/scenario/explore"
	"github.com/kbagent/kbagent/state"
)

func explored(t *testing.T, x scenarios.Exploration, opts explore.Options) explore.Report {
	t.Helper()
	subject, err := scenarios.Explored(x)
	require.NoError(t, err)
	r, err := explore.Run(t.Context(), subject, opts)
	require.NoError(t, err)
	for _, v := range r.Violations {
		text, err := x.Scenario(v)
		require.NoError(t, err)
		t.Errorf("%s: %s\n%s", v.Invariant, v.Reason, text)
	}
	require.True(t, r.Complete || len(r.Violations) > 0)
	return r
}

func TestNoInvariantOfTheAgentBreaksWhateverItsEnvironmentDoes(t *testing.T) {
	for name, x := range map[string]scenarios.Exploration{
		"the loop, two rounds":               {Modes: scenarios.CoreModes(2)},
		"the loop, two rounds, with faults":  {Modes: scenarios.CoreModes(2), Faults: true},
		"the loop, and four calls of models": {Modes: withBudget(scenarios.CoreModes(2), 4), Faults: true},
		"the loop, strict":                   {Modes: strict(scenarios.CoreModes(2)), Faults: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := explored(t, x, explore.Options{})
			assert.NotZero(t, r.Ends)
			assert.Positive(t, r.Twins, "joined states were compared")
			assert.Positive(t, r.Replays, "paths were played again")
		})
	}
}

func withBudget(modes map[string]state.Settings, calls int) map[string]state.Settings {
	for name, s := range modes {
		s.MaxLLMCalls = calls
		modes[name] = s
	}
	return modes
}

func strict(modes map[string]state.Settings) map[string]state.Settings {
	for name, s := range modes {
		s.AnswerMode = state.ModeStrict
		modes[name] = s
	}
	return modes
}

// With every stage on, and three rounds, every edge of the graph and every row of the machine is taken.
func TestTheWholeGraphIsExplored(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 20 s of computing")
	}
	r := explored(t, scenarios.Exploration{Modes: scenarios.AllModes(3)}, explore.Options{})
	assert.Equal(t, explore.Coverage{Edges: 1, Machine: 1, Missing: []string{}}, r.Coverage)
	assert.Positive(t, r.Paths.Sign())
}

// A budget of model calls ends runs in the middle of a correction: what was found counts no longer then.
func TestARunWhoseBudgetEndsInACorrectionIsExplored(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 10 s of computing")
	}
	r := explored(t, scenarios.Exploration{Modes: withBudget(scenarios.AllModes(1), 9)}, explore.Options{})
	assert.Positive(t, r.Twins)
}

// What an outcome of a class leads to, every other one of it leads to as well: with all of them, no state is added.
func TestTheOutcomesOfAClassHaveTheSameConsequences(t *testing.T) {
	one := scenarios.Exploration{Modes: scenarios.CoreModes(2), Faults: true}
	every := one
	every.Members = true
	a, b := explored(t, one, explore.Options{}), explored(t, every, explore.Options{})
	assert.Equal(t, a.States, b.States)
	assert.Greater(t, b.Transitions, a.Transitions)
	assert.Equal(t, [2]any{a.Ends, a.Coverage}, [2]any{b.Ends, b.Coverage})
}

func TestEveryOutcomeThatIsDeclaredIsTaken(t *testing.T) {
	taken := map[string][]string{}
	for _, p := range explored(t, scenarios.Exploration{Modes: scenarios.CoreModes(2), Faults: true, Members: true}, explore.Options{Twins: -1, Replays: -1}).Alphabet {
		taken[p.Point] = p.Options
	}
	stages := []string{"verifier", "reranker", "score", "review queue", "web_search", explore.Person} // of the stages around the loop
	for _, p := range scenarios.Alphabet() {
		var all []string
		for _, c := range p.Classes {
			assert.NotEmpty(t, c.Means, "%s %s", p.Point, c.Name)
			all = append(append(all, c.Name), c.Same...)
		}
		if !assert.NotEmpty(t, all) || slices.Contains(stages, p.Point) {
			continue
		}
		assert.ElementsMatch(t, all, taken[p.Point], p.Point)
	}
}

// A form that forgets what still decides joins states that are not alike.
func TestAFormThatForgetsTooMuchIsFound(t *testing.T) {
	subject, err := scenarios.Explored(scenarios.Exploration{Modes: scenarios.CoreModes(3)})
	require.NoError(t, err)
	form := subject.Canonical
	subject.Canonical = func(s state.AgentState) any {
		s.Iteration = 0
		return form(s)
	}
	r, err := explore.Run(t.Context(), subject, explore.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, r.Violations)
	assert.Contains(t, []string{explore.JoinedAlike, explore.Ends}, r.Violations[0].Invariant)
}

func TestTheMachineOfAnExplorationIsThatOfTheRules(t *testing.T) {
	subject, err := scenarios.Explored(scenarios.Exploration{Modes: scenarios.CoreModes(1)})
	require.NoError(t, err)
	assert.Len(t, subject.Moves, len(rules.Table()))
}

func TestAScenarioWithOutcomesSaysWhatIsWrongWithIt(t *testing.T) {
	for what, given := range map[string]string{
		`no point "oracle"`:         "outcomes: {oracle: [yes]}",
		`grader has no outcome "5"`: "outcomes: {grader: ['5']}",
		"nothing but env":           "outcomes: {grader: [all good]}\n  cache: true",
	} {
		list, err := scenario.Parse[scenarios.Given, scenarios.When, scenarios.Observation]("x.yaml", []byte("scenario: x\nguards: y\ngiven:\n  "+given+"\nturns: [{when: {ask: q}, then: {broken: []}}]\n"))
		require.NoError(t, err)
		r := scenario.Run(t.Context(), scenarios.Subject(), list, scenario.Options{}).Results[0]
		assert.Contains(t, r.Error, what)
	}
}
