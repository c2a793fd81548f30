package indextest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/kbagent/kbagent/index"
)

// Store runs the conformance suite. open returns a new empty store each time and cleans up through t.
func Store(t *testing.T, open func(t *testing.T) index.Store) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, s index.Store)
	}{
		{"a new store is empty", testEmpty},
		{"a file that was put is found whole", testPut},
		{"a put file replaces the one of its key", testReplace},
		{"a removed file is gone from everything", testRemove},
		{"a change that alters nothing leaves the version", testNoChange},
		{"a stamp names what the store holds", testStamp},
		{"a refused change commits nothing of it", testRefused},
		{"a cancelled change commits nothing", testCancelled},
		{"two roots may hold the same path", testTwoRoots},
		{"roots are a sorted set", testRoots},
		{"notes are kept beside files and roots", testNotes},
		{"the best K are returned by the weighted sum", testKeyword},
		{"the sums are those of BM25 while files come and go", testBM25},
		{"the best K within a set are the best of it", testWithin},
		{"a set holds the keys of the files that were taken", testSetKeys},
		{"terms may be required, stand for one word, and be listed", testAlike},
		{"one source is the same as among all", testSource},
		{"a term is counted once for each passage", testDocFreq},
		{"terms are data", testInjection},
		{"vectors belong to texts and models", testVectors},
		{"the keys of removed passages are never used again", testKeys},
		{"readers see changes whole", testWhole},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func testEmpty(t *testing.T, s index.Store) {
	want(t, "version", must(s.Version(t.Context()))(t), 0)
	want(t, "files", len(must(s.Files(t.Context()))(t)), 0)
	want(t, "roots", len(must(s.Roots(t.Context()))(t)), 0)
	want(t, "sources", len(sources(t, s)), 0)
	want(t, "matches", len(find(t, s, "alpha")), 0)
	want(t, "vectors", len(must(s.Vectors(t.Context(), "m"))(t).Keys), 0)
	c := must(s.Counts(t.Context()))(t)
	want(t, "counts", c.Files+c.Passages+int(c.Bytes)+len(c.Vectors), 0)
}

func testPut(t *testing.T, s index.Store) {
	doc := document("/r", "a/b.md", "alpha beta", "gamma")
	apply(t, s, index.Change{Put: []index.Document{doc}, AddRoots: []string{"/r"}})

	if v := must(s.Version(t.Context()))(t); v <= 0 {
		t.Errorf("version = %d after a change, want more than 0", v)
	}
	want(t, "files", must(s.Files(t.Context()))(t), []index.FileRecord{doc.FileRecord})
	matches := find(t, s, "gamma")
	if len(matches) != 1 {
		t.Fatalf("%d matches, want 1", len(matches))
	}
	want(t, "passage", matches[0].Passage, doc.Passages[1].Passage)
	if matches[0].Score <= 0 {
		t.Errorf("score = %v, want more than 0", matches[0].Score)
	}
	got := sources(t, s)
	if len(got) != 1 {
		t.Fatalf("%d sources, want 1", len(got))
	}
	want(t, "source text", got[0].Text, doc.Text)
	want(t, "source passages", len(got[0].Passages), 2)
	c := must(s.Counts(t.Context()))(t)
	want(t, "counts", [3]int{c.Files, c.Passages, int(c.Bytes)}, [3]int{1, 2, len(doc.Text)})
}

func testReplace(t *testing.T, s index.Store) {
	apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", "alpha beta", "gamma")}})
	before := must(s.Version(t.Context()))(t)
	apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", "delta")}})
	want(t, "old matches", len(find(t, s, "alpha", "gamma")), 0)
	want(t, "new matches", len(find(t, s, "delta")), 1)
	want(t, "files", len(must(s.Files(t.Context()))(t)), 1)
	if after := must(s.Version(t.Context()))(t); after <= before {
		t.Errorf("version went from %d to %d, want it to grow", before, after)
	}
}

func testRemove(t *testing.T, s index.Store) {
	apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", "alpha"), document("/r", "b.md", "alpha beta")}})
	apply(t, s, index.Change{Remove: []index.FileKey{{Root: "/r", Path: "a.md"}}})
	matches := find(t, s, "alpha")
	if len(matches) != 1 || matches[0].Passage.Path != "b.md" {
		t.Errorf("matches = %+v, want only b.md", matches)
	}
	want(t, "sources", len(sources(t, s)), 1)
	want(t, "passages", must(s.Counts(t.Context()))(t).Passages, 1)
}

func testNoChange(t *testing.T, s index.Store) {
	apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", "alpha")}, AddRoots: []string{"/r"}})
	before := must(s.Version(t.Context()))(t)
	apply(t, s, index.Change{})
	apply(t, s, index.Change{Remove: []index.FileKey{{Root: "/r", Path: "none.md"}}, AddRoots: []string{"/r"}, DropRoots: []string{"/x"}, Prune: "m"})
	want(t, "version", must(s.Version(t.Context()))(t), before)
}

func testStamp(t *testing.T, s index.Store) {
	stamps := []string{must(s.Stamp(t.Context()))(t)}
	put := func(word string) { apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", word)}}) }
	put("alpha")
	stamps = append(stamps, must(s.Stamp(t.Context()))(t))
	want(t, "stamp without a change", must(s.Stamp(t.Context()))(t), stamps[1])
	apply(t, s, index.Change{Remove: []index.FileKey{{Root: "/r", Path: "none.md"}}})
	want(t, "stamp after a change that alters nothing", must(s.Stamp(t.Context()))(t), stamps[1])
	put("beta")
	stamps = append(stamps, must(s.Stamp(t.Context()))(t))
	for i, stamp := range stamps {
		if stamp == "" || slices.Contains(stamps[:i], stamp) {
			t.Errorf("stamps = %q, want each filled in and different", stamps)
		}
	}
}

func testRefused(t *testing.T, s index.Store) {
	apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", "alpha")}})
	before := must(s.Version(t.Context()))(t)
	broken := document("/r", "broken.md", "gamma")
	broken.Passages[0].Content = "not the text"
	err := s.Apply(t.Context(), index.Change{
		Remove: []index.FileKey{{Root: "/r", Path: "a.md"}},
		Put:    []index.Document{document("/r", "b.md", "beta"), broken},
	})
	if err == nil {
		t.Error("a passage that is no slice of its text was accepted")
	}
	want(t, "matches", len(find(t, s, "alpha", "beta", "gamma")), 1)
	want(t, "version", must(s.Version(t.Context()))(t), before)
}

func testCancelled(t *testing.T, s index.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Apply(ctx, index.Change{Put: []index.Document{document("/r", "a.md", "alpha")}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want context.Canceled", err)
	}
	want(t, "matches", len(find(t, s, "alpha")), 0)
	apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", "alpha")}})
	want(t, "matches afterwards", len(find(t, s, "alpha")), 1)
}

func testTwoRoots(t *testing.T, s index.Store) {
	apply(t, s, index.Change{Put: []index.Document{document("/b", "x.md", "alpha"), document("/a", "x.md", "alpha")}})
	files := must(s.Files(t.Context()))(t)
	want(t, "roots of the files, sorted", []string{files[0].Root, files[1].Root}, []string{"/a", "/b"})
	want(t, "matches", len(find(t, s, "alpha")), 2)
	apply(t, s, index.Change{Remove: []index.FileKey{{Root: "/a", Path: "x.md"}}})
	matches := find(t, s, "alpha")
	want(t, "matches after one was removed", len(matches), 1)
	want(t, "its root", matches[0].Passage.Root, "/b")
}

func testRoots(t *testing.T, s index.Store) {
	apply(t, s, index.Change{AddRoots: []string{"/b", "/a", "/b"}})
	want(t, "roots", must(s.Roots(t.Context()))(t), []string{"/a", "/b"})
	apply(t, s, index.Change{AddRoots: []string{"/c"}, DropRoots: []string{"/a"}})
	want(t, "roots", must(s.Roots(t.Context()))(t), []string{"/b", "/c"})
}

func testWhole(t *testing.T, s index.Store) {
	small, large := document("/r", "a.md", "alpha one"), document("/r", "a.md", "alpha one", "alpha two", "alpha three")
	apply(t, s, index.Change{Put: []index.Document{small}})
	done := make(chan error, 1)
	go func() {
		var err error
		for i := range 40 {
			if err == nil {
				err = s.Apply(t.Context(), index.Change{Put: []index.Document{[]index.Document{large, small}[i%2]}})
			}
		}
		done <- err
	}()
	for {
		for _, source := range sources(t, s) {
			if source.Text != small.Text && source.Text != large.Text || len(source.Passages) != source.File.Passages {
				t.Errorf("saw %d of %d passages and text %q", len(source.Passages), source.File.Passages, source.Text)
			}
		}
		if n := len(find(t, s, "alpha")); n != 1 && n != 3 {
			t.Errorf("saw %d passages, want 1 or 3", n)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("apply: %v", err)
			}
			return
		default:
		}
	}
}

func want[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s = %+v, want %+v", what, got, want)
	}
}

// must returns its argument, or fails the test on an error: must(f())(t).
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func sortedKeys(m map[int64]index.Passage) []int64 {
	keys := make([]int64, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
