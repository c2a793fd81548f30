package sqlite_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/store/sqlite"
)

// killSent, in the child, is a file that gets a line for each text that was embedded.
const killSent = "KBAGENT_TEST_KILL_SENT"

const killBatch = 16 // texts of one call

// hashEmbedder makes vectors of the hashes of texts.
type hashEmbedder struct{ sent string }

func (hashEmbedder) Model() string { return "hash" }

func (e hashEmbedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	var lines strings.Builder
	for i, text := range texts {
		hash := sha256.Sum256([]byte(text))
		fmt.Fprintf(&lines, "%x\n", hash)
		for _, b := range hash[:8] {
			vectors[i] = append(vectors[i], float32(b)+1)
		}
	}
	if e.sent == "" {
		return vectors, nil
	}
	f, err := os.OpenFile(e.sent, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteString(lines.String()); err != nil {
		return nil, err
	}
	return vectors, f.Close()
}

func openEmbedded(t *testing.T, db *sqlite.DB, sent string) *index.Index {
	t.Helper()
	x, err := index.Open(t.Context(), db.Index(), hashEmbedder{sent}, index.Options{EmbedBatch: killBatch})
	require.NoError(t, err)
	return x
}

// TestEmbedInAChildProcess is no test by itself: it is what TestAnUpdateThatIsKilledAgainAndAgain… kills.
func TestEmbedInAChildProcess(t *testing.T) {
	path := os.Getenv(killSent)
	if path == "" {
		t.Skip("run by TestAnUpdateThatIsKilledAgainAndAgainEndsAsAFreshOne")
	}
	x := openEmbedded(t, openIndexFile(t, os.Getenv(killDatabase)), path)
	_, err := x.Update(t.Context(), []string{os.Getenv(killFolder)}, index.UpdateOptions{Progress: func(p index.Progress) {
		fmt.Println("at", p.Phase, p.Done)
	}})
	require.NoError(t, err)
	fmt.Println("finished")
}

func TestAnUpdateThatIsKilledAgainAndAgainEndsAsAFreshOne(t *testing.T) {
	folder, path, sent := t.TempDir(), filepath.Join(t.TempDir(), "kb.db"), filepath.Join(t.TempDir(), "sent")
	const files = 700 // several batches
	for i := range files {
		text := fmt.Sprintf("# File %d\n\nshared words of all files\n\n## Part\n\n%s\n", i, strings.Repeat(fmt.Sprintf("word%d ", i%500), 30))
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("f%04d.md", i)), []byte(text), 0o600))
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	kills := 0
	for !killAfter(t, path, folder, sent, 1+random.IntN(12)) {
		kills++
	}
	assert.Positive(t, kills)

	fresh := filepath.Join(t.TempDir(), "fresh.db")
	db, freshDB := openIndexFile(t, path), openIndexFile(t, fresh)
	_, err := openEmbedded(t, freshDB, "").Update(t.Context(), []string{folder}, index.UpdateOptions{})
	require.NoError(t, err)
	want := dump(t, freshDB)
	assert.Len(t, want, 1+files, "a root, and the files")
	assert.Equal(t, want, dump(t, db), "after %d kills", kills)

	lines, err := os.ReadFile(sent)
	require.NoError(t, err)
	all := strings.Fields(string(lines))
	different := len(slices.Compact(slices.Sorted(slices.Values(all))))
	assert.LessOrEqual(t, len(all)-different, kills*killBatch, "at most the call that a kill interrupted was made twice")
	t.Logf("%d kills, %d texts sent, %d different", kills, len(all), different)
	report, err := openEmbedded(t, db, "").Update(t.Context(), []string{folder}, index.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, index.FileCounts{Unchanged: files}, report.Files)
}

// killAfter runs the child and kills it after some lines of progress; it reports whether the child finished before.
func killAfter(t *testing.T, database, folder, sent string, lines int) (finished bool) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), self, "-test.run=^TestEmbedInAChildProcess$", "-test.v")
	child.Env = append(os.Environ(), killDatabase+"="+database, killFolder+"="+folder, killSent+"="+sent)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	progress := bufio.NewScanner(out)
	for lines > 0 && progress.Scan() {
		if strings.HasPrefix(progress.Text(), "at ") {
			lines--
		}
		if progress.Text() == "finished" {
			finished = true
		}
	}
	if lines > 0 {
		assert.NoError(t, child.Wait())
		assert.True(t, finished, "the child ended by itself before it was done")
		return true
	}
	assert.NoError(t, child.Process.Kill()) // SIGKILL, wherever it is by now
	return child.Wait() == nil              // it may have been faster
}

// dump is what an index holds, a line for each root and each file with its passages and their vectors, without what differs
// between two indexes of the same files: keys and versions.
func dump(t *testing.T, db *sqlite.DB) (lines []string) {
	t.Helper()
	store := db.Index()
	roots, err := store.Roots(t.Context())
	require.NoError(t, err)
	lines = append(lines, roots...)
	vectors, err := store.Vectors(t.Context(), "hash")
	require.NoError(t, err)
	passages, err := store.Passages(t.Context(), vectors.Keys)
	require.NoError(t, err)
	require.Len(t, passages, len(vectors.Keys))
	byPassage := map[string][]float32{}
	for i, key := range vectors.Keys {
		p := passages[key]
		place := fmt.Sprint(p.Root, p.Path, p.StartByte)
		require.NotContains(t, byPassage, place, "a passage has one vector")
		byPassage[place] = vectors.Values[i*vectors.Dim : (i+1)*vectors.Dim]
	}
	used := 0
	for source, err := range store.Sources(t.Context()) {
		require.NoError(t, err)
		line := fmt.Sprintf("%+v %q", source.FileRecord, source.Text)
		for _, p := range source.Passages {
			v := byPassage[fmt.Sprint(p.Root, p.Path, p.StartByte)]
			require.NotEmpty(t, v, "%s has a vector", p.ID)
			used++
			line += fmt.Sprintf("\n  %+v %v", p, v)
		}
		lines = append(lines, line)
	}
	assert.Equal(t, used, len(vectors.Keys))
	for _, term := range []string{"share", "word7", "file"} {
		freq, n, err := store.DocFreq(t.Context(), []string{term})
		require.NoError(t, err)
		lines[0] += fmt.Sprintf(" %s %d of %d", term, freq[term], n)
	}
	return lines
}
