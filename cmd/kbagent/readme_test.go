package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/scenario"
)

// The README shows what the program prints, and this is how it stays so.

func readme(t *testing.T) string {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	return string(text)
}

func TestTheReadmeShowsTheGraph(t *testing.T) {
	_, stdout, _ := finish(t, kbagent(t, t.TempDir(), nil, "graph"))
	assert.Contains(t, readme(t), "$ bin/kbagent graph\n"+stdout+"```")
}

func TestTheReadmeShowsTheFirstConversation(t *testing.T) {
	manual, err := filepath.Abs(filepath.Join("..", "..", "docs"))
	require.NoError(t, err)
	dir := t.TempDir()
	code, _, stderr := finish(t, kbagent(t, dir, nil, "index", "--quiet", manual))
	require.Zero(t, code, stderr)
	shown := regexp.MustCompile(`(?s)printf '([^\\]+)\\n' \| make -s chat\n(.*?)\n` + "```").FindStringSubmatch(readme(t))
	require.NotNil(t, shown)
	chat := kbagent(t, dir, nil, "chat")
	chat.Stdin = strings.NewReader(shown[1] + "\n")
	_, stdout, _ := finish(t, chat)
	assert.Equal(t, shown[2], strings.TrimSpace(stdout))
}

func TestTheScenarioOfTheReadmePasses(t *testing.T) {
	shown := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(readme(t))
	require.NotNil(t, shown)
	list, err := scenario.Parse[scenarios.Given, scenarios.When, scenarios.Observation]("README.md", []byte(shown[1]))
	require.NoError(t, err)
	report := scenario.Run(t.Context(), scenarios.Subject(), list, scenario.Options{})
	var out bytes.Buffer
	require.NoError(t, report.Write(&out, true))
	assert.Equal(t, 1, report.Passed, out.String())
}

func TestTheExampleOfTheReadmeIsTheOneThatIsTested(t *testing.T) {
	example, err := os.ReadFile(filepath.Join("..", "..", "graph", "example_test.go"))
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)```go\n(.*?)```").FindStringSubmatch(readme(t))
	require.NotNil(t, shown)
	for _, line := range strings.Split(strings.TrimSpace(shown[1]), "\n") {
		assert.Contains(t, string(example), strings.TrimSpace(line))
	}
}
