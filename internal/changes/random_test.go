package changes

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAfterRandomChangesTheMirrorIsTheFolder writes, moves and removes files and folders at random, faster than they are told.
func TestAfterRandomChangesTheMirrorIsTheFolder(t *testing.T) {
	m := watchFolder(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	folders := []string{".", "sub", "sub/deep", "x", "x/y", "x/y/z"}
	anywhere := func() string { return filepath.Join(m.dir, folders[random.IntN(len(folders))]) }
	for i := range 400 {
		switch random.IntN(6) {
		case 0:
			tolerate(t, os.MkdirAll(anywhere(), 0o755))
		case 1:
			if dir := anywhere(); dir != m.dir {
				tolerate(t, os.RemoveAll(dir))
			}
		case 2: // a folder gets another name, with all that is in it
			if from, to := anywhere(), anywhere(); from != m.dir && to != m.dir {
				_ = os.Rename(from, to) // may not fit: to is not empty, or lies in from
			}
		case 3:
			_ = os.Rename(filepath.Join(anywhere(), "a.md"), filepath.Join(anywhere(), "b.md"))
		default:
			err := os.WriteFile(filepath.Join(anywhere(), fmt.Sprintf("%c.md", 'a'+random.IntN(3))), fmt.Appendf(nil, "%d", i), 0o600)
			tolerate(t, err)
		}
	}
	require.NoError(t, os.WriteFile(m.at("last.md"), []byte("last"), 0o600)) // something is told after it all
	var want []string
	require.NoError(t, filepath.WalkDir(m.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(m.dir, p)
		require.NoError(t, err)
		text, err := os.ReadFile(p)
		want = append(want, filepath.ToSlash(rel), string(text))
		return err
	}))
	m.shows(want...)
}

// tolerate fails the test unless err says that a folder is not there.
func tolerate(t *testing.T, err error) {
	t.Helper()
	if err != nil && !os.IsNotExist(err) {
		require.NoError(t, err)
	}
}
