//go:build unix

package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var capture = flag.Bool("capture", false, "write what the commands of the console blocks print into their pages")

// The pages whose console blocks are real: each "$ command", with its "> " lines, is run, and what follows is what it prints.
// All blocks of a page are one session in a folder that looks like a clone with bin/kbagent built.
var consolePages = []string{"README.md", filepath.Join("docs", "first-ten-minutes.md")}

func TestTheConsolesInTheManualShowWhatTheProgramPrints(t *testing.T) {
	if underRace {
		t.Skip("nothing happens at the same time")
	}
	for _, page := range consolePages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			path := filepath.Join("..", "..", page)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			clone := newClone(t)
			blocks := 0
			now := consoleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
				blocks++
				shown := consoleBlock.FindStringSubmatch(block)[1]
				printed := clone.session(shown)
				if !*capture {
					assert.Equal(t, modulo(shown), modulo(printed), "make capture writes it anew")
				}
				return "```console\n" + printed + "```"
			})
			assert.Positive(t, blocks)
			if *capture {
				require.NoError(t, os.WriteFile(path, []byte(now), 0o644))
			}
		})
	}
}

func TestTheReadmesConsoleStandsBetweenItsMarks(t *testing.T) {
	between := regexp.MustCompile(`(?s)<!-- capture -->\n(.*)<!-- /capture -->`).FindStringSubmatch(readme(t))
	require.NotNil(t, between)
	assert.Len(t, consoleBlock.FindAllString(between[1], -1), len(consoleBlock.FindAllString(readme(t), -1)))
}

// changing is what differs from run to run, and from one tuning of the searches to the next.
var changing = regexp.MustCompile(`\d+(\.\d+)?(ns|µs|ms|s)\b|\b[01]\.\d{2,3}\b|"elapsed_ms":\s*[\d.]+|\d+(\.\d+)? (bytes|KiB)`)

func modulo(text string) string { return changing.ReplaceAllString(text, "*") }

// clone is a folder in which commands are run as a person would type them.
type clone struct {
	t   *testing.T
	dir string
}

func newClone(t *testing.T) clone {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	exe, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	require.NoError(t, os.Symlink(exe, filepath.Join(dir, "bin", "kbagent")))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join("..", "..", "examples"))))
	return clone{t, dir}
}

// session runs the commands of a block and returns the block as it is now.
func (c clone) session(block string) string {
	var out strings.Builder
	var command string
	run := func() {
		if command != "" {
			out.WriteString(c.run(command))
			command = ""
		}
	}
	for line := range strings.Lines(block) {
		typed, starts := strings.CutPrefix(line, "$ ")
		more, goesOn := strings.CutPrefix(line, "> ")
		switch {
		case starts:
			run()
			command = typed
		case goesOn && command != "":
			command += more
		default:
			continue // what was printed
		}
		out.WriteString(line)
	}
	run()
	return out.String()
}

// run is what a command prints on a terminal, where it says nothing of where it ran. With -v it tells the time that it took.
func (c clone) run(command string) string {
	cmd := exec.CommandContext(c.t.Context(), "sh", "-c", command)
	cmd.Dir = c.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "NO_COLOR=1"}
	begin := time.Now()
	out, _ := cmd.CombinedOutput() // a failure shows in what is printed
	c.t.Logf("%.2f s  $ %s", time.Since(begin).Seconds(), strings.TrimSpace(command))
	return strings.ReplaceAll(string(out), c.dir, "~/kbagent")
}
