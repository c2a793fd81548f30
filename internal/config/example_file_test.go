package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/joho/godotenv"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write .env.example anew")

var exampleFile = filepath.Join("..", "..", ".env.example")

// exampleText is .env.example as the table of variables has it.
func exampleText(c Config) string {
	var b strings.Builder
	b.WriteString("# Settings of kbagent. Copy this file to .env and remove the # in front of what you change.\n")
	b.WriteString("# Flags count more than environment variables, and those more than this file. Values with $ need 'single quotes'.\n")
	for _, v := range c.Values() {
		value := v.Default
		if strings.Contains(value, " ") {
			value = strconv.Quote(value)
		}
		fmt.Fprintf(&b, "\n# %s\n#%s=%s\n", v.Description, v.Name, value)
	}
	return b.String()
}

func TestTheExampleFileListsExactlyTheVariablesThatExist(t *testing.T) {
	c, err := Load(Options{EnvFile: os.DevNull, Environ: []string{}})
	require.NoError(t, err)
	want := exampleText(c)
	if *update {
		require.NoError(t, os.WriteFile(exampleFile, []byte(want), 0o644))
	}
	got, err := os.ReadFile(exampleFile)
	require.NoError(t, err)
	assert.Equal(t, want, strings.ReplaceAll(string(got), "\r\n", "\n"), "go test ./internal/config -update writes it anew")
}

func TestTheExampleFileWithItsValuesSwitchedOnChangesNothing(t *testing.T) {
	text, err := os.ReadFile(exampleFile)
	require.NoError(t, err)
	on := filepath.Join(t.TempDir(), "on.env")
	require.NoError(t, os.WriteFile(on, []byte(strings.ReplaceAll(string(text), "#"+prefix, prefix)), 0o600))
	written, err := godotenv.Read(on)
	require.NoError(t, err)
	for name := range written {
		_, ok := lookup(name)
		assert.True(t, ok, name)
	}
	assert.Len(t, written, len(Names()))

	want, err := Load(Options{EnvFile: os.DevNull, Environ: []string{}})
	require.NoError(t, err)
	got, err := Load(Options{EnvFile: on, Environ: []string{}})
	require.NoError(t, err)
	want.values, got.values, want.given, got.given = nil, nil, nil, nil
	assert.Equal(t, want, got)
}

func TestTheTableOfVariablesIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range known {
		assert.False(t, seen[v.name], v.name)
		seen[v.name] = true
		assert.NotEmpty(t, v.help, v.name)
		assert.NotContains(t, v.help, "\n", v.name)
		switch v.typ {
		case reflect.TypeFor[int](), reflect.TypeFor[float64]():
			for _, tag := range []string{v.min, v.max} {
				_, err := strconv.ParseFloat(tag, 64)
				assert.NoError(t, err, v.name)
			}
		case reflect.TypeFor[time.Duration]():
			for _, tag := range []string{v.min, v.max} {
				_, err := time.ParseDuration(tag)
				assert.NoError(t, err, v.name)
			}
		}
	}
}
