package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/scenario"
)

// yamlBlock is a scenario of the manual: what stands behind "yaml", and the text.
var yamlBlock = regexp.MustCompile("(?sm)^```yaml([^\n]*)\n(.*?)^```")

func TestTheScenariosOfTheManualPassAndItsMistakesAreFound(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "scenarios.md"))
	require.NoError(t, err)
	blocks := yamlBlock.FindAllStringSubmatch(string(page), -1)
	require.GreaterOrEqual(t, len(blocks), 3)
	for i, b := range blocks {
		file := filepath.Join(t.TempDir(), fmt.Sprintf("%d.yaml", i))
		require.NoError(t, os.WriteFile(file, []byte(b[2]), 0o600))
		findings, err := scenario.Lint(t.Context(), scenarios.Subject(), scenario.Options{}, file)
		require.NoError(t, err)
		if b[1] == " lint" {
			require.Len(t, findings, 2)
			for _, f := range findings {
				assert.Contains(t, string(page), "`"+f.Text+"`", "the page says what is told")
			}
			continue
		}
		assert.Empty(t, findings)
		list, err := scenario.Load[scenarios.Given, scenarios.When, scenarios.Observation](file)
		require.NoError(t, err)
		for _, r := range scenario.Run(t.Context(), scenarios.Subject(), list, scenario.Options{}).Results {
			assert.True(t, r.Passed, "%s: %v %s", r.Scenario, r.Mismatches, r.Error)
		}
	}
}
