package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	fenced    = regexp.MustCompile("(?sm)^```([^\n]*)\n(.*?)^```$")
	shellWord = regexp.MustCompile(`"([^"]*)"|(\S+)`)
)

// The commands of the page about scenarios are run, one after the other, in a folder with a knowledge base.
func TestTheCommandsOfThePageAboutScenariosWork(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "scenarios.md"))
	require.NoError(t, err)
	here, err := filepath.Abs(filepath.Join("..", "..", "agent"))
	require.NoError(t, err)
	dir := newBase(t)
	require.NoError(t, os.CopyFS(filepath.Join(dir, "agent", "scenarios"), os.DirFS(filepath.Join(here, "scenarios"))))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "logs.md"), []byte("# Logs\n\nRotate the logs with logrotate. Logs are kept for a week.\n"), 0o600))
	code, _, stderr := finish(t, kbagent(t, dir, nil, "index", "-q", "logs.md"))
	require.Zero(t, code, stderr)
	ran := 0
	for _, block := range fenced.FindAllStringSubmatch(string(page), -1) {
		if block[1] != "" {
			continue // code and scenarios, which other tests run
		}
		for line := range strings.Lines(block[2]) {
			args, ok := strings.CutPrefix(strings.TrimSpace(line), "kbagent ")
			if !ok || strings.HasPrefix(args, "explore") { // which has tests of its own, and takes long
				continue
			}
			args, to, _ := strings.Cut(args, " > ")
			var words []string
			for _, w := range shellWord.FindAllStringSubmatch(args, -1) {
				words = append(words, w[1]+w[2])
			}
			code, stdout, stderr := finish(t, kbagent(t, dir, nil, words...))
			assert.Zero(t, code, "%s\n%s\n%s", line, stdout, stderr)
			if to != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, to), []byte(stdout), 0o600))
			}
			ran++
		}
	}
	assert.GreaterOrEqual(t, ran, 5)
}
