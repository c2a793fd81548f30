package index_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

func TestAPhraseLiftsThePassagesInWhichItsWordsStandTogether(t *testing.T) {
	x := newIndex(t)
	update(t, x, folder(t, map[string]string{
		"apart.md":    "Rotation of crops. The log of a rotation. A log is a log is a log. Then rotation after rotation, and a log of rotation.",
		"together.md": "Once a day there is a log rotation among many other things which take a long while to tell and have nothing to do with it at all.",
		"other.md":    "Nothing of it here.",
		"zh.md":       "查询速度很慢。",
		"zh2.md":      "速度查询，速度查询。很慢很慢。",
	}))
	assert.Equal(t, "together.md", keyword(t, x, `"log rotation"`)[0].Path)
	assert.Equal(t, "together.md", keyword(t, x, `how does “log rotations” work?`)[0].Path, "forms of words do not count")
	assert.Len(t, keyword(t, x, `"log rotation"`), 2, "the others follow")
	assert.Equal(t, "zh.md", keyword(t, x, `「查询速度很慢」`)[0].Path)
	assert.Equal(t, "apart.md", keyword(t, x, `"rotation log"`)[0].Path, "a phrase that stands nowhere lifts nothing")
	assert.NotEmpty(t, keyword(t, x, `an open "quotation of log`))
}

func TestAPhraseFindsAPassageThatIsNotAmongTheFirst(t *testing.T) {
	x := newIndex(t)
	files := map[string]string{"last.md": "A very long text in which green apples stand far behind, " + words(300) + " and red apples too, and green leaves."}
	for i := range 120 {
		files[string(rune('a'+i%26))+string(rune('a'+i/26))+".md"] = "apples green apples, apples of green, apples"
		files[string(rune('a'+i%26))+string(rune('a'+i/26))+"2.md"] = "other things"
	}
	delete(files, "last.md")
	files["last.md"] = "A very long text in which red apples of green stand, " + words(100) + " and then apples red."
	update(t, x, folder(t, files))
	hits, err := x.Keyword(t.Context(), `"apples red" green`, 3)
	require.NoError(t, err)
	assert.Equal(t, "last.md", hits[0].Path)
}

func words(n int) (s string) {
	for range n {
		s += "filler "
	}
	return s
}

func TestAPrefixStandsForAllWordsThatBeginSo(t *testing.T) {
	x := newIndex(t)
	update(t, x, folder(t, map[string]string{
		"a.md": "kubernetes", "b.md": "kubectl", "c.md": "Kubelets are here", "d.md": "cube", "e.md": "databases", "f.md": "datum",
	}))
	assert.ElementsMatch(t, []string{"a.md", "b.md", "c.md"}, hitPaths(keyword(t, x, "kube*")))
	assert.ElementsMatch(t, []string{"a.md", "b.md", "c.md", "f.md"}, hitPaths(keyword(t, x, "Kube*, datum")))
	assert.Equal(t, []string{"e.md"}, hitPaths(keyword(t, x, "database*")), "a stem lost its e")
	assert.Empty(t, keyword(t, x, "ku*"), "too short to be meant")
	assert.Empty(t, keyword(t, x, "*kube"))
	assert.Empty(t, keyword(t, x, "zzz*"))
	for _, query := range []string{"databa*", "kuber*", "\"kuber* here\"", "kuberx*"} {
		got, err := x.Corrections(t.Context(), query, nil)
		require.NoError(t, err)
		assert.Empty(t, got, "%s: the begin of a word is no typing error", query)
	}
}

func TestAWordThatNoPassageHoldsIsCorrectedAndTheCorrectionTold(t *testing.T) {
	x := newIndex(t)
	update(t, x, folder(t, map[string]string{
		"a.md": "The Database keeps everything.", "b.md": "Configuration of the server.", "c.md": "Пароли хранятся в базе.",
		"d.md": "Something else entirely.", "e.md": "Here is more.", "f.md": "And there.",
	}))
	tests := []struct {
		query, path string
		want        []index.Correction
	}{
		{"databse", "a.md", []index.Correction{{Word: "databse", Instead: []string{"database"}}}},
		{"the Datbaase of the server", "b.md", nil},
		{"confgiurations", "b.md", []index.Correction{{Word: "confgiurations", Instead: []string{"configuration"}}}},
		{"пароли", "c.md", nil},
		{"пороли", "c.md", []index.Correction{{Word: "пороли", Instead: []string{"пароли"}}}},
	}
	for _, tt := range tests {
		hits := keyword(t, x, tt.query)
		require.NotEmpty(t, hits, tt.query)
		assert.Equal(t, tt.path, hits[0].Path, tt.query)
		if tt.want == nil {
			continue
		}
		got, err := x.Corrections(t.Context(), tt.query, hits)
		require.NoError(t, err)
		assert.Equal(t, tt.want, got, tt.query)
	}
	for _, query := range []string{"database", "xyzzyxyzzy", "dtbs", "serv3r", "数据库", "", "atabase"} {
		got, err := x.Corrections(t.Context(), query, nil)
		require.NoError(t, err)
		assert.Empty(t, got, "%q", query)
	}
}

func TestAWordIsNotCorrectedToOneOfARemovedFile(t *testing.T) {
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "database", "b.md": "server", "c.md": "more", "d.md": "other"})
	update(t, x, dir)
	got, err := x.Corrections(t.Context(), "databse", nil)
	require.NoError(t, err)
	require.Len(t, got, 1)
	_, err = x.Remove(t.Context(), []string{filepath.Join(dir, "a.md")}, index.RemoveOptions{})
	require.NoError(t, err)
	got, err = x.Corrections(t.Context(), "databse", nil)
	require.NoError(t, err)
	assert.Empty(t, got)
}

func TestACorrectionCountsLessThanAWordThatIsThere(t *testing.T) {
	x := newIndex(t)
	update(t, x, folder(t, map[string]string{"a.md": "database", "b.md": "server", "c.md": "x", "d.md": "y", "e.md": "z", "f.md": "w"}))
	assert.Equal(t, []string{"b.md", "a.md"}, hitPaths(keyword(t, x, "databse server")))
}

func TestIdentifiersAreFoundWholeAndInPartsTheExactOneFirst(t *testing.T) {
	x := newIndex(t)
	update(t, x, folder(t, map[string]string{
		"http.md":   "HTTPServer answers requests, among much other text that tells of servers and of HTTP at some length.",
		"parts.md":  "An HTTP server. The server speaks HTTP, the server of HTTP is a server, and http is http.",
		"read.md":   "Call read_file with a path, then do many other things that are told here at length.",
		"read2.md":  "Read a file, read the file, file and read: read files.",
		"env.md":    "KB_AGENT_DATA_DIR names the folder in which everything lies that has to be kept for longer than a day.",
		"folder.md": "The data dir of the KB agent: agent data, KB data, dir of data.",
		"go.md":     "strings.Builder and net/http",
	}))
	for query, path := range map[string]string{
		"HTTPServer": "http.md", "httpserver": "http.md", "read_file": "read.md", "KB_AGENT_DATA_DIR": "env.md", "kb_agent_data_dir": "env.md",
		"what does HTTPServer do?": "http.md", "how is read_file called": "read.md", "strings.Builder": "go.md",
	} {
		hits := keyword(t, x, query)
		require.NotEmpty(t, hits, query)
		assert.Equal(t, path, hits[0].Path, query)
	}
	for query, path := range map[string]string{"server": "http.md", "read": "read.md", "data dir": "env.md", "builder": "go.md"} {
		assert.Contains(t, hitPaths(keyword(t, x, query)), path, "%s: by its parts", query)
	}
}

// countedSearches counts what queries ask of a store.
type countedSearches struct {
	index.Store
	searches, vocabularies int
}

func (s *countedSearches) Keyword(ctx context.Context, q index.KeywordQuery) ([]index.Match, error) {
	s.searches++
	return s.Store.Keyword(ctx, q)
}

func (s *countedSearches) Vocabulary(ctx context.Context, prefix string, keep func([]byte) bool) (map[string]int, error) {
	s.vocabularies++
	return s.Store.Vocabulary(ctx, prefix, keep)
}

func TestTheWorkOfOneQueryIsBounded(t *testing.T) {
	store := &countedSearches{Store: newStore(t)}
	x := open(t, store, nil, index.Options{})
	update(t, x, folder(t, map[string]string{"a.md": "alpha beta gamma"}))
	var different strings.Builder
	for i := range 40 {
		fmt.Fprintf(&different, `"alpha %d" wo%c* `, i, 'a'+rune(i%26))
	}
	for name, c := range map[string]struct {
		query                  string
		searches, vocabularies int
	}{
		"the same again and again": {strings.Repeat(`"alpha beta" alp* `, 500), 2, 1},
		"different ones":           {different.String(), 9, 8},
	} {
		store.searches, store.vocabularies = 0, 0
		_, err := x.Keyword(t.Context(), c.query, 3)
		require.NoError(t, err)
		assert.Equal(t, []int{c.searches, c.vocabularies}, []int{store.searches, store.vocabularies}, name)
	}
}
