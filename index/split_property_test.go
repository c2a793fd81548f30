package index

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/index/text"
)

// markdownLines are what random documents are made of.
var markdownLines = []string{
	"", "", "# One", "## Two", "#### Four ####", "Title", "===", "---", "***", "+++", "plain text of some words",
	"ends in a colon:", "- item", "  - inner item", "* other", "12. numbered", "    indented", "\tcode()", "```go", "```", "~~~~",
	"| a | b |", "|---|:-:|", "| 1 | 2 |", "a | b", "> quote", "<div>", "title: x", "<!--{", "}-->", "数据库的索引是什么。", "日本語のテキスト",
	"# ", "#no", " \t ", strings.Repeat("long line with many words. ", 12), strings.Repeat("x", 300), strings.Repeat("汉", 90),
}

func TestPassagesAreExactSlicesThatCoverEveryLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom(markdownLines)).Draw(t, "lines")
		source := strings.Join(lines, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "break"))
		source = rapid.SampledFrom([]string{"", byteOrderMark}).Draw(t, "mark") + source
		name := rapid.SampledFrom([]string{"a.md", "a.txt"}).Draw(t, "name")
		opts := SplitOptions{TargetWords: rapid.IntRange(1, 40).Draw(t, "target")}
		opts.MaxWords = opts.TargetWords + rapid.IntRange(0, 40).Draw(t, "more")
		checkSplit(t, name, source, opts)
	})
}

type failer interface {
	Fatalf(format string, args ...any)
}

// checkSplit holds what Split promises of every text.
func checkSplit(t failer, name, source string, opts SplitOptions) {
	_, passages, err := Split(name, source, opts)
	if err != nil {
		t.Fatalf("split: %v", err)
	}
	covered := make([]bool, strings.Count(source, "\n")+2)
	end := 0
	for _, p := range passages {
		if p.StartByte < end || p.EndByte <= p.StartByte || p.EndByte > len(source) {
			t.Fatalf("passage at [%d:%d) after byte %d of %d", p.StartByte, p.EndByte, end, len(source))
		}
		end = p.EndByte
		if p.Content != source[p.StartByte:p.EndByte] {
			t.Fatalf("content %q is not the slice", p.Content)
		}
		if p.StartLine != strings.Count(source[:p.StartByte], "\n")+1 || p.EndLine != strings.Count(source[:p.EndByte], "\n")+1 {
			t.Fatalf("lines %d-%d do not fit bytes [%d:%d)", p.StartLine, p.EndLine, p.StartByte, p.EndByte)
		}
		if utf8.ValidString(source) && !utf8.ValidString(p.Content) {
			t.Fatalf("a rune was cut in %q", p.Content)
		}
		checkSize(t, p, opts)
		for l := p.StartLine; l <= p.EndLine; l++ {
			covered[l] = true
		}
	}
	from := contentLine(name, source)
	for i, l := range strings.Split(source, "\n") {
		if l = strings.TrimPrefix(l, byteOrderMark); i >= from && strings.TrimSpace(l) != "" && !covered[i+1] {
			t.Fatalf("line %d %q is in no passage", i+1, l)
		}
	}
}

func checkSize(t failer, p Passage, opts SplitOptions) {
	if size := sizeOf(p.Content); size > opts.MaxWords*sizeUnit {
		t.Fatalf("%d words and %d thirds in %q", size/sizeUnit, size%sizeUnit, p.Content)
	}
}

// contentLine is the first line after the front matter.
func contentLine(name, source string) int {
	if !isMarkdown(name) {
		return 0
	}
	s := markdownScanner{outline: &outline{src: source, lines: scanLines(source)}}
	return s.frontMatter()
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		"# A\n\ntext\n\n| a |\n|---|\n| b |\n", "---\ntitle: x\n---\n- a\n  - b\n", "```\nx\n\ny", "\ufeffa\r\nb\r\n\r\n***", "a\n=\n===\n---",
		"- ```\n  x\n- y\n", "| a\n-|-\n|", "\xff\xfe", "1. \n\n  x\ny", strings.Repeat("汉", 50) + "a" + strings.Repeat("b", 90),
	} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, words int) {
		opts := SplitOptions{TargetWords: 1 + words&63, MaxWords: 2 + words&63}
		checkSplit(t, "a.md", s, opts)
		checkSplit(t, "a.txt", s, opts)
	})
}

// A quadratic step over one of these takes long enough to be seen.
func TestHostileFilesAreSplitWithinTheBounds(t *testing.T) {
	for _, unit := range []string{"x", "4. ", "汉", "- a\n", "| a |\n", "# a\n", "```\n", "e.g. ", "a\n", "| a\n|-|\n", "\t- x\n ", "_a", "a.b", "1,"} {
		source := strings.Repeat(unit, (128<<10)/len(unit))
		opts, err := SplitOptions{}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		_, passages, err := Split("a.md", source, opts)
		if err != nil || len(passages) == 0 {
			t.Fatalf("%d passages of %q repeated: %v", len(passages), unit, err)
		}
		for _, p := range passages {
			checkSize(t, p, opts)
		}
		text.Terms(source)
	}
}
