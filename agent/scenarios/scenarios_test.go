package scenarios_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/scenario"
)

// The files of this folder take every edge of the graph and every row of the machine that is built.
func TestScenarios(t *testing.T) {
	list, err := scenario.Load[scenarios.Given, scenarios.When, scenarios.Observation](".")
	require.NoError(t, err)
	report := scenario.Run(t.Context(), scenarios.Subject(), list, scenario.Options{})
	for _, r := range report.Results {
		t.Run(r.Scenario, func(t *testing.T) {
			for _, m := range r.Mismatches {
				t.Errorf("\n%s", m)
			}
			if r.Error != "" {
				t.Errorf("%s:%d: %s", r.File, r.Line, r.Error)
			}
		})
	}
	require.Empty(t, report.Coverage.Edges.Missing, "edges of the graph that no scenario takes")
	require.Empty(t, report.Coverage.Moves.Missing, "rows of the machine that no scenario takes")
}
