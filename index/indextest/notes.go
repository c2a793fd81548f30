package indextest

import (
	"testing"

	"github.com/kbagent/kbagent/index"
)

func testNotes(t *testing.T, s index.Store) {
	a, b, root := index.FileKey{Root: "/r", Path: "a.md"}, index.FileKey{Root: "/r", Path: "b.md"}, index.FileKey{Root: "/r"}
	apply(t, s, index.Change{
		Put: []index.Document{document("/r", "a.md", "alpha"), document("/r", "b.md", "beta")}, AddRoots: []string{"/r"},
		Notes: []index.Note{{FileKey: b, Text: "of b"}, {FileKey: a, Text: "of a"}, {FileKey: root, Text: "of the root"}},
	})
	notes := func() []index.Note { return must(s.Notes(t.Context()))(t) }
	want(t, "notes", notes(), []index.Note{{FileKey: root, Text: "of the root"}, {FileKey: a, Text: "of a"}, {FileKey: b, Text: "of b"}})

	before := must(s.Version(t.Context()))(t)
	apply(t, s, index.Change{Notes: []index.Note{{FileKey: a, Text: "of a"}, {FileKey: index.FileKey{Root: "/none"}}}})
	want(t, "version after the same note and one that was not there", must(s.Version(t.Context()))(t), before)

	apply(t, s, index.Change{Put: []index.Document{document("/r", "a.md", "changed")}, Notes: []index.Note{{FileKey: b, Text: "other"}}})
	want(t, "notes after a change", notes(), []index.Note{{FileKey: root, Text: "of the root"}, {FileKey: a, Text: "of a"}, {FileKey: b, Text: "other"}})
	apply(t, s, index.Change{Remove: []index.FileKey{a}, Notes: []index.Note{{FileKey: b}}})
	want(t, "notes of what was removed, and one emptied", notes(), []index.Note{{FileKey: root, Text: "of the root"}})
	apply(t, s, index.Change{DropRoots: []string{"/r"}})
	want(t, "notes without the root", len(notes()), 0)
}
