package index_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

// twoTeams is an index of two folders in three collections, one of them inside of another and one of a single file.
func twoTeams(t *testing.T) (x *index.Index, dir string) {
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("ops/f%d.md", i)] = strings.Repeat("The logs rotate. ", i+1)
		files[fmt.Sprintf("dev/f%d.md", i)] = strings.Repeat("The logs of tests. ", 20-i)
		files[fmt.Sprintf("ops/night/f%d.txt", i)] = "Logs at night, number " + strings.Repeat("one ", i)
	}
	dir = folder(t, files)
	x = open(t, newStore(t), &wordEmbedder{model: "m", dim: 16}, index.Options{})
	update(t, x, dir)
	require.NoError(t, x.Collect(t.Context(), "ops", []string{filepath.Join(dir, "ops")}))
	require.NoError(t, x.Collect(t.Context(), "night", []string{filepath.Join(dir, "ops", "night"), filepath.Join(dir, "dev", "f3.md")}))
	return x, dir
}

// Whatever the filter and the search, what is found is what a search of everything finds among the files that are taken.
func TestTheBestWithinAFilterAreTheBestOfItsFiles(t *testing.T) {
	x, _ := twoTeams(t)
	searches := map[string]func(x *index.Index, k int) ([]index.Hit, error){
		"keyword": func(x *index.Index, k int) ([]index.Hit, error) { return x.Keyword(t.Context(), "logs", k) },
		"vector":  func(x *index.Index, k int) ([]index.Hit, error) { return x.Vector(t.Context(), "logs rotate", k) },
		"grep":    func(x *index.Index, k int) ([]index.Hit, error) { return x.Grep(t.Context(), "(?i)logs", k) },
	}
	in := func(prefix string) func(string) bool {
		return func(p string) bool { return strings.HasPrefix(p, prefix) }
	}
	filters := map[string]struct {
		filter index.Filter
		takes  func(path string) bool
	}{
		"a collection":            {index.Filter{Collections: []string{"ops"}}, in("ops/")},
		"one inside of it":        {index.Filter{Collections: []string{"night"}}, func(p string) bool { return in("ops/night/")(p) || p == "dev/f3.md" }},
		"the default collection":  {index.Filter{Collections: []string{"default"}}, func(p string) bool { return in("dev/")(p) && p != "dev/f3.md" }},
		"several":                 {index.Filter{Collections: []string{"default", "night"}}, func(p string) bool { return in("dev/")(p) || in("ops/night/")(p) }},
		"a pattern":               {index.Filter{Paths: []string{"ops/*.md"}}, func(p string) bool { return in("ops/f")(p) }},
		"patterns":                {index.Filter{Paths: []string{"f1.md", "f2.{md,txt}"}}, func(p string) bool { return slices.Contains([]string{"f1.md", "f2.md", "f2.txt"}, filepath.Base(p)) }},
		"collection and pattern":  {index.Filter{Collections: []string{"ops"}, Paths: []string{"*.txt"}}, in("ops/night/")},
		"a pattern for no file":   {index.Filter{Paths: []string{"*.pdf"}}, func(string) bool { return false }},
		"everything, with no one": {index.Filter{}, func(string) bool { return true }},
	}
	for kind, search := range searches {
		everything, err := search(x, 1000)
		require.NoError(t, err)
		require.NotEmpty(t, everything)
		for name, c := range filters {
			var want []string
			for _, h := range everything {
				if c.takes(h.Path) {
					want = append(want, h.ID)
				}
			}
			for _, k := range []int{1, 5, 1000} {
				hits, err := search(x.Within(c.filter), k)
				require.NoError(t, err)
				var got []string
				for _, h := range hits {
					assert.True(t, c.takes(h.Path), "%s: %s finds %s", name, kind, h.Path)
					got = append(got, h.ID)
				}
				if kind != "keyword" { // which ranks its first 50 anew, so that their order depends on who they are
					assert.Equal(t, want[:min(k, len(want))], got, "%s: %s", name, kind)
				}
				assert.Len(t, got, min(k, len(want)), "%s: %s", name, kind)
			}
		}
	}
}

func TestAFilterHidesFilesFromListingAndReading(t *testing.T) {
	x, dir := twoTeams(t)
	night := x.Within(index.Filter{Collections: []string{"night"}})
	assert.Len(t, paths(t, night, ""), 21)
	assert.Equal(t, []string{"dev/f3.md"}, paths(t, night, "*.md"))
	_, err := night.Text(t.Context(), dir, "dev/f3.md")
	require.NoError(t, err)
	_, err = night.Text(t.Context(), dir, "dev/f4.md")
	assert.ErrorIs(t, err, index.ErrNotIndexed)
	hits, err := night.Hybrid(t.Context(), "logs rotate", []string{"tests"}, 100)
	require.NoError(t, err)
	assert.Len(t, hits, 21)
	assert.Len(t, paths(t, x, ""), 60, "the index itself is as it was")
}

func TestAFilterSeesWhatIsIndexedLater(t *testing.T) {
	x, dir := twoTeams(t)
	night := x.Within(index.Filter{Collections: []string{"night"}})
	require.Len(t, keyword(t, night, "logs"), 21)
	write(t, dir, map[string]string{"ops/night/new.md": "New logs.", "ops/new.md": "New logs."})
	update(t, x, dir)
	assert.Len(t, keyword(t, night, "logs"), 22)
	require.NoError(t, x.Collect(t.Context(), "night", []string{filepath.Join(dir, "ops", "new.md")}))
	assert.Len(t, keyword(t, night, "logs"), 23)
}

func TestAFilterThatCannotBeIsTheErrorOfEverySearch(t *testing.T) {
	x, _ := twoTeams(t)
	for want, f := range map[error]index.Filter{
		index.ErrNoCollection: {Collections: []string{"nihgt"}}, index.ErrPattern: {Paths: []string{"[z-a].md"}},
	} {
		view := x.Within(f)
		_, keyword := view.Keyword(t.Context(), "logs", 5)
		_, vector := view.Vector(t.Context(), "logs", 5)
		_, hybrid := view.Hybrid(t.Context(), "logs", nil, 5)
		_, grep := view.Grep(t.Context(), "logs", 5)
		_, files := view.Files(t.Context(), "")
		for _, err := range []error{keyword, vector, hybrid, grep, files} {
			assert.ErrorIs(t, err, want)
		}
	}
}

// changedMeanwhile changes the index once between the filter and the search.
type changedMeanwhile struct {
	index.Store
	inKeys bool // rather than in a search for words
	change func()
}

func (s *changedMeanwhile) now() {
	if change := s.change; change != nil {
		s.change = nil
		change()
	}
}

func (s *changedMeanwhile) Keyword(ctx context.Context, q index.KeywordQuery) ([]index.Match, error) {
	s.now()
	return s.Store.Keyword(ctx, q)
}

func (s *changedMeanwhile) Keys(ctx context.Context, takes func(index.FileKey) bool) (*index.KeySet, error) {
	if s.inKeys {
		s.now()
	}
	return s.Store.Keys(ctx, takes)
}

func TestAFileThatChangesMeanwhileIsFoundWithinAFilter(t *testing.T) {
	dir := folder(t, map[string]string{"a.md": "alpha one", "b.md": "alpha two"})
	store := &changedMeanwhile{Store: newStore(t)}
	x := open(t, store, &wordEmbedder{model: "m", dim: 16}, index.Options{})
	update(t, x, dir)
	other := open(t, store.Store, &wordEmbedder{model: "m", dim: 16}, index.Options{})
	for name, search := range map[string]func(*index.Index) ([]index.Hit, error){
		"keyword": func(x *index.Index) ([]index.Hit, error) { return x.Keyword(t.Context(), "alpha", 5) },
		"phrase":  func(x *index.Index) ([]index.Hit, error) { return x.Keyword(t.Context(), `"alpha one"`, 5) },
		"vector":  func(x *index.Index) ([]index.Hit, error) { return x.Vector(t.Context(), "alpha", 5) },
	} {
		store.inKeys = name == "vector"
		store.change = func() {
			write(t, dir, map[string]string{"a.md": "alpha one " + name})
			update(t, other, dir)
		}
		hits, err := search(x.Within(index.Filter{Paths: []string{"a.md", name}})) // a filter of its own: the store is asked for its keys
		require.NoError(t, err)
		require.Nil(t, store.change, name)
		assert.Equal(t, []string{"a.md"}, hitPaths(hits), name)
	}
}
