package postgres_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/indextest"
	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

func TestTheIndexKeepsTheContractOfItsStore(t *testing.T) {
	indextest.Store(t, func(t *testing.T) index.Store { return open(t, postgres.Options{}).Index() })
}

// file is a document of one passage, whose words are its terms.
func file(path, content string) index.Document {
	p := index.Passage{ID: index.PassageID(path, 0, len(content), content), Path: path, Root: "/r", Title: path, StartLine: 1, EndLine: 1, EndByte: len(content), Content: content}
	return index.Document{
		FileRecord: index.FileRecord{File: index.File{Path: path, Root: "/r", Title: path, Size: int64(len(content)), Lines: 1, Passages: 1}},
		Text:       content, Passages: []index.IndexedPassage{{Passage: p, Terms: index.Terms{Body: strings.Fields(content)}, Digest: sha256.Sum256([]byte(content))}},
	}
}

func TestChangesOfSeveralProcessesComeOneAfterTheOther(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	openAt(t, url, postgres.Options{Schema: schema})
	var all sync.WaitGroup
	const processes, changes = 4, 8
	for p := range processes {
		x := openAt(t, url, postgres.Options{Schema: schema}).Index()
		all.Go(func() {
			for i := range changes { // all write the same file, and each one of its own
				c := index.Change{Put: []index.Document{file("shared.md", fmt.Sprintf("alpha %d %d", p, i)), file(fmt.Sprintf("%d-%d.md", p, i), "alpha beta")}}
				assert.NoError(t, x.Apply(t.Context(), c))
			}
		})
	}
	all.Wait()
	x := openAt(t, url, postgres.Options{Schema: schema}).Index()
	c, err := x.Counts(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []int{processes * changes, processes*changes + 1, processes*changes + 1}, []int{int(c.Version), c.Files, c.Passages})
	freq, passages, err := x.DocFreq(t.Context(), []string{"alpha", "beta"})
	require.NoError(t, err)
	assert.Equal(t, processes*changes+1, passages, "the sums are kept")
	assert.Equal(t, map[string]int{"alpha": passages, "beta": passages - 1}, freq)
}

func TestBytesThatAreNoTextAreKept(t *testing.T) {
	x := open(t, postgres.Options{}).Index()
	odd := file("odd \xff.md", "a\x00b \xfe\xff ü")
	require.NoError(t, x.Apply(t.Context(), index.Change{Put: []index.Document{odd}}))
	s, found, err := x.Source(t.Context(), index.FileKey{Root: "/r", Path: odd.Path})
	require.NoError(t, err)
	require.True(t, found)
	assert.Equal(t, odd.Text, s.Text)
	matches, err := x.Keyword(t.Context(), index.KeywordQuery{Terms: []string{"a\x00b"}, K: 1})
	require.NoError(t, err)
	require.Len(t, matches, 1)
	assert.Equal(t, odd.Passages[0].Passage, matches[0].Passage)
}

func TestDamagedVectorsAreNamed(t *testing.T) {
	url, schema := pgtest.Start(t), newSchema()
	x := openAt(t, url, postgres.Options{Schema: schema}).Index()
	docs := []index.Document{file("a.md", "alpha"), file("b.md", "beta")}
	vectors := []index.Vector{{Model: "m", Digest: docs[0].Passages[0].Digest, Values: []float32{1, 0}}, {Model: "m", Digest: docs[1].Passages[0].Digest, Values: []float32{0, 1}}}
	require.NoError(t, x.Apply(t.Context(), index.Change{Put: docs, Vectors: vectors}))
	_, err := session(t, url, schema).Exec(t.Context(), `UPDATE index_vectors SET vector = substr(vector, 1, 5) WHERE digest = $1`, docs[1].Passages[0].Digest[:])
	require.NoError(t, err)
	_, err = x.Vectors(t.Context(), "m")
	require.ErrorIs(t, err, index.ErrDamaged)
	require.NotErrorIs(t, err, postgres.ErrReplyLost, "nothing was written")
	_, err = session(t, url, schema).Exec(t.Context(), `UPDATE index_files SET tail = 'x'`)
	require.NoError(t, err)
	for _, err := range x.Sources(t.Context()) {
		require.ErrorIs(t, err, index.ErrDamaged)
		break
	}
}

// Its terms are written by several statements, each of which has the time limit for itself.
func TestAFileOfVeryManyTermsIsStoredWhole(t *testing.T) {
	x := open(t, postgres.Options{}).Index()
	const n = 120_000
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("w%d", i)
	}
	require.NoError(t, x.Apply(t.Context(), index.Change{Put: []index.Document{file("many.md", strings.Join(words, " "))}}))
	terms, err := x.Vocabulary(t.Context(), "w", nil)
	require.NoError(t, err)
	assert.Len(t, terms, n)
}
