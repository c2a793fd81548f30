package review_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/review"
)

// full is an entry with all its fields.
func full() review.Entry {
	return review.Entry{
		ID: "abc1", Thread: "t", Run: "r", Question: "q <b>", Answer: "a", Confidence: 0.5, HasConfidence: true,
		Components: map[string]float64{"grounding": 0.25}, Category: "how-to", Sources: []review.Source{{Path: "a.md", StartLine: 1, EndLine: 2, Quote: "q"}},
		Concerns: []string{"c"}, Priority: review.High, Mode: review.Blocking, Status: review.Corrected, Reviewer: "ada", Notes: "n", Corrected: "x", Rating: 3,
		CreatedAt: start, Deadline: start.Add(2 * time.Hour), ClaimedAt: start.Add(time.Minute), DecidedAt: start.Add(time.Hour), SLAMet: new(true), SettledAt: start.Add(time.Hour),
	}
}

// Files of a released version are never written again: they have to stay readable.
func TestEveryVersionOfTheEncodingIsReadable(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "entry-v1.json"))
	require.NoError(t, err)
	e, err := review.Decode("abc1", data)
	require.NoError(t, err)
	assert.Equal(t, full(), e)
	now, err := review.Encode(full())
	require.NoError(t, err)
	assert.JSONEq(t, string(data), string(now), "the newest version is the one that is written")
}

func TestARowThatCannotBeReadIsNamed(t *testing.T) {
	good, err := review.Encode(full())
	require.NoError(t, err)
	var fields map[string]any
	require.NoError(t, json.Unmarshal(good, &fields))
	for what, data := range map[string]string{
		"rubbish":           "rubbish",
		"nothing":           "",
		"cut":               string(good[:len(good)-5]),
		"a newer version":   strings.Replace(string(good), `"v":1`, `"v":2`, 1),
		"no version":        strings.Replace(string(good), `"v":1,`, ``, 1),
		"another entry":     strings.Replace(string(good), `"abc1"`, `"abd2"`, 1),
		"an unknown status": strings.Replace(string(good), `"corrected"`, `"done"`, 1),
		"no reviewer":       strings.Replace(string(good), `"ada"`, `""`, 1),
		"a bad confidence":  strings.Replace(string(good), `0.5`, `1.5`, 1),
	} {
		require.NotEqual(t, string(good), data, what)
		_, err := review.Decode("abc1", []byte(data))
		var row *review.RowError
		require.ErrorAs(t, err, &row, what)
		assert.Equal(t, "abc1", row.ID)
		require.ErrorIs(t, err, review.ErrDamaged)
		assert.ErrorContains(t, err, "review abc1: the stored review is damaged: ")
	}
}

func TestAPlaceIsWrittenWithItsLines(t *testing.T) {
	assert.Equal(t, "a.md", review.Source{Path: "a.md"}.String())
	assert.Equal(t, "a.md:L3", review.Source{Path: "a.md", StartLine: 3, EndLine: 3}.String())
	assert.Equal(t, "a.md:L3-L7", review.Source{Path: "a.md", StartLine: 3, EndLine: 7}.String())
}
