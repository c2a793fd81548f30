package index_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

// numbered is n lines "line 1" …, those in marks with " mark" behind.
func numbered(n int, lineBreak string, marks ...int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d", i)
		for _, m := range marks {
			if m == i {
				b.WriteString(" mark")
			}
		}
		b.WriteString(lineBreak)
	}
	return b.String()
}

func TestGrepShowsMatchesWithTheirSurroundings(t *testing.T) {
	tests := []struct {
		name  string
		marks []int
		want  [][2]int
	}{
		{"ten lines around", []int{50}, [][2]int{{40, 60}}},
		{"clamped at the file's ends", []int{1, 100}, [][2]int{{1, 11}, {90, 100}}},
		{"nineteen lines apart is one hit", []int{30, 49}, [][2]int{{20, 59}}},
		{"twenty lines apart are two hits", []int{30, 50}, [][2]int{{20, 40}, {40, 60}}},
		{"a chain of near matches is one hit", []int{30, 45, 60}, [][2]int{{20, 70}}},
	}
	for _, tt := range tests {
		for _, lineBreak := range []string{"\n", "\r\n"} {
			t.Run(fmt.Sprintf("%s with %q", tt.name, lineBreak), func(t *testing.T) {
				x := newIndex(t)
				source := numbered(100, lineBreak, tt.marks...)
				update(t, x, folder(t, map[string]string{"a.txt": source}))
				hits, err := x.Grep(t.Context(), "mark$", 0)
				require.NoError(t, err)
				got := [][2]int{}
				for _, h := range hits {
					got = append(got, [2]int{h.StartLine, h.EndLine})
					assert.Equal(t, source[h.StartByte:h.EndByte], h.Content)
					assert.Equal(t, index.PassageID("a.txt", h.StartByte, h.EndByte, h.Content), h.ID)
					assert.Equal(t, index.KindNone, h.Kind)
					assert.Zero(t, h.Score)
				}
				assert.Equal(t, tt.want, got)
			})
		}
	}
}

func TestGrepReadsTheSourcesAsTheyWereIndexed(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "---\ntitle: Front\n---\n# One\ntext\n\n## Two\nalpha\n", "b.md": "alpha\n"})
	update(t, x, dir)
	write(t, dir, map[string]string{"a.md": "gone"})
	hits, err := x.Grep(t.Context(), "^alpha", 10)
	require.NoError(t, err)
	require.Len(t, hits, 2)
	assert.Equal(t, "One > Two", hits[0].Section)
	assert.Equal(t, "Front", hits[0].Title)
	hits, err = x.Grep(t.Context(), "Front", 10)
	require.NoError(t, err)
	assert.Len(t, hits, 1, "also outside of passages")
	hits, err = x.Grep(t.Context(), "alpha", 1)
	require.NoError(t, err)
	assert.Len(t, hits, 1)
	hits, err = x.Grep(t.Context(), "x*", 10)
	require.NoError(t, err)
	assert.Len(t, hits, 1, "only the x of text, no empty matches")
	for _, pattern := range []string{"(", ""} {
		_, err = x.Grep(t.Context(), pattern, 10)
		require.ErrorIs(t, err, index.ErrPattern)
	}
}

func TestFilesMatchesPatterns(t *testing.T) {
	x := newIndex(t)
	update(t, x, folder(t, map[string]string{"a.md": "a", "b.txt": "b", "doc/a.md": "c", "doc/sub/a.md": "d", "doc/sub/x1.md": "e", "doc/ü.md": "f"}))
	tests := []struct {
		pattern string
		want    []string
	}{
		{"", []string{"a.md", "b.txt", "doc/a.md", "doc/sub/a.md", "doc/sub/x1.md", "doc/ü.md"}},
		{"*.txt", []string{"b.txt"}},
		{"a.md", []string{"a.md", "doc/a.md", "doc/sub/a.md"}},
		{"/a.md", []string{"a.md"}},
		{"./doc/*", []string{"doc/a.md", "doc/ü.md"}},
		{"doc/**", []string{"doc/a.md", "doc/sub/a.md", "doc/sub/x1.md", "doc/ü.md"}},
		{"**/sub/*.md", []string{"doc/sub/a.md", "doc/sub/x1.md"}},
		{"doc/**/a.md", []string{"doc/a.md", "doc/sub/a.md"}},
		{"x[0-9].{md,txt}", []string{"doc/sub/x1.md"}},
		{"[!a]?.md", []string{"doc/sub/x1.md"}},
		{"doc/?.md", []string{"doc/a.md", "doc/ü.md"}},
		{"ü.md", []string{"doc/ü.md"}},
		{"none", []string{}},
		{"a[", []string{}},
	}
	for _, tt := range tests {
		t.Run("the pattern "+tt.pattern, func(t *testing.T) { assert.Equal(t, tt.want, paths(t, x, tt.pattern)) })
	}
	_, err := x.Files(t.Context(), "[z-a]")
	require.ErrorIs(t, err, index.ErrPattern)
	files, err := x.Files(t.Context(), "a.md")
	require.NoError(t, err)
	assert.Equal(t, [4]any{"a.md", int64(1), 1, 1}, [4]any{files[0].Title, files[0].Size, files[0].Lines, files[0].Passages})
}
