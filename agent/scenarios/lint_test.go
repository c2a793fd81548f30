package scenarios_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/scenario"
)

func TestTheScenariosOfTheAgentHaveNoLint(t *testing.T) {
	findings, err := scenario.Lint(t.Context(), scenarios.Subject(), scenario.Options{}, ".")
	require.NoError(t, err)
	for _, f := range findings {
		if f.Severity == scenario.Warn {
			continue
		}
		t.Errorf("%s:%d:%d: %s (%s)\n%s", f.File, f.Line, f.Column, f.Text, f.Rule, f.Excerpt)
	}
}
