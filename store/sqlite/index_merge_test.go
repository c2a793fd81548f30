package sqlite_test

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

// small is a file of one passage that holds terms.
func small(path string, terms ...string) index.Document {
	text := path + " text"
	return index.Document{
		FileRecord: index.FileRecord{File: index.File{Root: "/r", Path: path, Size: int64(len(text)), Passages: 1}, Hash: sha256.Sum256([]byte(path))},
		Text:       text,
		Passages: []index.IndexedPassage{{
			Passage: index.Passage{ID: path, Path: path, Root: "/r", EndByte: len(text), Content: text},
			Terms:   index.Terms{Body: terms},
		}},
	}
}

func countOf(t *testing.T, path, what string) (n int) {
	t.Helper()
	require.NoError(t, rawQuery(t, path, `SELECT `+what).Scan(&n))
	return n
}

func TestManySmallChangesLeaveFewSegmentsAndNoBlobOfMergedOnes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	x := openIndexFile(t, path).Index()
	const files = 150
	for i := range files {
		require.NoError(t, x.Apply(t.Context(), index.Change{Put: []index.Document{small(fmt.Sprint(i), "all", fmt.Sprintf("t%d", i%10))}}))
	}
	assert.Less(t, countOf(t, path, `count(*) FROM index_segments`), 8)
	assert.Zero(t, countOf(t, path, `count(*) FROM index_blobs WHERE id >> 24 NOT IN (SELECT id FROM index_segments)`))
	matches, err := x.Keyword(t.Context(), index.KeywordQuery{Terms: []string{"all"}, K: files + 1})
	require.NoError(t, err)
	assert.Len(t, matches, files)
}

func TestARemovedFileLeavesNothingBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	x := openIndexFile(t, path).Index()
	require.NoError(t, x.Apply(t.Context(), index.Change{Put: []index.Document{small("a", "one"), small("b", "two")}}))
	require.NoError(t, x.Apply(t.Context(), index.Change{Remove: []index.FileKey{{Root: "/r", Path: "a"}}}))
	assert.Equal(t, 1, countOf(t, path, `sum(docs) FROM index_segments`), "half dead: written anew")
	require.NoError(t, x.Apply(t.Context(), index.Change{Remove: []index.FileKey{{Root: "/r", Path: "b"}}}))
	assert.Zero(t, countOf(t, path, `count(*) FROM index_segments`))
	assert.Zero(t, countOf(t, path, `count(*) FROM index_blobs`))
}

func TestAnotherHandleSeesWhatMergesLeave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	writer, reader := openIndexFile(t, path).Index(), openIndexFile(t, path).Index()
	for i := range 20 {
		require.NoError(t, writer.Apply(t.Context(), index.Change{Put: []index.Document{small(fmt.Sprint(i%6), "all", fmt.Sprintf("v%d", i))}}))
		matches, err := reader.Keyword(t.Context(), index.KeywordQuery{Terms: []string{"all"}, K: 100})
		require.NoError(t, err)
		assert.Len(t, matches, min(i+1, 6))
		matches, err = reader.Keyword(t.Context(), index.KeywordQuery{Terms: []string{fmt.Sprintf("v%d", i), fmt.Sprintf("v%d", i-6)}, K: 100})
		require.NoError(t, err)
		require.Len(t, matches, 1, "the new text, not the one it replaced")
	}
}

func TestARefusedChangeLeavesNoTraceInWhatLaterOnesFind(t *testing.T) {
	x := openIndexFile(t, filepath.Join(t.TempDir(), "kb.db")).Index()
	require.NoError(t, x.Apply(t.Context(), index.Change{Put: []index.Document{small("a", "one")}}))
	broken := small("b", "two")
	broken.Passages[0].Content = "other"
	require.Error(t, x.Apply(t.Context(), index.Change{Put: []index.Document{small("c", "three"), broken}}))
	require.NoError(t, x.Apply(t.Context(), index.Change{Put: []index.Document{small("d", "four")}}))
	freq, passages, err := x.DocFreq(t.Context(), []string{"one", "two", "three", "four"})
	require.NoError(t, err)
	assert.Equal(t, 2, passages)
	assert.Equal(t, map[string]int{"one": 1, "two": 0, "three": 0, "four": 1}, freq)
}
