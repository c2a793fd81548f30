package eval_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/eval"
)

func enlarged(t *testing.T, n int) []eval.Passage {
	t.Helper()
	list, err := eval.Enlarge(small(t), n)
	require.NoError(t, err)
	return slices.Collect(list)
}

func TestALargeCorpusBeginsWithTheRowsAsTheyAreAndGoesOnAltered(t *testing.T) {
	list := enlarged(t, 200)
	require.Len(t, list, 200)
	ids := map[string]bool{}
	round := 0
	for i, p := range list {
		ids[p.ID] = true
		if round == 0 && strings.HasSuffix(p.ID, "/1") {
			round = i
		}
	}
	assert.Len(t, ids, 200, "ids are unique")
	require.Positive(t, round)
	assert.NotEqual(t, texts(list[:round]), texts(list[round:2*round]), "the second round is altered")
	assert.Equal(t, list[0].Title, list[round].Title)
	assert.Equal(t, list, enlarged(t, 200), "each time the same")
}

func texts(list []eval.Passage) (all []string) {
	for _, p := range list {
		all = append(all, p.Text)
	}
	return all
}

func TestALongRowBecomesPiecesThatLoseNothing(t *testing.T) {
	dir := small(t)
	long := strings.Repeat("one two  three\n", 130)
	overwrite(t, dir, "covidqa/corpus.jsonl", object{"id": "long", "title": "L", "text": long})
	list, err := eval.Enlarge(dir, 100)
	require.NoError(t, err)
	whole, pieces := "", 0
	for p := range list {
		if strings.HasPrefix(p.ID, "covidqa/long/") && strings.HasSuffix(p.ID, "/0") {
			whole += p.Text
			pieces++
			assert.LessOrEqual(t, len(strings.Fields(p.Text)), 180)
		}
	}
	assert.Equal(t, long, whole)
	assert.Equal(t, 3, pieces)
}

func TestALargeCorpusOfNoDataIsAUsageError(t *testing.T) {
	_, err := eval.Enlarge(t.TempDir(), 10)
	var usage *eval.UsageError
	assert.ErrorAs(t, err, &usage)
}
