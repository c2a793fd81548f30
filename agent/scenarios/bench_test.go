package scenarios_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/scenario"
)

// BenchmarkFiveHundredScenarios runs the scenarios of this folder until there are at least 500. An operation is all of
// them; the promise is 5 s on two cores.
func BenchmarkFiveHundredScenarios(b *testing.B) {
	files, err := scenario.Load[scenarios.Given, scenarios.When, scenarios.Observation](".")
	require.NoError(b, err)
	var list []scenario.Scenario[scenarios.Given, scenarios.When]
	for len(list) < 500 {
		list = append(list, files...)
	}
	for b.Loop() {
		report := scenario.Run(b.Context(), scenarios.Subject(), list, scenario.Options{})
		require.Zero(b, report.Failed)
	}
	b.ReportMetric(float64(len(list)), "scenarios/op")
}
