package sqlite_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/store/sqlite"
)

func TestAFileThatIsUpToDateIsOpenedWhileSomebodyWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kbagent.db")
	first, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	defer first.Close()
	writing := lock(t, path)
	second, err := sqlite.Open(t.Context(), path, sqlite.Options{}) // would wait ten seconds for the lock, and fail
	require.NoError(t, err)
	require.NoError(t, second.Close())
	writing()
}

func TestTheFileIsReadableByItsOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	path := filepath.Join(t.TempDir(), "kbagent.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	defer db.Close()
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it holds conversations")
}

func TestCheckFindsDamageInTheMiddle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kbagent.db")
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	require.NoError(t, err)
	require.NoError(t, db.Check(t.Context()))
	require.NoError(t, db.Close())
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 4096; i < len(data); i++ { // all pages but the first
		data[i] = 0xAD
	}
	require.NoError(t, os.WriteFile(path, data, 0o600))
	db, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	if err == nil {
		defer db.Close()
		err = db.Check(t.Context())
	}
	require.ErrorIs(t, err, index.ErrDamaged)
}
