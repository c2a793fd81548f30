package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAnEditLeavesTheOtherLinesAndReplacesAllThatSetTheVariable(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".env")
	require.NoError(t, os.WriteFile(path, []byte("# mine\nOTHER='a b'\nexport KB_AGENT_LLM_MODEL=old\n\n#KB_AGENT_LLM_MODEL=example\nKB_AGENT_LLM_MODEL=older\nKB_AGENT_LLM_MODEL_X=1\nLAST=1"), 0o644))
	require.NoError(t, Edit(path, []Change{{"KB_AGENT_LLM_MODEL", "new one"}, {"KB_AGENT_LLM_BASE_URL", "http://localhost:1/v1"}, {"OTHER", ""}}))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "# mine\nKB_AGENT_LLM_MODEL='new one'\n\n#KB_AGENT_LLM_MODEL=example\nKB_AGENT_LLM_MODEL_X=1\nLAST=1\nKB_AGENT_LLM_BASE_URL=http://localhost:1/v1\n", string(text))
}

func TestANewFileIsForItsOwnerAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".env")
	for range 2 { // made, and replaced
		require.NoError(t, Edit(path, []Change{{"KB_AGENT_LLM_MODEL", "m"}}))
		info, err := os.Stat(path)
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			assert.EqualValues(t, 0o600, info.Mode().Perm())
			require.NoError(t, os.Chmod(path, 0o644))
		}
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no other file is left")
}

func TestALinkStaysALink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "real"), filepath.Join(dir, ".env")
	require.NoError(t, os.WriteFile(file, []byte("A=1\n"), 0o600))
	if err := os.Symlink(file, link); err != nil {
		t.Skip("no links here:", err)
	}
	require.NoError(t, Edit(link, []Change{{"B", "2"}}))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "A=1\nB=2\n", string(text))
}

func TestAnEditThatFailsLeavesTheFileAndNoOther(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".env")
	require.NoError(t, os.WriteFile(path, []byte("A=1\n"), 0o600))
	assert.ErrorContains(t, Edit(path, []Change{{"KB_AGENT_LLM_MODEL", "two\nlines"}}), "has to be text on one line")
	assert.Error(t, Edit(filepath.Join(dir, "nowhere", ".env"), []Change{{"A", "1"}}))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "A=1\n", string(text))
}

// Whatever the value, what is read is what was written; or it was refused, as few are.
func TestAWrittenValueIsReadAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringOfN(rapid.OneOf(rapid.RuneFrom([]rune(`ab$'"\#=: {}(n!`+"`é")), rapid.Rune()), 1, 20, -1).Filter(func(s string) bool {
			return strings.TrimSpace(s) == s && !strings.ContainsRune(s, '\uFEFF')
		}).Draw(t, "value")
		text, err := edited("KB_AGENT_DATA_DIR=x\n", []Change{{"KB_AGENT_ABSTENTION", value}})
		if err != nil {
			if strings.ContainsAny(value, `'\`) && strings.ContainsAny(value, `"\`) || strings.ContainsFunc(value, unicode.IsControl) {
				return
			}
			t.Fatal(err)
		}
		read, faults, err := parseFile(".env", []byte(text))
		if err != nil || len(faults) > 0 {
			t.Fatal(err, faults)
		}
		if got := read["KB_AGENT_ABSTENTION"].value; got != value || read["KB_AGENT_DATA_DIR"].value != "x" {
			t.Fatalf("wrote %q, read %q from\n%s", value, got, text)
		}
	})
}

func TestASingleValueIsCheckedByItself(t *testing.T) {
	assert.NoError(t, Check("KB_AGENT_LLM_BASE_URL", "http://localhost:11434/v1"))
	assert.NoError(t, Check("KB_AGENT_LLM_BASE_URL", ""))
	assert.NoError(t, Check("KB_AGENT_LLM_MODEL", "m"), "that it needs an address is the business of all settings together")
	assert.ErrorContains(t, Check("KB_AGENT_LLM_BASE_URL", "localhost"), "an http or https address")
	assert.ErrorContains(t, Check("KB_AGENT_MAX_ITERATIONS", "11"), "a whole number from 1 to 10")
	assert.ErrorContains(t, Check("KB_AGENT_NOPE", "1"), "there is no such setting")
	err := Check("KB_AGENT_LLM_API_KEY", "sec\x01ret")
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "sec")
}
