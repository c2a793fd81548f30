package index_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

func TestOnlyTextsWithoutAVectorAreEmbedded(t *testing.T) {
	e := &wordEmbedder{model: "m", dim: 32}
	x := open(t, newStore(t), e, index.Options{EmbedBatch: 2})
	dir := folder(t, map[string]string{"a.md": "# T\nalpha\n# U\nbeta", "b.md": "# T\nalpha", "c.md": "gamma"})
	var seen []index.Progress
	_, err := x.Update(t.Context(), []string{dir}, index.UpdateOptions{Progress: func(p index.Progress) { seen = append(seen, p) }})
	require.NoError(t, err)
	assert.Equal(t, index.Progress{Phase: index.PhaseEmbed, Done: 4, Total: 4}, seen[len(seen)-1])
	assert.Equal(t, 1, e.embedded("alpha"), "equal passages share a vector")
	assert.Len(t, e.texts, 3)
	stats, err := x.Stats(t.Context())
	require.NoError(t, err)
	assert.Equal(t, [2]int{4, 4}, [2]int{stats.Passages, stats.Vectors})
	assert.Equal(t, "m", stats.EmbeddingModel)

	update(t, x, dir)
	assert.Len(t, e.texts, 3, "an unchanged folder asks for nothing")
	write(t, dir, map[string]string{"a.md": "# T\nalpha\n# U\ndelta"})
	update(t, x, dir)
	assert.Len(t, e.texts, 4, "a changed file asks for what changed")
	assert.Equal(t, 1, e.embedded("delta"))
}

func TestFilesWithoutVectorsFailButAreFoundByKeywordUntilTheEmbedderIsBack(t *testing.T) {
	e := &wordEmbedder{model: "m", dim: 8, refuse: func([]string) error { return errDown }}
	x := open(t, newStore(t), e, index.Options{EmbedBatch: 2})
	dir := folder(t, map[string]string{"a.md": "alpha", "b.md": "beta", "c.md": "gamma", "d.md": "delta", "e.md": "epsilon"})
	report := update(t, x, dir)
	assert.Equal(t, index.FileCounts{Failed: 5}, report.Files)
	assert.Contains(t, report.Errors[0].Error, "keyword search only")
	assert.Contains(t, report.Errors[0].Error, errDown.Error())
	assert.Equal(t, 3, e.calls, "a dead embedder is not asked for ever")
	assert.Len(t, keyword(t, x, "gamma"), 1)
	_, err := x.Vector(t.Context(), "gamma", 3)
	require.ErrorIs(t, err, index.ErrNoVectors)

	e.refuse = nil
	assert.Equal(t, index.FileCounts{Unchanged: 5}, update(t, x, dir).Files)
	hits, err := x.Vector(t.Context(), "gamma", 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"c.md"}, hitPaths(hits))
}

func TestOneBadTextCostsOnlyItsFile(t *testing.T) {
	e := &wordEmbedder{model: "m", dim: 8, refuse: func(texts []string) error {
		if slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "poison") }) {
			return errors.New("input too long")
		}
		return nil
	}}
	x := open(t, newStore(t), e, index.Options{})
	files := map[string]string{"bad.md": "poison"}
	for i := range 10 {
		files[fmt.Sprintf("good%d.md", i)] = fmt.Sprintf("alpha %d", i)
	}
	report := update(t, x, folder(t, files))
	assert.Equal(t, index.FileCounts{Indexed: 10, Failed: 1}, report.Files)
	assert.Contains(t, report.Errors[0].Error, "input too long")
	hits, err := x.Vector(t.Context(), "alpha", 20)
	require.NoError(t, err)
	assert.Len(t, hits, 10)
}

// tooLong is how an embedder refuses a text.
type tooLong struct{ error }

func (tooLong) Refused() bool { return true }

// atMost refuses calls with a text of more bytes.
func atMost(n int) func(texts []string) error {
	return func(texts []string) error {
		if slices.ContainsFunc(texts, func(s string) bool { return len(s) > n }) {
			return tooLong{errors.New("input too long")}
		}
		return nil
	}
}

func TestTextsThatAreTooLongAreEmbeddedByTheirBegin(t *testing.T) {
	e := &wordEmbedder{model: "m", dim: 512, refuse: atMost(400)}
	x := open(t, newStore(t), e, index.Options{EmbedBatch: 8})
	files := map[string]string{"short.md": "alpha"}
	for i := range 10 {
		files[fmt.Sprintf("long%d.md", i)] = fmt.Sprintf("begin%d ", i) + strings.Repeat("filler ", 100)
	}
	assert.Equal(t, index.FileCounts{Indexed: 11}, update(t, x, folder(t, files)).Files)
	hits, err := x.Vector(t.Context(), "begin7", 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"long7.md"}, hitPaths(hits))
	assert.Equal(t, index.FileCounts{Unchanged: 11}, update(t, x).Files)
	assert.Len(t, e.texts, 12, "eleven passages, each once, and the question")
}

func TestOneTextThatIsTooLongDoesNotSplitItsBatchIntoSingleTexts(t *testing.T) {
	e := &wordEmbedder{model: "m", dim: 64, refuse: atMost(400)}
	files := map[string]string{"z.md": strings.Repeat("filler ", 100)}
	for i := range 63 {
		files[fmt.Sprintf("%02d.md", i)] = fmt.Sprintf("alpha %d", i)
	}
	update(t, open(t, newStore(t), e, index.Options{}), folder(t, files))
	assert.Len(t, e.texts, 64)
	assert.LessOrEqual(t, e.calls, 14, "two for each halving of the batch, and those for the text")
}

func TestAnEmbedderThatRefusesEverythingIsNotAskedForEver(t *testing.T) {
	e := &wordEmbedder{model: "m", dim: 8, refuse: atMost(0)}
	files := map[string]string{}
	for i := range 50 {
		files[fmt.Sprintf("%02d.md", i)] = fmt.Sprintf("alpha %d %s", i, strings.Repeat("filler ", 60))
	}
	report := update(t, open(t, newStore(t), e, index.Options{}), folder(t, files))
	assert.Equal(t, index.FileCounts{Failed: 50}, report.Files)
	assert.Contains(t, report.Errors[0].Error, "input too long")
	assert.Less(t, e.calls, 30)
}

func TestAnotherModelIsReportedAndTheNextUpdateEmbedsAnew(t *testing.T) {
	store := newStore(t)
	dir := folder(t, map[string]string{"a.md": "alpha", "b.md": "beta"})
	update(t, open(t, store, &wordEmbedder{model: "old", dim: 8}, index.Options{}), dir)

	x := open(t, store, &wordEmbedder{model: "new", dim: 16}, index.Options{})
	_, err := x.Vector(t.Context(), "alpha", 1)
	var changed *index.ModelChangedError
	require.ErrorAs(t, err, &changed)
	assert.Equal(t, index.ModelChangedError{Want: "new", Have: "old"}, *changed)
	require.ErrorIs(t, err, index.ErrNoVectors)

	assert.Equal(t, 2, update(t, x, dir).Files.Unchanged)
	hits, err := x.Vector(t.Context(), "alpha", 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"a.md"}, hitPaths(hits))
	stats, err := open(t, store, nil, index.Options{}).Stats(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "new", stats.EmbeddingModel, "the old model's vectors are gone")
}

func TestAModelThatChangedUnderItsNameIsEmbeddedAnew(t *testing.T) {
	store := newStore(t)
	dir := folder(t, map[string]string{"a.md": "alpha", "b.md": "beta"})
	update(t, open(t, store, &wordEmbedder{model: "m", dim: 8}, index.Options{}), dir)
	write(t, dir, map[string]string{"c.md": "gamma"})
	x := open(t, store, &wordEmbedder{model: "m", dim: 16}, index.Options{EmbedBatch: 2})
	_, err := x.Vector(t.Context(), "alpha", 1)
	require.ErrorContains(t, err, "16 values")
	update(t, x, dir)
	hits, err := x.Vector(t.Context(), "alpha beta gamma", 10)
	require.NoError(t, err)
	assert.Len(t, hits, 3)
}

func TestAnEmbedderThatBreaksItsContractFailsTheFiles(t *testing.T) {
	for name, vectors := range map[string][][]float32{
		"too few": {}, "empty": {{}}, "zero": {{0, 0}}, "too many": {{1}, {2}},
	} {
		t.Run(name, func(t *testing.T) {
			x := open(t, newStore(t), fixedEmbedder(vectors), index.Options{})
			report := update(t, x, folder(t, map[string]string{"a.md": "alpha"}))
			assert.Equal(t, index.FileCounts{Failed: 1}, report.Files)
			assert.Contains(t, report.Errors[0].Error, "the embedder gave")
		})
	}
}
