package rules

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/state"
)

func table(t testing.TB, lines string) Synonyms {
	s, err := LoadSynonyms(strings.NewReader(lines))
	require.NoError(t, err)
	return s
}

func TestExpandPutsTheFirstTwoSynonymsBehindEachWord(t *testing.T) {
	s := DefaultSynonyms()
	assert.Equal(t, []string{"delete", "remove", "drop", "file", "document", "record"}, s.Expand("delete the file"))
	assert.Equal(t, []string{"explain", "describe", "clarify", "async", "asynchronous", "concurrent", "function", "method", "procedure"}, s.Expand("explain async function"))
}

func TestExpand(t *testing.T) {
	s := table(t, "quick, rapid, speedy, swift\nsign on, log in\nOAuth, delegated login\n审批, 批准, 核准\nauto, car\ncar, vehicle")
	for claim, c := range map[string]struct {
		query string
		want  []string
	}{
		"the form of an English word does not matter":  {"Deleting directories", []string{"Deleting", "remove", "drop", "directories", "folder", "path"}},
		"case does not matter, and stays":              {"OAUTH?", []string{"OAUTH", "delegated login"}},
		"original words keep their order":              {"zeta quick alpha", []string{"zeta", "quick", "rapid", "speedy", "alpha"}},
		"what the query holds is no synonym":           {"rapidly quick speedy", []string{"rapidly", "swift", "fast", "quick", "speedy"}},
		"a synonym comes once":                         {"quick swift", []string{"quick", "rapid", "speedy", "swift"}},
		"a word comes once":                            {"zeta Zeta zeta", []string{"zeta"}},
		"a phrase is found as such":                    {"how to sign on today", []string{"sign", "log in", "today"}},
		"a user's group comes before the built-in one": {"car", []string{"car", "auto", "vehicle"}},
		"Chinese words are found in a run":             {"怎么审批合同？", []string{"怎么审批合同", "批准", "核准", "协议", "契约"}},
		"Chinese and English may stand together":       {"审批quick", []string{"审批quick", "批准", "核准"}},
		"stop words are left out":                      {"what is the of", nil},
		"nothing is nothing":                           {" \t", nil},
		"punctuation is left out":                      {"(quick)... !", []string{"quick", "rapid", "speedy"}},
		"C++ stays":                                    {"c++", []string{"c++"}},
	} {
		t.Run(claim, func(t *testing.T) { assert.Equal(t, c.want, s.Expand(c.query)) })
	}
}

func TestExpandKeepsTheWordsInOrderWithAtMostTwoSynonymsEachForAnyQuery(t *testing.T) {
	s := DefaultSynonyms()
	words := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"delete", "Error", "the", "安装", "删除文件", "fast", "sign", "up", "files"}))
	rapid.Check(t, func(t *rapid.T) {
		query := strings.Join(rapid.SliceOf(words).Draw(t, "words"), " ")
		got := s.Expand(query)
		at := 0
		seen := map[string]bool{}
		for _, w := range queryWords(query) {
			if lower := strings.ToLower(w); !text.IsStopWord(lower) && !seen[lower] {
				seen[lower] = true
				i := slices.Index(got[at:], w)
				require.GreaterOrEqual(t, i, 0, "%q is missing or out of order in %q", w, got)
				at += i + 1
			}
		}
		runes := len([]rune(query))
		assert.LessOrEqual(t, len(got), len(seen)*3+runes, "a run of characters holds several words")
	})
}

func TestTheBuiltInTableIsLargeAndClean(t *testing.T) {
	s := DefaultSynonyms()
	assert.GreaterOrEqual(t, s.Len(), 300)
	groups := map[string]bool{}
	for line := range strings.Lines(builtInSynonyms) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		words := strings.Split(line, ",")
		slices.Sort(words)
		key := strings.Join(words, ",")
		assert.False(t, groups[key], "%s stands twice", line)
		groups[key] = true
		for _, w := range words {
			others := s.Of(w)
			assert.NotEmpty(t, others, w)
			for _, other := range others {
				assert.NotEqual(t, synonymKey(w), synonymKey(other), line)
			}
		}
	}
}

func TestLoadSynonymsNamesTheLinesItCannotRead(t *testing.T) {
	for claim, c := range map[string]struct{ lines, want string }{
		"a single word":             {"a1, b1\n\nlonely", "line 3: a group needs two different words"},
		"two forms of one word":     {"delete, deleting", "line 1: a group needs two different words"},
		"an empty word":             {"# x\none,,two", "line 2: an empty word"},
		"a comma at the end":        {"one, two,", "line 1: an empty word"},
		"a word without letters":    {"one, ---", `line 1: "---" holds no word`},
		"a stop word by itself":     {"one, the", `line 1: "the" holds no word`},
		"what is not UTF-8":         {"one, \xff\xfe", "line 1: no UTF-8 text"},
		"a line that is too long":   {"one, two\n" + strings.Repeat("x", 5000) + ", y\nthree, four", "line 2: longer than 4096 bytes"},
		"a group that is too large": {strings.Repeat("w, ", 64) + "x", "line 1: more than 64 words"},
	} {
		t.Run(claim, func(t *testing.T) {
			_, err := LoadSynonyms(strings.NewReader(c.lines))
			require.ErrorIs(t, err, ErrSynonyms)
			assert.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "\n", "only this line is faulty")
		})
	}
	t.Run("all of them", func(t *testing.T) {
		_, err := LoadSynonyms(strings.NewReader("one\ntwo, three\nfour"))
		assert.ErrorContains(t, err, "line 1:")
		assert.ErrorContains(t, err, "line 3:")
	})
	t.Run("a reader that fails", func(t *testing.T) {
		broken := errors.New("disk on fire")
		_, err := LoadSynonyms(iotest.ErrReader(broken))
		assert.ErrorIs(t, err, broken)
	})
}

func TestLoadSynonymsTakesWhatEditorsWrite(t *testing.T) {
	s := table(t, "\ufeffalpha1,  Beta1 \r\n\r\n  # note\r\n甲乙，丙丁、戊己\nlast, line")
	assert.Equal(t, []string{"beta1"}, s.Of("ALPHA1"))
	assert.Equal(t, []string{"丙丁", "戊己"}, s.Of("甲乙"))
	assert.Equal(t, []string{"line"}, s.Of("last"))
	assert.Equal(t, DefaultSynonyms().Len()+3, s.Len())
	assert.Nil(t, Synonyms{}.Of("alpha1"), "the zero value knows nothing")
	assert.Equal(t, []string{"alpha1"}, Synonyms{}.Expand("alpha1"))
}

func FuzzLoadSynonyms(f *testing.F) {
	for _, seed := range []string{"a1, b1", "# c\n\nx", ",", "甲乙，丙丁", "\xff,a", "sign up, register\r\n", "on, off", strings.Repeat("a,", 70)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		s, err := LoadSynonyms(strings.NewReader(lines))
		if err != nil {
			assert.ErrorIs(t, err, ErrSynonyms)
			return
		}
		for line := range strings.Lines(lines) {
			s.Expand(line)
		}
	})
}

func ids(list []state.Evidence) (out []string) {
	for _, item := range list {
		out = append(out, item.ID)
	}
	return out
}

func TestMergeRRFAddsReciprocalRanksAndNormalises(t *testing.T) {
	lists := [][]state.Evidence{items("a", "x", "y", "z"), items("b", "y", "w")}
	got := MergeRRF(lists, 60)
	assert.Equal(t, []string{"y", "x", "w", "z"}, ids(got))
	assert.InDelta(t, (1./61+1./62)/(2./61), got[0].RetrievalScore, 1e-9)
	assert.InDelta(t, .5, got[1].RetrievalScore, 1e-9)
	for _, item := range got {
		assert.Equal(t, state.ScoreRRF, item.ScoreKind)
	}
	assert.Equal(t, "a", got[0].Tool, "the first copy is kept")
	assert.Equal(t, state.ScoreKind(""), lists[0][0].ScoreKind, "the lists are not changed")
}

func TestMergeRRF(t *testing.T) {
	t.Run("ties go to the first list", func(t *testing.T) {
		assert.Equal(t, []string{"a", "c", "b", "d"}, ids(MergeRRF([][]state.Evidence{items("", "a", "b"), items("", "c", "d")}, 0)))
	})
	t.Run("the first of every list scores 1", func(t *testing.T) {
		got := MergeRRF([][]state.Evidence{items("", "a"), items("", "a"), items("", "a")}, 60)
		assert.Len(t, got, 1)
		assert.InDelta(t, 1, got[0].RetrievalScore, 1e-9)
		assert.LessOrEqual(t, got[0].RetrievalScore, 1.0)
	})
	t.Run("an item counts once a list", func(t *testing.T) {
		got := MergeRRF([][]state.Evidence{items("", "a", "a", "a")}, 60)
		assert.InDelta(t, 1, got[0].RetrievalScore, 1e-9)
	})
	t.Run("an empty list counts", func(t *testing.T) {
		got := MergeRRF([][]state.Evidence{items("", "a"), nil}, 60)
		assert.InDelta(t, .5, got[0].RetrievalScore, 1e-9)
	})
	t.Run("nothing merges to nothing", func(t *testing.T) { assert.Empty(t, MergeRRF(nil, 60)) })
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, " \n": 0, "one": 1, "one two three": 3, "a b c d e f g h i j": 13,
		"数据库": 3, "数据库。": 4, "使用 Go 语言": 5, "使用Go语言": 5, "ひらカナ한글": 6,
	} {
		assert.Equal(t, want, Tokens(text), text)
	}
}

func TestFitTokensSkipsWhatDoesNotFit(t *testing.T) {
	list := items("", "a", "b", "c", "d")
	for i, words := range []int{10, 20, 10, 1} { // 13, 26, 13, 1 tokens
		list[i].Content = strings.Repeat("word ", words)
	}
	for budget, want := range map[int][]string{0: nil, -1: nil, 1: {"d"}, 13: {"a"}, 26: {"a", "c"}, 27: {"a", "c", "d"}, 38: {"a", "c", "d"}, 39: {"a", "b"}, 53: {"a", "b", "c", "d"}} {
		assert.Equal(t, want, ids(FitTokens(list, budget)), budget)
	}
}
