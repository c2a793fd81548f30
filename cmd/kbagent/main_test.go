package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"kbagent": main})
}

// The scripts are the contract of the commands: names, flags, JSON fields, exit codes, messages.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"sparse": makeSparse,
			"binary": makeBinary,
			"nasty":  makeNasty,
		},
		Files: scripts(t),
		Setup: func(env *testscript.Env) error {
			env.Setenv("KB_AGENT_DATA_DIR", "data")
			env.Setenv("NO_COLOR", "1")
			env.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
	})
}

// printing are the scripts of commands in which nothing happens at the same time.
var printing = regexp.MustCompile(`^(bad_settings|completion_.*|eval.*|explore|graph|help|man|prompts|scenario.*|stats|history|threads)\.txtar$`)

func scripts(t *testing.T) (files []string) {
	all, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, file := range all {
		if !underRace || !printing.MatchString(filepath.Base(file)) {
			files = append(files, file)
		}
	}
	return files
}

// exits runs a command and compares its exit code: exits CODE COMMAND ARGS…
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// makeSparse makes a file of a size without its content: sparse FILE BYTES.
func makeSparse(ts *testscript.TestScript, _ bool, args []string) {
	size := map[string]int64{"1G": 1 << 30}[args[1]]
	path := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(path, nil, 0o644))
	ts.Check(os.Truncate(path, size))
}

// makeBinary makes a file that is no text: binary FILE.
func makeBinary(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("\x00\x01binary\xff"), 0o644))
}

// makeNasty writes a document that holds terminal escape codes and a card number: nasty FILE.
func makeNasty(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("# Blinkenlight\n\nThe blinkenlight is \x1b[31mred\x1b[0m \x1b]0;owned\x07 and costs 4111 1111 1111 1111.\n"), 0o644))
}
