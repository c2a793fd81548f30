//go:build unix

package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The pages of docs/formats show what the program prints about the files of index/load/testdata, and this is how it stays so.

var updateFormats = flag.Bool("update-formats", false, "write the examples in docs/formats anew")

// consoleBlock is a block of commands with what they print.
var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")

// elapsed is the one thing that changes in what is shown.
var elapsed = regexp.MustCompile(`in [0-9.]+(µs|ms|s)\n`)

// console runs the commands of a block in the root of the repository, and returns the block as it should be.
func console(t *testing.T, dir, block string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(block) {
		command, ok := strings.CutPrefix(line, "$ kbagent ")
		if !ok {
			continue
		}
		cmd := kbagent(t, filepath.Join("..", ".."), nil, arguments(command)...)
		cmd.Env = append(cmd.Env, "KB_AGENT_DATA_DIR="+dir)
		_, stdout, _ := finish(t, cmd)
		b.WriteString(line + elapsed.ReplaceAllString(stdout, "in 1ms\n"))
	}
	return b.String()
}

// arguments cuts a command at spaces that stand in no quotes.
func arguments(command string) []string {
	var list []string
	for i, part := range strings.Split(strings.TrimSpace(command), `"`) {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

func TestEveryPageOfAFormatShowsWhatTheProgramPrintsAboutARealFile(t *testing.T) {
	if underRace {
		t.Skip("nothing happens at the same time")
	}
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "formats", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(page)
			require.NoError(t, err)
			dir := t.TempDir() // one knowledge base a page
			source := strings.ReplaceAll(string(text), "\r\n", "\n")
			blocks := 0
			want := consoleBlock.ReplaceAllStringFunc(source, func(block string) string {
				blocks++
				return "```console\n" + console(t, dir, consoleBlock.FindStringSubmatch(block)[1]) + "```"
			})
			require.Positive(t, blocks, "the page shows no example")
			if *updateFormats {
				require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
				return
			}
			assert.Equal(t, want, source, "go test ./cmd/kbagent -run Format -update-formats writes it anew")
		})
	}
}

func TestTheOverviewOfFormatsLinksEveryPage(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	overview, err := os.ReadFile(filepath.Join(docs, "formats.md"))
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(docs, "formats", "*.md"))
	require.NoError(t, err)
	for _, page := range pages {
		assert.Contains(t, string(overview), "(formats/"+filepath.Base(page)+")")
	}
}
