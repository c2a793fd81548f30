package indextest

import (
	"fmt"
	"testing"

	"github.com/kbagent/kbagent/index"
)

// testWithin compares searches within a set with the same searches without one: these hold all matches, so that the best of
// the set are those of them that it holds.
func testWithin(t *testing.T, s index.Store) {
	for i := range 60 { // several changes, and several passages a file
		root := fmt.Sprintf("/r%d", i%3)
		contents := []string{"alpha", fmt.Sprintf("alpha beta %s", words("beta", i%7)), words("gamma alpha", i%5+1)}
		apply(t, s, index.Change{Put: []index.Document{document(root, fmt.Sprintf("f%d.md", i), contents[:1+i%3]...)}})
	}
	apply(t, s, index.Change{Remove: []index.FileKey{{Root: "/r1", Path: "f1.md"}}})
	takes := func(f index.FileKey) bool { return f.Root == "/r1" }
	set := must(s.Keys(t.Context(), takes))(t)
	for _, terms := range [][]string{{"alpha"}, {"beta", "alpha"}, {"gamma"}, {"nothing"}} {
		var all []index.Match
		for _, m := range find(t, s, terms...) {
			if m.Passage.Root == "/r1" {
				all = append(all, m)
			}
		}
		for _, k := range []int{1, 3, 10, 1000} {
			got := must(s.Keyword(t.Context(), index.KeywordQuery{Terms: terms, K: k, Within: set}))(t)
			best := all[:min(k, len(all))]
			want(t, fmt.Sprintf("how many of %v", terms), len(got), len(best))
			for i := range got {
				want(t, fmt.Sprintf("sum %d of %v", i, terms), got[i].Score, best[i].Score)
				want(t, "root", got[i].Passage.Root, "/r1")
			}
		}
	}
	want(t, "matches within nothing", len(must(s.Keyword(t.Context(), index.KeywordQuery{Terms: []string{"alpha"}, K: 5, Within: new(index.KeySet)}))(t)), 0)
}

// testSetKeys sees that a set holds the keys of the files that were taken, and no other.
func testSetKeys(t *testing.T, s index.Store) {
	want(t, "keys of an empty store", must(s.Keys(t.Context(), func(index.FileKey) bool { return true }))(t).Len(), 0)
	apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", "alpha", "beta"), document("/r", "b.md", "gamma"), document("/s", "a.md", "delta")}})
	set := must(s.Keys(t.Context(), func(f index.FileKey) bool { return f.Path == "a.md" }))(t)
	want(t, "keys", set.Len(), 3)
	for key := int64(0); key < 100; key++ {
		p, there := must(s.Passages(t.Context(), []int64{key}))(t)[key]
		want(t, "has", set.Has(key), there && p.Path == "a.md")
	}
	apply(t, s, index.Change{Remove: []index.FileKey{{Root: "/s", Path: "a.md"}}})
	want(t, "keys after a removal", must(s.Keys(t.Context(), func(f index.FileKey) bool { return f.Path == "a.md" }))(t).Len(), 2)
}

// words is text repeated.
func words(text string, n int) (all string) {
	for range n {
		all += text + " "
	}
	return all + "end"
}
