package scenarios_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/scenario"
	"github.com/kbagent/kbagent/scenario/explore"
	"github.com/kbagent/kbagent/state"
)

func explored(t *testing.T, x scenarios.Exploration) explore.Report {
	subject, err := scenarios.Explored(x)
	require.NoError(t, err)
	r, err := explore.Run(t.Context(), subject, explore.Options{})
	require.NoError(t, err)
	return r
}

func core(iterations int) state.Settings {
	s := state.DefaultSettings()
	s.MaxIterations = iterations
	return s
}

func TestNoInvariantOfTheAgentBreaksWhateverItsEnvironmentDoes(t *testing.T) {
	for name, x := range map[string]scenarios.Exploration{
		"the evidence loop, two rounds":             {Settings: core(2)},
		"the evidence loop, one round, with faults": {Settings: core(1), Faults: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := explored(t, x)
			for _, v := range r.Violations {
				text, err := x.Scenario(t.Context(), v)
				require.NoError(t, err)
				t.Errorf("%s: %s\n%s", v.Invariant, v.Reason, text)
			}
			assert.NotZero(t, r.Ends)
		})
	}
}

// A rule that approves what nobody should approve is found, and the path to it is a scenario that can be read and run.
func TestAPlantedFaultIsFoundWithAScenarioOfItsPath(t *testing.T) {
	x := scenarios.Exploration{Settings: core(1), Alter: func(c *agent.Config) { c.Nodes.Audit = nodes.Discard{} }}
	r := explored(t, x)
	require.NotEmpty(t, r.Violations)
	assert.Equal(t, "the audit is complete", r.Violations[0].Invariant)
	text, err := x.Scenario(t.Context(), r.Violations[0])
	require.NoError(t, err)
	list, err := scenario.Parse[scenarios.Given, scenarios.When, scenarios.Observation]("found.yaml", text)
	require.NoError(t, err, string(text))
	report := scenario.Run(t.Context(), scenarios.Subject(), list, scenario.Options{})
	assert.Equal(t, 1, report.Passed, "%+v\n%s", report.Results, text)
}

func TestARuleThatLetsTheLoopRunOnIsFound(t *testing.T) {
	x := scenarios.Exploration{Settings: core(2), Alter: func(c *agent.Config) {
		c.Nodes.Rules = []rules.Rule{{Name: "all", Match: func(state.AgentState) bool { return true }}}
	}}
	r := explored(t, x)
	assert.Empty(t, r.Violations, "to approve everything breaks no invariant of a run")
	assert.Less(t, r.Coverage.Machine, explored(t, scenarios.Exploration{Settings: core(2)}).Coverage.Machine, "but the loop is never taken")
}
