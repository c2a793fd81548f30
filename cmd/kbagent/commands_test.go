package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/manpage"
)

// visible are all commands that the help shows.
func visible(cmd *cobra.Command) (list []*cobra.Command) {
	for _, sub := range manpage.Visible(cmd) {
		list = append(append(list, sub), visible(sub)...)
	}
	return list
}

func allCommands() []*cobra.Command {
	return visible(newRoot(streams{os.Stdin, os.Stdout, os.Stderr}))
}

// read joins all files that a pattern names.
func readAll(t *testing.T, pattern string) string {
	names, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, names, pattern)
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
}

func TestEveryCommandIsPlayedInAScript(t *testing.T) {
	scripts := readAll(t, "testdata/*/*.txtar")
	for _, cmd := range allCommands() {
		if cmd.Runnable() {
			played := regexp.MustCompile(`(?m)(exec|exits \d+|!) ` + regexp.QuoteMeta(cmd.CommandPath()) + `( |$)`)
			assert.True(t, played.MatchString(scripts), "no script in testdata runs %s", cmd.CommandPath())
		}
	}
}

func TestEveryCommandIsInTheManualAndExplainsItself(t *testing.T) {
	manual := readAll(t, filepath.Join("..", "..", "docs", "commands.md"))
	for _, cmd := range allCommands() {
		assert.Contains(t, manual, cmd.Name(), "docs/commands.md does not name %s", cmd.CommandPath())
		if cmd.Parent() == cmd.Root() {
			assert.Regexp(t, `(?m)^## `+cmd.CommandPath()+`( |$)`, manual)
		}
		assert.NotEmpty(t, cmd.Example, cmd.CommandPath())
		assert.NotEmpty(t, cmd.Short, cmd.CommandPath())
		assert.False(t, strings.HasSuffix(cmd.Short, "."), "%s: the short help is no sentence", cmd.CommandPath())
	}
}
