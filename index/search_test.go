package index_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/index"
)

type fixedEmbedder [][]float32

func (fixedEmbedder) Model() string                                          { return "fixed" }
func (e fixedEmbedder) Embed(context.Context, []string) ([][]float32, error) { return e, nil }

func TestKeywordFindsWhatIsWritten(t *testing.T) {
	x := newIndex(t)
	update(t, x, folder(t, map[string]string{
		"en.md": "# Files\nThe ReadFile function reads named files.", "zh.md": "# 数据库\n索引可以加快查询速度。",
		"ja.md": "# 検索\nデータベースの索引は検索を速くする。", "ko.md": "데이터베이스 색인은 검색을 빠르게 한다.",
		"go.md": "Set the version in go.mod, not in C++ code.",
	}))
	tests := []struct{ name, query, want string }{
		{"another form of a word", "reading a file", "en.md"},
		{"an identifier by its parts", "how to read?", "en.md"},
		{"an identifier whole", "readfile", "en.md"},
		{"Chinese", "如何加快查询？", "zh.md"},
		{"a Chinese heading", "数据库", "zh.md"},
		{"Japanese", "検索を速くする方法", "ja.md"},
		{"Korean", "색인은 무엇입니까", "ko.md"},
		{"a dotted name", "go.mod", "go.md"},
		{"a name with signs", "C++", "go.md"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hits := keyword(t, x, tt.query)
			require.NotEmpty(t, hits)
			assert.Equal(t, tt.want, hits[0].Path)
			for i, h := range hits {
				assert.Equal(t, index.KindBM25, h.Kind)
				assert.True(t, 0 < h.Score && h.Score < 1, "score %v", h.Score)
				assert.True(t, i == 0 || h.Score <= hits[i-1].Score, "best first")
			}
		})
	}
}

func TestAQueryWithoutTermsHasNoHitsAndNoError(t *testing.T) {
	x := newIndex(t)
	update(t, x, folder(t, map[string]string{"a.md": "what is the alpha"}))
	for _, query := range []string{"", " \n", "what is the", "?!", "什么", "\xff"} {
		assert.Empty(t, keyword(t, x, query), "%q", query)
	}
	hits, err := x.Keyword(t.Context(), "alpha", 0)
	require.NoError(t, err)
	assert.Empty(t, hits)
}

func TestNoQueryIsSyntax(t *testing.T) {
	x := newIndex(t)
	update(t, x, folder(t, map[string]string{"a.md": "alpha"}))
	for _, query := range []string{`"`, `alpha"`, `alpha AND beta`, `body:alpha`, `alpha*`, `NEAR(alpha beta)`, `^alpha`, `-alpha`, `(alpha`, `'; DROP TABLE index_files; --`, "alpha\x00", `{title} : alpha`} {
		hits, err := x.Keyword(t.Context(), query, 5)
		require.NoError(t, err, "%q", query)
		assert.Len(t, hits, strings.Count(query, "alpha"), "%q", query)
	}
	_, err := x.Keyword(t.Context(), strings.Repeat("many different words ", 5000), 5)
	require.NoError(t, err)
	rapid.Check(t, func(rt *rapid.T) {
		_, err := x.Keyword(t.Context(), rapid.String().Draw(rt, "query"), 5)
		require.NoError(rt, err)
	})
}

func TestVectorSearchIsExact(t *testing.T) {
	e := &wordEmbedder{model: "m", dim: 16}
	x := open(t, newStore(t), e, index.Options{})
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("%02d.md", i)] = fmt.Sprintf("w%d w%d w%d", i%7, i%11, i%13)
	}
	update(t, x, folder(t, files))
	for _, k := range []int{1, 5, 100} {
		got, err := x.Vector(t.Context(), "w1 w2 w3", k)
		require.NoError(t, err)
		all, err := x.Vector(t.Context(), "w1 w2 w3", 1000)
		require.NoError(t, err)
		assert.Equal(t, all[:min(k, len(all))], got)
		for i, h := range got {
			assert.Equal(t, index.KindCosine, h.Kind)
			assert.InDelta(t, cosine(t, e, "w1 w2 w3", h.Passage), h.Score, 1e-5)
			assert.True(t, i == 0 || h.Score <= got[i-1].Score)
		}
	}
}

func cosine(t *testing.T, e *wordEmbedder, query string, p index.Passage) float64 {
	t.Helper()
	v, err := e.Embed(t.Context(), []string{query, index.EmbeddedText(p)})
	require.NoError(t, err)
	var ab, aa, bb float64
	for i := range v[0] {
		a, b := float64(v[0][i]), float64(v[1][i])
		ab, aa, bb = ab+a*b, aa+a*a, bb+b*b
	}
	return ab / math.Sqrt(aa*bb)
}

func TestVectorSearchFollowsTheIndex(t *testing.T) {
	store := newStore(t)
	x, other := open(t, store, &wordEmbedder{model: "m", dim: 64}, index.Options{}), open(t, store, &wordEmbedder{model: "m", dim: 64}, index.Options{})
	hits, err := x.Vector(t.Context(), "alpha", 5)
	require.NoError(t, err, "an empty index has no hits")
	assert.Empty(t, hits)
	dir := folder(t, map[string]string{"a.md": "alpha"})
	update(t, other, dir)
	hits, err = x.Vector(t.Context(), "alpha", 5)
	require.NoError(t, err)
	require.Len(t, hits, 1)
	write(t, dir, map[string]string{"a.md": "beta"})
	update(t, other, dir)
	hits, err = x.Vector(t.Context(), "beta", 5)
	require.NoError(t, err)
	assert.Equal(t, "beta", hits[0].Content)
	hits, err = x.Vector(t.Context(), "  ", 5)
	require.NoError(t, err)
	assert.Empty(t, hits)
}

func TestHybridNeedsNoEmbedder(t *testing.T) {
	x := newIndex(t)
	update(t, x, folder(t, map[string]string{"a.md": "alpha alpha", "b.md": "beta and alpha and more"}))
	_, err := x.Vector(t.Context(), "alpha", 5)
	require.ErrorIs(t, err, index.ErrNoEmbedder)
	hits, err := x.Hybrid(t.Context(), "nothing known", []string{"alpha"}, 5)
	require.NoError(t, err)
	require.Len(t, hits, 2)
	assert.Equal(t, index.KindRRF, hits[0].Kind)
	assert.InDelta(t, 1, hits[0].Score, 1e-9, "the first of the only list")
	assert.InDelta(t, 61.0/62, hits[1].Score, 1e-9)
}

func TestHybridFusesBothSides(t *testing.T) {
	x := open(t, newStore(t), &wordEmbedder{model: "m", dim: 64}, index.Options{})
	update(t, x, folder(t, map[string]string{"a.md": "alpha", "b.md": "beta", "c.md": "gamma"}))
	hits, err := x.Hybrid(t.Context(), "alpha", nil, 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"a.md"}, hitPaths(hits))
	assert.InDelta(t, 1, hits[0].Score, 1e-9, "first on both sides")
	hits, err = x.Hybrid(t.Context(), "the", nil, 5)
	require.NoError(t, err, "a side without hits is no failure")
	assert.NotEmpty(t, hits)
}

func TestHybridWithADeadEmbedderSaysSoAndAnswersFromKeywords(t *testing.T) {
	store := newStore(t)
	e := &wordEmbedder{model: "m", dim: 8}
	var told []error
	x := open(t, store, e, index.Options{Degraded: func(err error) { told = append(told, err) }})
	update(t, x, folder(t, map[string]string{"a.md": "alpha"}))
	e.refuse = func([]string) error { return errDown }
	hits, err := x.Hybrid(t.Context(), "alpha", nil, 5)
	require.NoError(t, err)
	assert.Len(t, hits, 1)
	require.Len(t, told, 1)
	require.ErrorIs(t, told[0], errDown)

	_, err = open(t, store, e, index.Options{}).Hybrid(t.Context(), "alpha", nil, 5)
	require.ErrorIs(t, err, errDown, "without anybody to tell it is an error")
}

func TestFuseRanksByReciprocalRank(t *testing.T) {
	a, b, c := hit("a"), hit("b"), hit("c")
	got := index.Fuse([][]index.Hit{{a, b, a}, {b, c}}, 10)
	require.Len(t, got, 3)
	assert.Equal(t, []string{"b", "a", "c"}, []string{got[0].ID, got[1].ID, got[2].ID})
	assert.InDelta(t, (1.0/62+1.0/61)/(2.0/61), got[0].Score, 1e-12)
	assert.InDelta(t, 0.5, got[1].Score, 1e-12, "a repetition in one list counts once")
	assert.Len(t, index.Fuse([][]index.Hit{{a, b}}, 1), 1)
	assert.Empty(t, index.Fuse(nil, 5))
	assert.Empty(t, index.Fuse([][]index.Hit{{a}}, -1))
}

func hit(id string) index.Hit {
	return index.Hit{Passage: index.Passage{ID: id}, Score: 0.3, Kind: index.KindBM25}
}

func TestFusedScoresAreSharesOfTheBest(t *testing.T) {
	ids := rapid.SliceOfDistinct(rapid.StringMatching(`[a-h]`), func(s string) string { return s })
	rapid.Check(t, func(t *rapid.T) {
		var lists [][]index.Hit
		for range rapid.IntRange(1, 4).Draw(t, "lists") {
			var list []index.Hit
			for _, id := range ids.Draw(t, "ids") {
				list = append(list, hit(id))
			}
			lists = append(lists, list)
		}
		got := index.Fuse(lists, 100)
		if !slices.IsSortedFunc(got, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) }) {
			t.Fatalf("not in order: %v", got)
		}
		for _, h := range got {
			first := !slices.ContainsFunc(lists, func(l []index.Hit) bool { return len(l) == 0 || l[0].ID != h.ID })
			if h.Score <= 0 || h.Score > 1+1e-9 || first != (h.Score > 1-1e-9) || h.Kind != index.KindRRF {
				t.Fatalf("score %v of %s in %v", h.Score, h.ID, lists)
			}
		}
	})
}

func TestSearchesWorkWhileAnUpdateRuns(t *testing.T) {
	x := open(t, newStore(t), &wordEmbedder{model: "m", dim: 8}, index.Options{})
	dir := folder(t, map[string]string{"seed.md": "# Seed\nalpha"})
	update(t, x, dir)
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("%03d.md", i)] = fmt.Sprintf("# N%d\nalpha %d\n\n# M\nalpha again", i, i)
	}
	write(t, dir, files)
	done := make(chan struct{})
	var searching sync.WaitGroup
	for _, search := range []func() error{
		func() error { _, err := x.Keyword(t.Context(), "alpha", 20); return err },
		func() error { _, err := x.Hybrid(t.Context(), "alpha again", nil, 20); return err },
		func() error { _, err := x.Grep(t.Context(), "alpha", 20); return err },
		func() error { _, err := x.Stats(t.Context()); return err },
	} {
		searching.Go(func() {
			for {
				if !assert.NoError(t, search()) {
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	report := update(t, x, dir)
	close(done)
	searching.Wait()
	assert.Equal(t, 300, report.Files.Indexed)
	assert.Len(t, keyword(t, x, "alpha"), 100)
}

func TestASearchThatIsCancelledSaysSo(t *testing.T) {
	x := open(t, newStore(t), &wordEmbedder{model: "m", dim: 8}, index.Options{Degraded: func(error) {}})
	update(t, x, folder(t, map[string]string{"a.md": "alpha"}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, hybrid := x.Hybrid(ctx, "alpha", nil, 5)
	_, word := x.Keyword(ctx, "alpha", 5)
	_, grep := x.Grep(ctx, "alpha", 5)
	_, vector := x.Vector(ctx, "alpha", 5)
	for _, err := range []error{hybrid, word, grep, vector} {
		assert.True(t, errors.Is(err, context.Canceled), "%v", err)
	}
}
