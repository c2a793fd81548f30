package index_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/index"
)

func TestASetYieldsItsKeysInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.Int64Range(0, 300)).Draw(t, "keys")
		var set index.KeySet
		want := map[int64]bool{}
		for _, key := range keys {
			set.Add(key)
			want[key] = true
		}
		if got := slices.Collect(set.All()); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("%v gives %v", keys, got)
		}
	})
	var set index.KeySet
	set.Add(1)
	set.Add(70)
	for key := range set.All() {
		assert.EqualValues(t, 1, key)
		break
	}
}
