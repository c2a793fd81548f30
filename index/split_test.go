package index

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// split returns the passages of Markdown with small sizes, as "section|content".
func split(t *testing.T, source string, opts SplitOptions) (title string, got []string) {
	t.Helper()
	title, passages, err := Split("doc.md", source, opts)
	require.NoError(t, err)
	for _, p := range passages {
		got = append(got, p.Section+"|"+p.Content)
	}
	return title, got
}

func TestMarkdownIsCutByItsStructure(t *testing.T) {
	small := SplitOptions{TargetWords: 6, MaxWords: 9}
	tests := []struct {
		name, in string
		want     []string
	}{
		{"every heading starts a passage", "# A\none\n## B\ntwo\n# C\nthree", []string{"A|# A\none", "A > B|## B\ntwo", "C|# C\nthree"}},
		{"headings without text go with what follows", "# A\n\n## B\n\ntext", []string{"A > B|# A\n\n## B\n\ntext"}},
		{"an underlined heading is one", "Top\n===\none\n\nSub\n---\ntwo", []string{"Top|Top\n===\none", "Top > Sub|Sub\n---\ntwo"}},
		{"a heading loses anchor, link and marks in the section", "# The `io` [pkg](x) **now** {#now}\nx", []string{"The io pkg now|# The `io` [pkg](x) **now** {#now}\nx"}},
		{"a level left out is no part of the path", "# A\n### C\nx", []string{"A > C|# A\n### C\nx"}},
		{"a # in code is no heading", "```sh\n# not a heading\n```", []string{"|```sh\n# not a heading\n```"}},
		{"an unclosed fence reaches to the end", "~~~\n# code\n", []string{"|~~~\n# code"}},
		{"paragraphs are packed up to the target", "a b c\n\nd e f\n\ng h i j", []string{"|a b c\n\nd e f", "|g h i j"}},
		{"a paragraph that ends in a colon keeps its list", "a b c as follows:\n\n- x\n- y", []string{"|a b c as follows:\n\n- x\n- y"}},
		{"a list is cut between items", "- a b c d\n- e f g h\n  more of it\n- i j k", []string{"|- a b c d", "|- e f g h\n  more of it", "|- i j k"}},
		{"a table is cut between rows, which keep the names of their columns", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 4 5 | 6 |", []string{"|| a | b |\n|---|---|", "a | b|| 1 | 2 |", "a | b|| 3 4 5 | 6 |"}},
		{"rows under a heading name it too", "# T\n| `a` | b |\n|---|---|\n| 1 | 2 |\n| 3 4 | 6 |", []string{"T|# T\n| `a` | b |", "T > a | b||---|---|\n| 1 | 2 |", "T > a | b|| 3 4 | 6 |"}},
		{"the small rest of a line that is cut stays with it", "One two three. Four five six seven eight nine. Ten.\n\nk l m", []string{"|One two three.", "|Four five six seven eight nine. Ten.", "|k l m"}},
		{"front matter is no content", "---\ntitle: T\n---\n\ntext", []string{"|text"}},
		{"two thematic breaks are no front matter", "---\n\nhello there\n\n---\n", []string{"|---\n\nhello there\n\n---"}},
		{"a file without words has no passage", "\n \n\t\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := split(t, tt.in, small)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestTitle(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"YAML front matter", "---\nlayout: x\ntitle: \"The: Title\"\n---\n# Other\n", "The: Title"},
		{"TOML front matter", "+++\ntitle = 'The Title'\n+++\n# Other\n", "The Title"},
		{"JSON front matter in a comment", "<!--{\n  \"Title\": \"The Title\",\n  \"x\": true\n}-->\ntext\n", "The Title"},
		{"the first level-one heading", "## Sub\n# The Title\n# Next\n", "The Title"},
		{"else the file's name", "## Sub\ntext", "doc.md"},
		{"also after a byte order mark and with CRLF", "\ufeff---\r\ntitle: The Title\r\n---\r\ntext\r\n", "The Title"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			title, _ := split(t, tt.in, SplitOptions{})
			assert.Equal(t, tt.want, title)
		})
	}
}

func TestRangesAreExactInFilesWithCRLFAndByteOrderMark(t *testing.T) {
	source := "\ufeff# A\r\n\r\none\r\ntwo\r\n\r\n# B\r\nthree"
	_, passages, err := Split("x/doc.md", source, SplitOptions{})
	require.NoError(t, err)
	require.Len(t, passages, 2)
	a, b := passages[0], passages[1]
	assert.Equal(t, "# A\r\n\r\none\r\ntwo", a.Content)
	assert.Equal(t, [4]int{1, 4, 3, 3 + len(a.Content)}, [4]int{a.StartLine, a.EndLine, a.StartByte, a.EndByte})
	assert.Equal(t, "# B\r\nthree", b.Content)
	assert.Equal(t, [4]int{6, 7, len(source) - len(b.Content), len(source)}, [4]int{b.StartLine, b.EndLine, b.StartByte, b.EndByte})
}

func TestALineAboveTheBoundIsCutAtSentencesThenWordsThenRunes(t *testing.T) {
	opts := SplitOptions{TargetWords: 4, MaxWords: 5}
	_, got := split(t, "One two three. Four five six. Seven eight nine ten eleven twelve.", opts)
	assert.Equal(t, []string{"|One two three.", "|Four five six.", "|Seven eight nine ten eleven", "|twelve."}, got)

	_, got = split(t, strings.Repeat("é", 200), opts)
	for _, p := range got {
		assert.Equal(t, strings.Repeat("é", 80), (p[1:] + strings.Repeat("é", 80))[:160], "cut between runes, 16 letters a word")
	}
	assert.Len(t, got, 3)
}

func TestPlainTextIsCutBetweenParagraphs(t *testing.T) {
	_, passages, err := Split("notes.txt", "# no heading here\n\n\nsecond part of it\nand more\n", SplitOptions{TargetWords: 4, MaxWords: 9})
	require.NoError(t, err)
	require.Len(t, passages, 2)
	assert.Equal(t, "# no heading here", passages[0].Content)
	assert.Equal(t, "second part of it\nand more", passages[1].Content)
	assert.Equal(t, 4, passages[1].StartLine)
	assert.Equal(t, "notes.txt", passages[1].Title)
}

func TestAParagraphOfPlainTextStaysWithTheOneThatAnnouncesIt(t *testing.T) {
	_, passages, err := Split("notes.txt", "these are of four parts:\n\none two\n\nthree four five six", SplitOptions{TargetWords: 5, MaxWords: 9})
	require.NoError(t, err)
	require.Len(t, passages, 2)
	assert.Equal(t, "these are of four parts:\n\none two", passages[0].Content)
}

func TestAParagraphOfPlainTextThatRefersBackStaysWithTheOneBeforeUpToTheBound(t *testing.T) {
	opts := SplitOptions{TargetWords: 5, MaxWords: 8}
	for source, want := range map[string]int{
		"a b c d\n\nHowever e f g": 1, "a b c d\n\nSo e f g": 2, "a b c d e\n\nHowever e f g": 2, "缓存默认启用。\n\n因此很快": 1,
	} {
		_, passages, err := Split("notes.txt", source, opts)
		require.NoError(t, err)
		assert.Len(t, passages, want, "%q", source)
	}
}

func TestChineseCountsByCharacter(t *testing.T) {
	_, passages, err := Split("zh.md", strings.Repeat("数据库的索引。", 200), SplitOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, passages)
	for _, p := range passages {
		assert.LessOrEqual(t, len([]rune(p.Content)), 600)
		assert.True(t, strings.HasSuffix(p.Content, "。"), "cut at a sentence end")
		assert.Equal(t, "zh", p.Language)
	}
}

func TestSplitOptionsAreChecked(t *testing.T) {
	for _, opts := range []SplitOptions{{TargetWords: -1}, {MaxWords: -1}, {TargetWords: 300, MaxWords: 200}} {
		_, _, err := Split("a.md", "x", opts)
		assert.Error(t, err, "%+v", opts)
	}
	got, err := SplitOptions{}.withDefaults()
	require.NoError(t, err)
	assert.Equal(t, SplitOptions{TargetWords: 220, MaxWords: 400}, got)
	got, err = SplitOptions{MaxWords: 100}.withDefaults()
	require.NoError(t, err)
	assert.Equal(t, SplitOptions{TargetWords: 100, MaxWords: 100}, got)
}
