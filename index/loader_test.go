package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

// upperLoader takes .up files, of which it makes upper case with a section for each line that ends in a colon.
type upperLoader struct {
	version string
	err     error
	mu      sync.Mutex
	loads   []string
}

func (l *upperLoader) Recipe(name string) string {
	if path.Ext(name) == ".up" {
		return l.version
	}
	return ""
}

func (l *upperLoader) Load(_ context.Context, name string, data []byte) (index.Loaded, error) {
	l.mu.Lock()
	l.loads = append(l.loads, name)
	l.mu.Unlock()
	if l.err != nil {
		return index.Loaded{}, l.err
	}
	loaded := index.Loaded{Text: strings.ToUpper(string(data)), Title: "Upper " + name}
	for i, line := range strings.Split(loaded.Text, "\n") {
		if heading, ok := strings.CutSuffix(line, ":"); ok {
			loaded.Marks = append(loaded.Marks, index.Mark{Line: i + 1, Level: 1, Title: heading})
		} else if name, ok := strings.CutPrefix(line, "FUNC "); ok {
			loaded.Marks = append(loaded.Marks, index.Mark{Line: i + 1, Title: name})
		}
	}
	return loaded, nil
}

func TestAFileOfAnotherFormatIsCitedByTheLinesOfItsText(t *testing.T) {
	x := open(t, newStore(t), nil, index.Options{Loader: &upperLoader{version: "up1"}})
	dir := folder(t, map[string]string{"sub/a.up": "first words\n\nkeys:\nrotate them\nmonthly\n\nlocks:\noil them", "b.md": "not taken"})
	report := update(t, x, dir)
	assert.Equal(t, index.FileCounts{Indexed: 1, Skipped: 1}, report.Files)
	hits := keyword(t, x, "rotate")
	require.Len(t, hits, 1)
	assert.Equal(t, "KEYS:\nROTATE THEM\nMONTHLY", hits[0].Content)
	assert.Equal(t, [4]any{"Upper sub/a.up", "KEYS", 3, 5}, [4]any{hits[0].Title, hits[0].Section, hits[0].StartLine, hits[0].EndLine})

	text, err := x.Text(t.Context(), dir, "sub/a.up")
	require.NoError(t, err)
	assert.True(t, text.Converted)
	assert.Equal(t, hits[0].Content, text.Content[hits[0].StartByte:hits[0].EndByte])
	_, err = x.Text(t.Context(), dir, "b.md")
	require.ErrorIs(t, err, index.ErrNotIndexed)
}

func TestATextThatIsWhatItsFileHoldsIsNotConverted(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "alpha"})
	update(t, x, dir)
	text, err := x.Text(t.Context(), dir, "a.md")
	require.NoError(t, err)
	assert.False(t, text.Converted)
	assert.Equal(t, [2]string{"alpha", "a.md"}, [2]string{text.Content, text.Path})
}

func TestAnotherVersionOfTheLoaderLoadsAgain(t *testing.T) {
	loader := &upperLoader{version: "up1"}
	x := open(t, newStore(t), nil, index.Options{Loader: loader})
	dir := folder(t, map[string]string{"a.up": "alpha"})
	assert.Equal(t, 1, update(t, x, dir).Files.Indexed)
	assert.Equal(t, 1, update(t, x, dir).Files.Unchanged)
	loader.version = "up2"
	assert.Equal(t, 1, update(t, x, dir).Files.Indexed)
	assert.Equal(t, []string{"a.up", "a.up"}, loader.loads, "an unchanged file is not loaded")
}

func TestWhatALoaderRefusesIsSkippedOrFailedAndTheRestGoesOn(t *testing.T) {
	tests := map[string]struct {
		err  error
		want index.FileCounts
		gone bool
	}{
		"skipped by the loader":    {fmt.Errorf("%w: a picture", index.ErrSkip), index.FileCounts{Skipped: 1}, true},
		"refused by the loader":    {errors.New("malformed"), index.FileCounts{Failed: 1}, true},
		"not loaded within a time": {fmt.Errorf("PDF: %w", context.DeadlineExceeded), index.FileCounts{Failed: 1}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			loader := &upperLoader{version: "up1"}
			x := open(t, newStore(t), nil, index.Options{Loader: loader})
			dir := folder(t, map[string]string{"a.up": "alpha"})
			update(t, x, dir)
			write(t, dir, map[string]string{"a.up": "beta"})
			loader.err = tt.err
			report := update(t, x, dir)
			assert.Equal(t, tt.want, report.Files)
			problem := append(report.Skips, report.Errors...)
			assert.Equal(t, []index.FileError{{Path: filepath.Join(dir, "a.up"), Error: tt.err.Error()}}, problem)
			assert.Equal(t, tt.gone, len(keyword(t, x, "alpha")) == 0)

			loader.err = nil
			assert.Equal(t, 1, update(t, x, dir).Files.Indexed, "the next update tries again")
		})
	}
}

func TestALoadersTextIsCheckedLikeAFiles(t *testing.T) {
	x := open(t, newStore(t), nil, index.Options{MaxFileBytes: 20, Loader: &upperLoader{version: "up1"}})
	dir := folder(t, map[string]string{"a.up": "nul\x00", "b.up": strings.Repeat("ɐ", 10), "c.up": "fine"})
	report := update(t, x, dir)
	assert.Equal(t, index.FileCounts{Indexed: 1, Failed: 2}, report.Files)
	assert.Contains(t, report.Errors[0].Error, "NUL")
	assert.Contains(t, report.Errors[1].Error, "its text has 30 bytes")
}

func TestNamedBlocksStayWholeAndNameTheirPassage(t *testing.T) {
	x := open(t, newStore(t), nil, index.Options{Loader: &upperLoader{version: "up1"}, Split: index.SplitOptions{TargetWords: 8, MaxWords: 8}})
	dir := folder(t, map[string]string{"a.up": "intro\n\nfunc one\nx\n\ny\n\nfunc two\nz\n\nfunc three\n" + strings.Repeat("red green blue\n\n", 4)})
	update(t, x, dir)
	var got []string
	for _, query := range []string{"y", "z", "red"} {
		for _, h := range keyword(t, x, query) {
			got = append(got, fmt.Sprintf("%s L%d-%d %s", query, h.StartLine, h.EndLine, h.Section))
		}
	}
	assert.ElementsMatch(t, []string{"y L1-9 ONE, TWO", "z L1-9 ONE, TWO", "red L11-14 THREE", "red L16-18 THREE"}, got)
}

func TestAUserMayIndexAFileByNameThatNoWalkTakes(t *testing.T) {
	x := open(t, newStore(t), nil, index.Options{Loader: &upperLoader{version: "up1"}})
	dir := folder(t, map[string]string{"a.up": "alpha", "b.other": "beta"})
	assert.Equal(t, 1, update(t, x, filepath.Join(dir, "b.other")).Files.Indexed)
	assert.Equal(t, index.FileCounts{Indexed: 1, Unchanged: 1, Skipped: 1}, update(t, x, dir).Files)
	require.NoError(t, os.Remove(filepath.Join(dir, "b.other")))
	assert.Equal(t, 1, update(t, x).Files.Removed)
}
