package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/state"
)

// stripsOf is the strips of a Markdown text.
func stripsOf(content string) (strips []string) {
	for _, s := range cutStrips(state.Evidence{Path: "a.md", Content: content}) {
		strips = append(strips, content[s.Start:s.End])
	}
	return strips
}

func TestStripsAre(t *testing.T) {
	for claim, c := range map[string]struct {
		content string
		want    []string
	}{
		"sentences":                              {"One is. Two is.\nThree is.", []string{"One is. ", "Two is.\n", "Three is."}},
		"Chinese sentences":                      {"第一句。第二句。", []string{"第一句。", "第二句。"}},
		"paragraphs":                             {"No stop\n\nAnother\n", []string{"No stop\n\n", "Another\n"}},
		"a heading with what follows it":         {"# A\n\n## B\n\nOne. Two.\n\n# C\nThree.", []string{"# A\n\n## B\n\nOne. ", "Two.\n\n", "# C\nThree."}},
		"items of a list with what is below":     {"- a. b\n- c\n  goes on\n\n  still\n- d", []string{"- a. b\n", "- c\n  goes on\n\n  still\n", "- d"}},
		"nested items with the item above":       {"* a\n    * b\n    * c\n* d", []string{"* a\n    * b\n    * c\n", "* d"}},
		"a whole numbered list":                  {"1. Stop. Wait.\n2. Move.\n\n3. Start.\n\nDone.", []string{"1. Stop. Wait.\n2. Move.\n\n3. Start.\n\n", "Done."}},
		"a whole table":                          {"Text.\n\n| a | b |\n|---|---|\n| c. D | e |\n\nMore.", []string{"Text.\n\n", "| a | b |\n|---|---|\n| c. D | e |\n\n", "More."}},
		"a whole block of code":                  {"Text.\n\n```sh\na. B\n\n# c\n```\nMore.", []string{"Text.\n\n", "```sh\na. B\n\n# c\n```\n", "More."}},
		"code by its indent":                     {"Text.\n\n    a. B\n\n    c. D\n\nMore.", []string{"Text.\n\n", "    a. B\n\n    c. D\n\n", "More."}},
		"what a colon announces, with it":        {"First. Run this:\n\n```\na\n```\n", []string{"First. ", "Run this:\n\n```\na\n```\n"}},
		"a list that a colon announces, with it": {"Steps:\n\n1. A.\n2. B.\n", []string{"Steps:\n\n1. A.\n2. B.\n"}},
		"code in a list item, with it":           {"- a\n\n  ```\n  x. Y\n  ```\n- b", []string{"- a\n\n  ```\n  x. Y\n  ```\n", "- b"}},
		"text that goes on in a list, with it":   {"One. Two.\n\n- a. b:\nC. D\nE. F", []string{"One. ", "Two.\n\n", "- a. b:\nC. D\nE. F"}},
		"two blocks of code":                     {"```\na\n```\n```\nb\n```", []string{"```\na\n```\n", "```\nb\n```"}},
		"never inside `code`":                    {"Use `a. B` here. Then go.", []string{"Use `a. B` here. ", "Then go."}},
		"at a tick that nothing closes":          {"Use `a. B here. Then go.", []string{"Use `a. ", "B here. ", "Then go."}},
		"blank lines with what precedes":         {"\n\nA.\n\n\nB.\n\n", []string{"\n\nA.\n\n\n", "B.\n\n"}},
		"all of a text with an open fence":       {"One. Two.\n\n```\nx. Y", []string{"One. Two.\n\n```\nx. Y"}},
		"all of blank text":                      {" \n", []string{" \n"}},
		"nothing of nothing":                     {"", nil},
	} {
		t.Run(claim, func(t *testing.T) { assert.Equal(t, c.want, stripsOf(c.content)) })
	}
}

func TestCodeFilesAreNotCut(t *testing.T) {
	content := "// One. Two.\n\nfunc f() {}\n"
	for path, n := range map[string]int{"a/b.go": 1, "x.py": 1, "a.md": 3, "a.txt": 3, "README": 3, "https://example.org/a.php": 3} {
		assert.Len(t, cutStrips(state.Evidence{Path: path, Content: content}), n, path)
	}
}

// checkStrips fails unless the strips are the content, in order, and pair their fences.
func checkStrips(t require.TestingT, content string) {
	strips := stripsOf(content)
	require.Equal(t, content, strings.Join(strips, ""))
	for _, s := range strips {
		require.NotEmpty(t, s)
		if fencesPair(content) {
			require.True(t, fencesPair(s), "%q cuts code of %q", s, content)
		}
	}
}

var stripLines = []string{"", "# Head", "- item. And more", "Some text. More:", "```", "```go", "~~~", "| a | b |", "> quote. More", "他说。好：", "    indented. X", "1. num", "\t- tab", "a `b. C` d. E", "`open. X"}

func TestStripsTogetherAreTheContentAndKeepCodeWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom(stripLines)).Draw(t, "lines")
		checkStrips(t, strings.Join(lines, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "break")))
	})
}

func FuzzStrips(f *testing.F) {
	f.Add(strings.Join(stripLines, "\n"))
	f.Add("a?~~~~b. C")
	f.Add("a\n```b @c. D` e")
	f.Add("# A\nb\n- c\nd:\ne\nf. G")
	for _, line := range stripLines {
		f.Add(line + "\n" + line)
	}
	f.Fuzz(func(t *testing.T, content string) { checkStrips(t, content) })
}

// at is an item that stands behind prefix in its source.
func at(prefix, path, content string) state.Evidence {
	first := 1 + strings.Count(prefix, "\n")
	return state.Evidence{
		ID: state.EvidenceID(path, len(prefix), len(prefix)+len(content), content), Tool: "keyword_search", Path: path, Content: content,
		StartByte: len(prefix), EndByte: len(prefix) + len(content), StartLine: first, EndLine: first + strings.Count(content, "\n"),
		Grade: new(.8), RetrievalScore: .7, ScoreKind: state.ScoreBM25, Title: "T", Section: "S", Language: "en",
	}
}

// holding scores strips that hold the word 1, others 0.
func holding(word string) func(string, string) float64 {
	return func(_, strip string) float64 {
		if strings.Contains(strip, word) {
			return 1
		}
		return 0
	}
}

func TestRefineKeepsRunsOfGoodStripsWhereTheyStand(t *testing.T) {
	prefix, content := "skipped\nlines\n", "Bad one. Yes A\nruns on. Yes B ends.\n\nBad two.\n\n- Yes C\n\n\nBad."
	source := prefix + content
	whole := at(prefix, "a.md", content)
	kept, report := Refine("q", []state.Evidence{whole}, RefineOptions{Score: holding("Yes")})
	require.Len(t, kept, 2)
	for i, want := range []struct {
		content     string
		first, last int
	}{{"Yes A\nruns on. Yes B ends.", 3, 4}, {"- Yes C", 8, 8}} {
		got := kept[i]
		assert.Equal(t, want.content, got.Content)
		assert.Equal(t, got.Content, source[got.StartByte:got.EndByte], "the bytes are those of the source")
		assert.Equal(t, [2]int{want.first, want.last}, [2]int{got.StartLine, got.EndLine})
		assert.Equal(t, state.EvidenceID("a.md", got.StartByte, got.EndByte, got.Content), got.ID)
		rest := got
		rest.ID, rest.Content, rest.StartByte, rest.EndByte, rest.StartLine, rest.EndLine = whole.ID, whole.Content, whole.StartByte, whole.EndByte, whole.StartLine, whole.EndLine
		assert.Equal(t, whole, rest, "all else is the item's")
	}
	assert.Equal(t, report.Strips, report.Kept+report.Weak+report.Skipped)
}

func TestRefine(t *testing.T) {
	a, b := at("", "a.md", "Yes one. Bad. Yes two."), at("", "b.md", "Bad. Never.")
	t.Run("drops items without a good strip and keeps the order", func(t *testing.T) {
		c := at("", "c.md", "Yes.")
		kept, report := Refine("q", []state.Evidence{c, b, a}, RefineOptions{Score: holding("Yes")})
		assert.Equal(t, []string{"Yes.", "Yes one.", "Yes two."}, contents(kept))
		assert.Equal(t, c, kept[0], "an item that is kept whole is the same item")
		assert.Equal(t, RefineReport{Strips: 6, Kept: 3, Weak: 3, Tokens: 7}, report)
	})
	t.Run("leaves the items as they are when nothing is good", func(t *testing.T) {
		list := []state.Evidence{a, b}
		kept, report := Refine("q", list, RefineOptions{Score: holding("maybe")})
		assert.Equal(t, list, kept)
		assert.True(t, report.Unchanged)
		assert.Equal(t, report.Strips, report.Weak)
	})
	t.Run("leaves nothing as nothing", func(t *testing.T) {
		kept, report := Refine("q", nil, RefineOptions{})
		assert.Empty(t, kept)
		assert.Equal(t, RefineReport{Unchanged: true}, report)
	})
	t.Run("drops a strip that is exactly at the threshold", func(t *testing.T) {
		score := func(_, strip string) float64 { return map[string]float64{"Half. ": .5, "More.": .51}[strip] }
		kept, _ := Refine("q", []state.Evidence{at("", "a.md", "Half. More.")}, RefineOptions{Score: score})
		assert.Equal(t, []string{"More."}, contents(kept))
	})
	t.Run("does not cut an item whose bytes are not its content", func(t *testing.T) {
		cut := a
		cut.EndByte += 100
		kept, _ := Refine("q", []state.Evidence{cut}, RefineOptions{Score: holding("Yes")})
		assert.Equal(t, []state.Evidence{cut}, kept)
	})
	t.Run("invents no bytes and lines for an item that has none", func(t *testing.T) {
		bare := state.Evidence{Path: "https://example.org", Content: "Bad. Yes. Bad."}
		kept, _ := Refine("q", []state.Evidence{bare}, RefineOptions{Score: holding("Yes")})
		want := state.Evidence{Path: bare.Path, Content: "Yes.", ID: state.EvidenceID(bare.Path, 0, 0, "Yes.")}
		assert.Equal(t, []state.Evidence{want}, kept)
	})
	t.Run("changes no item that it was given", func(t *testing.T) {
		list := []state.Evidence{a}
		Refine("q", list, RefineOptions{Score: holding("Yes")})
		assert.Equal(t, at("", "a.md", "Yes one. Bad. Yes two."), list[0])
	})
}

func TestStripsAreWhatRefineScores(t *testing.T) {
	cut := at("", "b.md", "One. Two.")
	cut.EndByte++
	list := []state.Evidence{at("x\n", "a.md", "One. Two.\n\nThree."), cut}
	var scored []string
	Refine("q", list, RefineOptions{Score: func(_, strip string) float64 { scored = append(scored, strip); return 1 }})
	assert.Equal(t, scored, Strips(list))
	assert.Equal(t, []string{"One. ", "Two.\n\n", "Three.", "One. Two."}, scored)
}

func contents(list []state.Evidence) (out []string) {
	for _, item := range list {
		out = append(out, item.Content)
	}
	return out
}

func TestRefineFillsTheBudgetExactly(t *testing.T) {
	word := func(name string, n int) state.Evidence { // n words, 1.3 n tokens
		return at("", name+".md", strings.TrimSpace(strings.Repeat("w ", n)))
	}
	size := func(_, strip string) float64 { return .6 + float64(len(strip))/1e6 } // the largest strips first
	for _, c := range []struct {
		name   string
		words  []int
		kept   []int
		tokens int
	}{
		{"3,150 words and one are 4,096.3 tokens", []int{3150, 1}, []int{3150}, 4095},
		{"3,150 words are 4,095 tokens", []int{3150}, []int{3150}, 4095},
		{"a strip that does not fit is skipped, a smaller one follows", []int{3000, 200, 150}, []int{3000, 150}, 4095},
	} {
		t.Run(c.name, func(t *testing.T) {
			var list []state.Evidence
			for i, n := range c.words {
				list = append(list, word(fmt.Sprint(i), n))
			}
			kept, report := Refine("q", list, RefineOptions{Score: size})
			var got []int
			for _, item := range kept {
				got = append(got, len(strings.Fields(item.Content)))
			}
			assert.Equal(t, c.kept, got)
			assert.Equal(t, c.tokens, report.Tokens)
			assert.Equal(t, len(c.words)-len(c.kept), report.Skipped)
		})
	}
	t.Run("4,096 characters fit, one more does not", func(t *testing.T) {
		chinese := at("", "a.md", strings.Repeat("好", 4096))
		kept, report := Refine("q", []state.Evidence{chinese, at("", "b.md", "好")}, RefineOptions{Score: size})
		assert.Equal(t, []state.Evidence{chinese}, kept)
		assert.Equal(t, 4096, report.Tokens)
		kept, report = Refine("q", []state.Evidence{at("", "a.md", strings.Repeat("好", 4097))}, RefineOptions{Score: size})
		assert.Len(t, kept, 1)
		assert.True(t, report.Unchanged, "too large is not nothing: the item stays")
	})
}

func TestTheLexicalScoreKeepsWhatAnswersAndTheSentenceBeside(t *testing.T) {
	content := "Bread needs flour and water. It is baked for an hour.\n\nOld log files are kept for seven days. After that they go.\n\nThe moon is far away from here."
	kept, _ := Refine("How long are old log files kept?", []state.Evidence{at("", "a.md", content)}, RefineOptions{})
	assert.Equal(t, []string{"Old log files are kept for seven days. After that they go."}, contentsBetween(kept, "Old", "go."))
	assert.NotContains(t, strings.Join(contents(kept), " "), "moon is far", "what is no neighbour goes")
	chinese := at("", "a.md", "揉面十分钟。然后烘烤。盐放一勺。旧日志保留七天。")
	kept, _ = Refine("旧日志保留多久？", []state.Evidence{chinese}, RefineOptions{})
	assert.Contains(t, strings.Join(contents(kept), ""), "旧日志保留七天。")
	assert.NotContains(t, strings.Join(contents(kept), ""), "揉面")
}

// contentsBetween is the part of the first piece from a to the end of b.
func contentsBetween(kept []state.Evidence, a, b string) []string {
	all := strings.Join(contents(kept), " ")
	i, j := strings.Index(all, a), strings.LastIndex(all, b)
	if i < 0 || j < i {
		return nil
	}
	return []string{all[i : j+len(b)]}
}

func TestPiecesAreAlwaysTheSourcesBytesAndLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom(append([]string{"yes here. no there. yes again."}, stripLines...))).Draw(t, "lines")
		prefix := strings.Repeat("before\n", rapid.IntRange(0, 3).Draw(t, "before"))
		source := prefix + strings.Join(lines, rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "break"))
		item := at(prefix, "a.md", source[len(prefix):])
		kept, report := Refine("q", []state.Evidence{item}, RefineOptions{Score: holding("e"), Budget: rapid.IntRange(1, 60).Draw(t, "budget")})
		tokens := 0
		for _, k := range kept {
			require.Equal(t, k.Content, source[k.StartByte:k.EndByte])
			require.Equal(t, 1+strings.Count(source[:k.StartByte], "\n"), k.StartLine)
			require.Equal(t, k.StartLine+strings.Count(k.Content, "\n"), k.EndLine)
			tokens += Tokens(k.Content)
		}
		if !report.Unchanged {
			require.LessOrEqual(t, tokens, report.Tokens)
		}
	})
}

func BenchmarkRefine20Items(b *testing.B) {
	items := twentyItems()
	for b.Loop() {
		Refine("How long does the server keep old log files?", items, RefineOptions{})
	}
}
