package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/scenario"
)

func TestAReportOfScenariosCannotSteerTheTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	report := scenario.Report{Results: []scenario.Result{{File: "x.yaml", Line: 1, Scenario: "bad \x1b]0;title\x07\u009b2J claim", Error: "\x1b[2J"}}}
	require.NoError(t, scenarioRun{}.print(streams{out: file, err: file}, report, time.Time{}))
	require.NoError(t, file.Close())
	out, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	assert.Contains(t, string(out), "bad ]0;title2J claim")
	assert.NotContains(t, string(out), "\x1b")
	assert.NotContains(t, string(out), "\u009b")
}
