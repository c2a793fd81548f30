package indextest

import (
	"crypto/sha256"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kbagent/kbagent/index"
)

func testKeyword(t *testing.T, s index.Store) {
	titled := document("/r", "titled.md", "other words here")
	titled.Passages[0].Terms.Title = []string{"alpha"}
	filler := make([]index.Document, 20)
	for i := range filler {
		filler[i] = document("/r", "filler"+string(rune('a'+i))+".md", "nothing to see")
	}
	apply(t, s, index.Change{Put: append(filler, titled, document("/r", "once.md", "alpha word word word"), document("/r", "twice.md", "alpha alpha beta word"))})

	ask := func(k int, terms ...string) (paths []string) {
		for _, m := range must(s.Keyword(t.Context(), index.KeywordQuery{Terms: terms, K: k}))(t) {
			paths = append(paths, m.Passage.Path)
		}
		return paths
	}
	want(t, "the two best for alpha beta", ask(2, "alpha", "beta")[0], "twice.md")
	want(t, "limited to two", len(ask(2, "alpha", "beta")), 2)
	want(t, "all for alpha", len(ask(10, "alpha")), 3)
	want(t, "in the title as in the body", ask(1, "alpha", "other"), []string{"titled.md"})
	want(t, "no K", len(ask(0, "alpha")), 0)
	want(t, "no terms", len(ask(5)), 0)

	once := must(s.Keyword(t.Context(), index.KeywordQuery{Terms: []string{"alpha"}, K: 3}))(t)
	again := must(s.Keyword(t.Context(), index.KeywordQuery{Terms: []string{"alpha", "alpha"}, K: 3}))(t)
	want(t, "a repeated term", again, once)
	half := must(s.Keyword(t.Context(), index.KeywordQuery{Terms: []string{"beta"}, Half: []string{"alpha"}, K: 3}))(t)
	want(t, "first of beta and half of alpha", half[0].Passage.Path, "twice.md")
	scoreOf := func(list []index.Match, path string) float64 {
		return list[slices.IndexFunc(list, func(m index.Match) bool { return m.Passage.Path == path })].Score
	}
	if full, got := scoreOf(once, "once.md"), scoreOf(half, "once.md"); math.Abs(got-full/2) > 1e-9 {
		t.Errorf("a term that counts half: got score %v, want half of %v", got, full)
	}
	if !slices.IsSortedFunc(once, func(a, b index.Match) int { return sign(b.Score - a.Score) }) {
		t.Errorf("scores are not in order: %+v", once)
	}
}

func testDocFreq(t *testing.T, s index.Store) {
	titled := document("/r", "titled.md", "other words")
	titled.Passages[0].Terms.Title = []string{"alpha"}
	apply(t, s, index.Change{Put: []index.Document{titled, document("/r", "a.md", "alpha alpha", "beta alpha"), document("/r", "b.md", "beta")}})
	freq, passages, err := s.DocFreq(t.Context(), []string{"alpha", "beta", "gamma", "OR", `"`})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "passages", passages, 4)
	want(t, "alpha, once in a title", freq["alpha"], 3)
	want(t, "beta", freq["beta"], 2)
	want(t, "a term that is nowhere", freq["gamma"]+freq["OR"]+freq[`"`], 0)
}

func testAlike(t *testing.T, s index.Store) {
	apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", "alpha beta", "alphabet", "alpine beta", "beta", "gamma", "gamma", "delta", "delta")}})
	ask := func(q index.KeywordQuery) (contents []string) {
		q.K = 10
		for _, m := range must(s.Keyword(t.Context(), q))(t) {
			contents = append(contents, m.Passage.Content)
		}
		return contents
	}
	want(t, "all of two terms", ask(index.KeywordQuery{Terms: []string{"alpha", "beta"}, All: []string{"alpha", "beta"}}), []string{"alpha beta"})
	want(t, "all of one that is nowhere", len(ask(index.KeywordQuery{Terms: []string{"alpha", "omega"}, All: []string{"omega"}})), 0)
	want(t, "alike terms", len(ask(index.KeywordQuery{Alike: []index.Alike{{Terms: []string{"alpha", "alphabet"}, Weight: 0.5}}})), 2)
	alone := must(s.Keyword(t.Context(), index.KeywordQuery{Terms: []string{"gamma"}, K: 1}))(t)[0].Score
	alike := must(s.Keyword(t.Context(), index.KeywordQuery{Alike: []index.Alike{{Terms: []string{"alpha", "alphabet"}, Weight: 0.5}}, K: 2}))(t)
	if got := alike[0].Score; math.Abs(got-alone/2) > 1e-9 { // both are in two passages; the shorter one, of as many terms, is first
		t.Errorf("alike terms: %v, want half of %v", got, alone)
	}
	all := must(s.Vocabulary(t.Context(), "alp", nil))(t)
	want(t, "terms that begin with alp", all, map[string]int{"alpha": 1, "alphabet": 1, "alpine": 1})
	long := must(s.Vocabulary(t.Context(), "alp", func(term []byte) bool { return len(term) > 5 }))(t)
	want(t, "the long ones", long, map[string]int{"alphabet": 1, "alpine": 1})
}

func sign(x float64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	default:
		return 0
	}
}

func testInjection(t *testing.T, s index.Store) {
	odd := []string{`"`, `""`, `'`, `*`, `a*`, `body:alpha`, `AND`, `NOT`, `NEAR(a`, `(`, `)`, `^a`, `-a`, `a+b`, `c++`, `go.mod`, `read_file`, `--`, `;`,
		`\`, `%`, `数据`, `ü`, `{x}`, `🙂`, `a"b`, "'; DROP TABLE x; --"}
	doc := document("/r", "odd.md", "alpha")
	apply(t, s, index.Change{Put: []index.Document{doc}})
	for _, term := range odd {
		want(t, "matches of the strange term "+term, len(find(t, s, term)), 0)
	}
	doc.Passages[0].Terms.Body = slices.DeleteFunc(slices.Clone(odd), func(term string) bool { return strings.Contains(term, " ") })
	apply(t, s, index.Change{Put: []index.Document{doc}})
	for _, term := range doc.Passages[0].Terms.Body {
		want(t, "matches of the stored term "+term, len(find(t, s, term)), 1)
	}
	for _, term := range []string{"a", "b", "c", "go", "mod", "read", "alpha"} {
		want(t, "matches of "+term+", only a part of a term", len(find(t, s, term)), 0)
	}
}

func testVectors(t *testing.T, s index.Store) {
	apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", "alpha", "beta"), document("/r", "b.md", "alpha")}})
	waiting := must(s.Unembedded(t.Context(), "m", 0, 10))(t)
	want(t, "waiting passages", len(waiting), 3)
	want(t, "their limit", len(must(s.Unembedded(t.Context(), "m", 0, 2))(t)), 2)
	want(t, "those after the second", len(must(s.Unembedded(t.Context(), "m", waiting[1].Key, 10))(t)), 1)

	alpha, beta := digest("alpha"), digest("beta")
	apply(t, s, index.Change{Vectors: []index.Vector{{Model: "m", Digest: alpha, Values: []float32{1, 0}}}})
	want(t, "waiting after the shared vector", len(must(s.Unembedded(t.Context(), "m", 0, 10))(t)), 1)
	want(t, "waiting for another model", len(must(s.Unembedded(t.Context(), "n", 0, 10))(t)), 3)
	want(t, "digests with a vector", must(s.Embedded(t.Context(), "m", []index.Digest{alpha, beta}))(t), map[index.Digest]bool{alpha: true})
	want(t, "digests with a vector of another model", len(must(s.Embedded(t.Context(), "n", []index.Digest{alpha, beta}))(t)), 0)

	apply(t, s, index.Change{Vectors: []index.Vector{{Model: "m", Digest: beta, Values: []float32{0, 1}}, {Model: "old", Digest: beta, Values: []float32{1}}}})
	v := must(s.Vectors(t.Context(), "m"))(t)
	want(t, "matrix", []int{v.Dim, len(v.Keys), len(v.Values)}, []int{2, 3, 6})
	want(t, "matrix stamp", v.Stamp, must(s.Stamp(t.Context()))(t))
	passages := must(s.Passages(t.Context(), v.Keys))(t)
	for i, key := range v.Keys {
		want(t, "vector of "+passages[key].Content, v.Values[2*i] == 1, passages[key].Content == "alpha")
	}
	want(t, "counts", must(s.Counts(t.Context()))(t).Vectors, map[string]index.VectorCount{"m": {Passages: 3, Dim: 2}, "old": {Passages: 1, Dim: 1}})

	apply(t, s, index.Change{Remove: []index.FileKey{{Root: "/r", Path: "a.md"}}, Prune: "m"})
	apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", "beta")}})
	want(t, "waiting for m after its vector was pruned", len(must(s.Unembedded(t.Context(), "m", 0, 10))(t)), 1)
	want(t, "counts after pruning", must(s.Counts(t.Context()))(t).Vectors, map[string]index.VectorCount{"m": {Passages: 1, Dim: 2}})
	apply(t, s, index.Change{DropVectors: "m"})
	want(t, "counts after dropping", len(must(s.Counts(t.Context()))(t).Vectors), 0)
}

func testKeys(t *testing.T, s index.Store) {
	apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", "alpha")}})
	old := must(s.Unembedded(t.Context(), "m", 0, 1))(t)[0].Key
	apply(t, s, index.Change{Remove: []index.FileKey{{Root: "/r", Path: "a.md"}}})
	apply(t, s, index.Change{Put: []index.Document{document("/r", "b.md", "beta")}})
	next := must(s.Unembedded(t.Context(), "m", 0, 1))(t)[0].Key
	if next <= old {
		t.Errorf("key %d was given after %d", next, old)
	}
	got := must(s.Passages(t.Context(), []int64{old, next}))(t)
	want(t, "the passages that are left", sortedKeys(got), []int64{next})
}

// document makes a file of these passages with blank lines around them; words are its terms.
func document(root, path string, contents ...string) index.Document {
	text := "\n" + strings.Join(contents, "\n\n") + "\n"
	doc := index.Document{Text: text, FileRecord: index.FileRecord{
		File:   index.File{Path: path, Root: root, Title: "T", Size: int64(len(text)), Lines: strings.Count(text, "\n"), Passages: len(contents)},
		Hash:   sha256.Sum256([]byte(text)),
		Recipe: "test",
	}}
	at, line := 1, 2
	for _, c := range contents {
		p := index.Passage{ID: index.PassageID(path, at, at+len(c), c), Path: path, Root: root, Title: "T", Section: "S > " + c,
			StartLine: line, EndLine: line, StartByte: at, EndByte: at + len(c), Content: c, Language: "en"}
		doc.Passages = append(doc.Passages, index.IndexedPassage{Passage: p, Digest: digest(c),
			Terms: index.Terms{Title: []string{"t"}, Section: []string{"s"}, Body: strings.Fields(c)}})
		at, line = at+len(c)+2, line+2
	}
	return doc
}

func digest(s string) index.Digest { return sha256.Sum256([]byte(s)) }

func apply(t *testing.T, s index.Store, c index.Change) {
	t.Helper()
	if err := s.Apply(t.Context(), c); err != nil {
		t.Fatalf("apply: %v", err)
	}
}

func find(t *testing.T, s index.Store, terms ...string) []index.Match {
	t.Helper()
	q := index.KeywordQuery{Terms: terms, K: 1000}
	return must(s.Keyword(t.Context(), q))(t)
}

func sources(t *testing.T, s index.Store) (all []index.Source) {
	t.Helper()
	for source, err := range s.Sources(t.Context()) {
		if err != nil {
			t.Fatalf("sources: %v", err)
		}
		all = append(all, source)
	}
	return all
}

// testSource compares the source of one file with the same among all.
func testSource(t *testing.T, s index.Store) {
	apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", "alpha", "beta"), document("/q", "a.md", "gamma"), document("/r", "b.md")}})
	for _, source := range sources(t, s) {
		one, found, err := s.Source(t.Context(), index.FileKey{Root: source.Root, Path: source.Path})
		if err != nil || !found {
			t.Fatalf("source of %s in %s: found %t, %v", source.Path, source.Root, found, err)
		}
		want(t, "the source of "+source.Path+" alone", one, source)
	}
	if _, found, err := s.Source(t.Context(), index.FileKey{Root: "/q", Path: "b.md"}); found || err != nil {
		t.Errorf("a file that is not there: found %t, %v", found, err)
	}
}
