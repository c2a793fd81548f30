package index_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

// BenchmarkWithin searches half of the files and all of them, its floor; first is the search that finds out which passages the
// filter takes, as each one after a change is.
func BenchmarkWithin(b *testing.B) {
	dir, _, words := corpus(b, 8<<20)
	x := newIndex(b)
	update(b, x, dir)
	half := index.Filter{Paths: []string{"f*[02468].md"}}
	query := words[100] + " " + words[2000] + " " + words[30000]
	search := func(b *testing.B, x *index.Index) {
		hits, err := x.Keyword(b.Context(), query, 10)
		require.NoError(b, err)
		require.NotEmpty(b, hits)
	}
	b.Run("half", func(b *testing.B) {
		for b.Loop() {
			search(b, x.Within(half))
		}
	})
	b.Run("first", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			fresh := half
			fresh.Paths = append(fresh.Paths, "none"+string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676%26)))
			search(b, x.Within(fresh))
		}
	})
	b.Run("floor=all", func(b *testing.B) {
		for b.Loop() {
			search(b, x)
		}
	})
}
