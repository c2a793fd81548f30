package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
)

func TestOnlyAYesAgreesToADeletion(t *testing.T) {
	for line, agreed := range map[string]bool{"y\n": true, "YES\n": true, "yes": true, "\n": false, "": false, "n\n": false, "yess\n": false} {
		var out bytes.Buffer
		err := askPerson(t.Context(), strings.NewReader(line), &out, "delete ops")
		assert.Equal(t, agreed, err == nil, "%q", line)
		if !agreed {
			require.ErrorIs(t, err, errDeclined)
		}
		assert.Equal(t, "Delete ops? [y/N] \n", out.String())
	}
	require.ErrorIs(t, askPerson(t.Context(), brokenReader{}, new(bytes.Buffer), "x"), os.ErrClosed)
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, os.ErrClosed }

func TestAnAgeIsADurationOrDays(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "12h": 12 * time.Hour, "30d": 720 * time.Hour, "90m": 90 * time.Minute} {
		got, err := parseAge(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"0h", "-1d", "d", "1.5d", "30", "soon"} {
		_, err := parseAge(text)
		require.Error(t, err, text)
	}
}

func TestAnAnswerBelongsToTheOpenQuestionThatItBeginsWith(t *testing.T) {
	open := []graph.Interrupt{{ID: "1.1/n/a=b"}, {ID: "1.1/n/c"}}
	for pair, want := range map[string][2]string{
		"1.1/n/a=b=true": {"1.1/n/a=b", "true"}, `1.1/n/c="x=y"`: {"1.1/n/c", `"x=y"`}, "2.1/n/d=1": {"2.1/n/d", "1"},
	} {
		id, value := splitAnswer(pair, open)
		assert.Equal(t, want, [2]string{id, value})
	}
}

// printed runs print with files in place of the streams, and returns what was written to standard output.
func printed(t *testing.T, print func(streams) error) (string, error) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	failure := print(streams{out: file, err: file})
	require.NoError(t, file.Close())
	text, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	return string(text), failure
}

func TestARunThatWaitsListsItsQuestionsAndHowToAnswerThem(t *testing.T) {
	o := outcome{questions: []graph.Interrupt{
		{ID: "1.3/review/publish", Kind: graph.Question, Prompt: json.RawMessage(`"Publish\u001b[2J it?"`), Want: "boolean"},
		{ID: "1.3/review/note", Kind: graph.Question, Prompt: json.RawMessage(`{"what":"a note"}`)},
		{ID: "1.3//before/send", Kind: graph.Before, Node: "send"},
	}}
	text, err := printed(t, func(std streams) error { return o.print(std, "ops", false, false) })
	assert.Equal(t, `Publish[2J it?
  kbagent resume ops --answer '1.3/review/publish=…' (boolean)
{"what":"a note"}
  kbagent resume ops --answer '1.3/review/note=…' (any JSON)
stopped before send; `+"`kbagent resume ops`"+` goes on
`, text)
	var code exitCode
	require.ErrorAs(t, err, &code)
	assert.EqualValues(t, exitWaiting, code)

	text, err = printed(t, func(std streams) error { return o.print(std, "ops", false, true) })
	require.ErrorAs(t, err, &code)
	var out struct {
		Thread    string
		Questions []graph.Interrupt
	}
	require.NoError(t, json.Unmarshal([]byte(text), &out))
	assert.Equal(t, "ops", out.Thread)
	assert.Equal(t, "1.3/review/publish", out.Questions[0].ID)
}

func TestFollowingARunEndsWithItsFailureOrItsEnd(t *testing.T) {
	broken := errors.New("broken")
	_, err := follow(func(yield func(agent.Event, error) bool) { yield(agent.Event{}, broken) }, streams{}, false)
	require.ErrorIs(t, err, broken)
	_, err = follow(func(func(agent.Event, error) bool) {}, streams{}, false)
	require.ErrorContains(t, err, "without an answer")
}

func TestCardNumbersInAStateAreMaskedAndItsNumbersStay(t *testing.T) {
	const state = `{"a":"card \"4111 1111 1111 1111\" \u003c","n":0.4111111111111111,"4111111111111111":[4111111111111111,"x"]}`
	masked, err := maskJSON([]byte(state))
	require.NoError(t, err)
	require.True(t, json.Valid(masked), "%s", masked)
	assert.NotContains(t, string(masked), "4111 1111")
	assert.Contains(t, string(masked), `"n":0.4111111111111111`)
	assert.Contains(t, string(masked), `[4111111111111111,"x"]`)
}

func TestEveryFieldOfAnUpdateThatAPersonMaySetHasAKind(t *testing.T) {
	var names []string
	for _, f := range updateFields() {
		names = append(names, f.name)
		assert.NotEmpty(t, f.kind)
	}
	assert.Contains(t, names, "resolved_query")
	assert.NotContains(t, names, "begin", "a run begins with a question")
	u, err := parseUpdate([]string{`resolved_query="a=b"`, `route_confidence=0.5`, `sub_queries=["x","y"]`})
	require.NoError(t, err)
	assert.Equal(t, "a=b", *u.ResolvedQuery)
	assert.InDelta(t, 0.5, *u.RouteConfidence, 0)
	assert.Equal(t, []string{"x", "y"}, *u.SubQueries)
	_, err = parseUpdate([]string{`final={"nope":1}`})
	require.ErrorContains(t, err, "nope")
}

func TestADamagedConversationIsListedAsSuchAndCanBeDeleted(t *testing.T) {
	t.Setenv("KB_AGENT_DATA_DIR", t.TempDir())
	env := &global{}
	require.NoError(t, withArchive(t.Context(), env, streams{err: os.Stderr}, func(a *archive) error {
		store := a.db.Checkpoints()
		fence, err := store.Claim(t.Context(), "broken")
		require.NoError(t, err)
		require.NoError(t, store.Commit(t.Context(), "broken", fence, []graph.Entry{{Seq: 1, Data: []byte(`{"v":1,"kind":"leap"}`)}}))
		lines, err := a.list(t.Context())
		require.NoError(t, err)
		require.Len(t, lines, 1)
		assert.Equal(t, "damaged", lines[0].status())
		assert.Contains(t, lines[0].Error, "entry 1")
		thread, err := a.thread(t.Context(), "broken")
		require.NoError(t, err)
		return thread.Delete(t.Context())
	}))
	require.NoError(t, withArchive(t.Context(), env, streams{err: os.Stderr}, func(a *archive) error {
		lines, err := a.list(t.Context())
		assert.Empty(t, lines)
		return err
	}))
}
