package load_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/index/load"
)

func newFiles(t testing.TB, opts load.Options) *load.Files {
	t.Helper()
	f, err := load.New(opts)
	require.NoError(t, err)
	return f
}

// patient is for tests that are about something else than the time that a file takes.
var patient = load.Options{Timeout: 10 * time.Minute}

// read loads a file that is expected to be fine.
func read(t testing.TB, name, data string) index.Loaded {
	t.Helper()
	loaded, err := newFiles(t, patient).Load(t.Context(), name, []byte(data))
	require.NoError(t, err)
	return loaded
}

// refused is the error for a file that is expected not to be.
func refused(t testing.TB, name, data string) error {
	t.Helper()
	_, err := newFiles(t, patient).Load(t.Context(), name, []byte(data))
	require.Error(t, err)
	return err
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(data)
}

// lines is the text by line number, as citations count.
func lines(loaded index.Loaded) []string {
	return append([]string{""}, strings.Split(loaded.Text, "\n")...)
}

// outline is the marks as "line level title".
type outline struct {
	Line, Level int
	Title       string
}

func marks(loaded index.Loaded) (out []outline) {
	for _, m := range loaded.Marks {
		out = append(out, outline{m.Line, m.Level, m.Title})
	}
	return out
}
