package sqlite_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/store/sqlite"
)

const (
	killDatabase = "KBAGENT_TEST_KILL_DATABASE" // set in the child only: the file to index into
	killFolder   = "KBAGENT_TEST_KILL_FOLDER"
)

// TestIndexInAChildProcess is no test by itself: it is what TestAKilledUpdate… kills.
func TestIndexInAChildProcess(t *testing.T) {
	path := os.Getenv(killDatabase)
	if path == "" {
		t.Skip("run by TestAKilledUpdateKeepsWhatItCommittedAndARerunCompletesIt")
	}
	x := openIndex(t, openIndexFile(t, path))
	commits := 0
	_, err := x.Update(t.Context(), []string{os.Getenv(killFolder)}, index.UpdateOptions{Progress: func(p index.Progress) {
		if p.Phase == index.PhaseIndex {
			fmt.Println("committed", p.Done) // the parent kills us from the first such line on
			if commits++; commits == 3 {
				<-t.Context().Done() // a slow parent shall not find us finished
			}
		}
	}})
	require.NoError(t, err)
}

func TestAKilledUpdateKeepsWhatItCommittedAndARerunCompletesIt(t *testing.T) {
	folder, path := t.TempDir(), filepath.Join(t.TempDir(), "kb.db")
	const files = 1500 // several batches
	for i := range files {
		text := fmt.Sprintf("# File %d\n\n%s\n", i, strings.Repeat("some words of the file. ", 40))
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%04d.md", i)), []byte(text), 0o600))
	}
	killAtFirstCommit(t, path, folder)

	db := openIndexFile(t, path)
	x := openIndex(t, db)
	stats, err := x.Stats(t.Context())
	require.NoError(t, err)
	assert.Positive(t, stats.Files, "the batch that the child reported is there")
	for source, err := range db.Index().Sources(t.Context()) {
		require.NoError(t, err)
		onDisk, err := os.ReadFile(filepath.Join(folder, source.Path))
		require.NoError(t, err)
		assert.Equal(t, string(onDisk), source.Text, "a committed file is whole")
	}

	report, err := x.Update(t.Context(), []string{folder}, index.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, stats.Files, report.Files.Unchanged, "nothing that was committed is done again")
	assert.Equal(t, files-stats.Files, report.Files.Indexed)
	hits, err := x.Keyword(t.Context(), "words", files+1)
	require.NoError(t, err)
	assert.Len(t, hits, files)
}

// killAtFirstCommit runs the child until its first committed batch and kills it.
func killAtFirstCommit(t *testing.T, database, folder string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), self, "-test.run=^TestIndexInAChildProcess$", "-test.v")
	child.Env = append(os.Environ(), killDatabase+"="+database, killFolder+"="+folder)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "committed") {
	}
	assert.NoError(t, child.Process.Kill()) // SIGKILL
	assert.Error(t, child.Wait(), "the child was killed before it was done")
}

func openIndex(t *testing.T, db *sqlite.DB) *index.Index {
	t.Helper()
	x, err := index.Open(t.Context(), db.Index(), nil, index.Options{})
	require.NoError(t, err)
	return x
}
