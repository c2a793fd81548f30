package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/indextest"
	"github.com/kbagent/kbagent/store/sqlite"
)

func openIndexFile(t *testing.T, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Synchronous: "NORMAL"})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db
}

func TestIndexKeepsTheContractOfItsStore(t *testing.T) {
	indextest.Store(t, func(t *testing.T) index.Store {
		return openIndexFile(t, filepath.Join(t.TempDir(), "kb.db")).Index()
	})
}

func TestTwoHandlesOfOneFileSeeOneIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	a, b := openIndexFile(t, path).Index(), openIndexFile(t, path).Index()
	require.NoError(t, a.Apply(t.Context(), index.Change{AddRoots: []string{"/r"}}))
	roots, err := b.Roots(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"/r"}, roots)
	va, err := a.Version(t.Context())
	require.NoError(t, err)
	vb, err := b.Version(t.Context())
	require.NoError(t, err)
	assert.Equal(t, va, vb)
}

func TestAFileThatIsNoIndexIsReportedAndLeftAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	garbage := []byte("this is a text file and no database, long enough to have a header of its own. It must survive.")
	require.NoError(t, os.WriteFile(path, garbage, 0o600))
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.ErrorIs(t, err, sqlite.ErrDamaged)
	assert.ErrorContains(t, err, path)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, garbage, after)
}

func TestAnIndexWithOverwrittenPagesIsReportedAsDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kb.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	x, err := index.Open(t.Context(), db.Index(), nil, index.Options{})
	require.NoError(t, err)
	_, err = x.Put(t.Context(), "r", indexRecords(200))
	require.NoError(t, err)
	require.NoError(t, db.Close())

	overwriteIndexPages(t, path)
	db, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	if err == nil {
		t.Cleanup(func() { assert.NoError(t, db.Close()) })
		x, err = index.Open(t.Context(), db.Index(), nil, index.Options{})
	}
	if err == nil {
		_, err = x.Keyword(t.Context(), "passage word", 10)
	}
	assert.ErrorIs(t, err, sqlite.ErrDamaged)
}

// overwriteIndexPages fills everything behind the first page with rubbish.
func overwriteIndexPages(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Greater(t, len(data), 16<<10)
	for i := 4096; i < len(data); i++ {
		data[i] = byte(i * 7)
	}
	require.NoError(t, os.WriteFile(path, data, 0o600))
}

func indexRecords(n int) []index.Record {
	out := make([]index.Record, n)
	for i := range out {
		out[i] = index.Record{Path: filepath.Join("p", string(rune('a'+i%26)), string(rune('a'+i/26))), Text: "a passage with a word or two in it"}
	}
	return out
}
