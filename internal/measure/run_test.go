package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain stands in for benchstat when it is called like it: it prints what it has been given.
func TestMain(m *testing.M) {
	if len(os.Args) != 3 || !strings.HasPrefix(os.Args[1], "HEAD=") {
		os.Exit(m.Run())
	}
	for _, arg := range os.Args[1:] {
		name, file, _ := strings.Cut(arg, "=")
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %d × Before, %d × After\n", name, strings.Count(string(text), "BenchmarkBefore"), strings.Count(string(text), "BenchmarkAfter"))
	}
}

// repository is a git repository with one module and one benchmark, committed.
func repository(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module small\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "a_test.go"), benchmark("Before", ""))
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", "commit", "-qm", "before")
	return dir
}

func benchmark(name, body string) string {
	return fmt.Sprintf("package small\n\nimport \"testing\"\n\nfunc Benchmark%s(b *testing.B) {\n%s\n\tfor b.Loop() {\n\t}\n}\n", name, body)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

func TestCompareRunsTheRefAndTheWorkTreeAndRemovesItsCheckout(t *testing.T) {
	dir := repository(t)
	write(t, filepath.Join(dir, "a_test.go"), benchmark("After", ""))
	self, err := os.Executable()
	require.NoError(t, err)
	var out, progress strings.Builder
	args := []string{"compare", "-dir", dir, "-ref", "HEAD", "-benchstat", self, "-count", "2", "-benchtime", "1x", "."}
	require.NoError(t, run(t.Context(), args, &out, &progress), progress.String())
	assert.Equal(t, "HEAD: 2 × Before, 0 × After\nwork tree: 0 × Before, 2 × After\n", out.String())
	assert.Len(t, strings.Split(strings.TrimSpace(git(t, dir, "worktree", "list")), "\n"), 1)
	assert.Contains(t, progress.String(), "BenchmarkAfter", "the lines show while they come")
}

func TestCompareRemovesItsCheckoutAlsoWhenABenchmarkFails(t *testing.T) {
	dir := repository(t)
	write(t, filepath.Join(dir, "a_test.go"), benchmark("After", `	b.Fatal("broken")`))
	self, err := os.Executable()
	require.NoError(t, err)
	var out, progress strings.Builder
	args := []string{"compare", "-dir", dir, "-ref", "HEAD", "-benchstat", self, "-count", "1", "-benchtime", "1x", "."}
	require.Error(t, run(t.Context(), args, &out, &progress))
	assert.Empty(t, out.String())
	assert.Len(t, strings.Split(strings.TrimSpace(git(t, dir, "worktree", "list")), "\n"), 1)
}

func TestARefThatDoesNotExistIsAnError(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	var out, progress strings.Builder
	args := []string{"compare", "-dir", repository(t), "-ref", "no-such-ref", "-benchstat", self, "."}
	require.Error(t, run(t.Context(), args, &out, &progress))
	assert.Contains(t, progress.String(), "no-such-ref", "git says what is wrong")
}

func TestAFailingBenchmarkIsAnErrorAndWhatWasMeasuredIsShown(t *testing.T) {
	dir := repository(t)
	write(t, filepath.Join(dir, "b_test.go"), benchmark("Broken", `	b.Fatal("broken")`))
	var out, progress strings.Builder
	err := run(t.Context(), []string{"floors", "-dir", dir, "-count", "1", "-benchtime", "1x", "."}, &out, &progress)
	require.ErrorContains(t, err, "BenchmarkBroken")
	assert.Contains(t, out.String(), "small Before")
}
