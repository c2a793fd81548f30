package index_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTermsThatStandTogetherRaiseAPassage(t *testing.T) {
	x := newIndex(t)
	files := map[string]string{
		"apart.md":    "garbage one two three four five six seven eight nine ten eleven twelve collector",
		"together.md": "garbage collector one two three four five six seven eight nine ten eleven twelve",
	}
	for i := range 10 {
		files[fmt.Sprintf("other%d.md", i)] = "nothing of it here"
	}
	update(t, x, folder(t, files))
	hits := keyword(t, x, "garbage collector")
	require.Equal(t, []string{"together.md", "apart.md"}, hitPaths(hits))
	assert.Greater(t, hits[0].Score, hits[1].Score)
	hits = keyword(t, x, "garbage unheard collector")
	assert.Greater(t, hits[0].Score, hits[1].Score, "one term may stand between them in the query")
	hits = keyword(t, x, "garbage unheard unseen collector")
	assert.Equal(t, hits[0].Score, hits[1].Score, "only neighbours in the query are looked at")
}
