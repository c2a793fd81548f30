package index_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

func collections(t *testing.T, x *index.Index) map[string]int {
	t.Helper()
	list, err := x.Collections(t.Context())
	require.NoError(t, err)
	require.Equal(t, index.DefaultCollection, list[0].Name)
	files := map[string]int{}
	for _, c := range list {
		files[c.Name] = c.Files
	}
	return files
}

func TestAFileIsInEveryCollectionThatHasItsPlaceElseInTheDefaultOne(t *testing.T) {
	x, dir := twoTeams(t)
	list, err := x.Collections(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []index.Collection{
		{Name: "default", Places: []string{}, Files: 19, Passages: 19},
		{Name: "night", Places: []string{filepath.Join(dir, "dev", "f3.md"), filepath.Join(dir, "ops", "night")}, Files: 21, Passages: 21},
		{Name: "ops", Places: []string{filepath.Join(dir, "ops")}, Files: 40, Passages: 40},
	}, list)
}

func TestAForgottenCollectionLeavesItsFiles(t *testing.T) {
	x, _ := twoTeams(t)
	require.NoError(t, x.Forget(t.Context(), []string{"ops"}))
	assert.Equal(t, map[string]int{"default": 39, "night": 21}, collections(t, x))

	before, err := x.Version(t.Context())
	require.NoError(t, err)
	err = x.Forget(t.Context(), []string{"night", "nowhere"})
	require.ErrorIs(t, err, index.ErrNoCollection)
	assert.ErrorContains(t, err, `"nowhere"; there are night, default`)
	assert.ErrorContains(t, x.Forget(t.Context(), []string{"default"}), "always exists")
	after, err := x.Version(t.Context())
	require.NoError(t, err)
	assert.Equal(t, before, after, "nothing was changed")
}

func TestAPlaceHasToBeThereAndANameIsAWord(t *testing.T) {
	x, dir := twoTeams(t)
	assert.ErrorContains(t, x.Collect(t.Context(), "ops", []string{filepath.Join(dir, "nowhere")}), "no such file or folder")
	for _, name := range []string{"", "default", "a,b", "-x", "two words", "../x", strings.Repeat("x", 65)} {
		assert.Error(t, x.Collect(t.Context(), name, []string{dir}), name)
	}
	assert.Equal(t, map[string]int{"default": 19, "night": 21, "ops": 40}, collections(t, x))
}

func TestTheSamePlaceTwiceChangesNothing(t *testing.T) {
	x, dir := twoTeams(t)
	before, err := x.Version(t.Context())
	require.NoError(t, err)
	require.NoError(t, x.Collect(t.Context(), "ops", []string{filepath.Join(dir, "ops"), filepath.Join(dir, "dev", "..", "ops")}))
	after, err := x.Version(t.Context())
	require.NoError(t, err)
	assert.Equal(t, before, after)
}
