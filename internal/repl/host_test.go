package repl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// around is the program around a conversation, as far as tests need one.
type around struct {
	indexed  []string
	reviewed []string
	name     string // of the model
	values   []Setting
	texts    map[string]string // of indexed files
	broken   error             // of Locate and Text
}

func newAround() *around {
	return &around{
		name: "tiny",
		values: []Setting{
			{Name: "max_iterations", Value: "3", Default: "3", Help: "rounds of retrieval for one question"},
			{Name: "answer_mode", Value: "best_effort", Default: "best_effort", Help: "what to do when the evidence is weak"},
		},
		texts: map[string]string{},
	}
}

func (h *around) Index(_ context.Context, path string, tell func(string)) (string, error) {
	if path == "missing" {
		return "", errors.New("no such file or folder: missing")
	}
	h.indexed = append(h.indexed, path)
	tell("reading 1 of 2…")
	return "2 indexed\x1b[2J, 0 failed; card 4111 1111 1111 1111", nil
}

func (h *around) Locate(_ context.Context, path string) (string, error) {
	if _, ok := h.texts[path]; !ok || h.broken != nil {
		return "", h.broken
	}
	return "/kb/" + path, nil
}

func (h *around) Text(_ context.Context, path string) (string, bool, error) {
	text, ok := h.texts[path]
	return text, ok, h.broken
}

func (h *around) Review(_ context.Context, words []string) (string, error) {
	h.reviewed = append(h.reviewed, strings.Join(words, "|"))
	return "no reviews", nil
}

func (h *around) Model() string { return h.name }

func (h *around) UseModel(_ context.Context, name string) error {
	if name == "tyni" {
		return errors.New(`the server does not list the model "tyni"`)
	}
	h.name = name
	return nil
}

func (h *around) Settings() []Setting { return h.values }

func (h *around) Set(name, value string) error {
	for i := range h.values {
		if h.values[i].Name == name {
			if value == "99" {
				return fmt.Errorf("%s: a whole number from 1 to 10", name)
			}
			h.values[i].Value, h.values[i].Changed = value, true
		}
	}
	return nil
}

func (h *around) About(context.Context) ([]string, error) {
	return []string{"documents: 2 files, 3 passages"}, nil
}

// hosted is a conversation without a terminal that has a program around it.
func hosted(t *testing.T, input string) (said, *around) {
	t.Helper()
	h := newAround()
	return converse(t, input, func(c *Config) { c.Host = h }), h
}

func TestDocumentsAreAddedFromTheConversation(t *testing.T) {
	got, h := hosted(t, "/index \"my notes\"\n")
	require.NoError(t, got.end)
	assert.Equal(t, []string{"my notes"}, h.indexed, "a pasted path may stand in quotation marks")
	assert.Equal(t, "2 indexed[2J, 0 failed; card **** **** **** 1111\n", got.out)

	t.Setenv("HOME", "/home/ada")
	t.Setenv("USERPROFILE", "/home/ada")
	_, h = hosted(t, "/index ~/notes\n/index ~other\n")
	assert.Equal(t, []string{"/home/ada/notes", "~other"}, h.indexed)

	got, _ = hosted(t, "/index\n/index missing\n")
	assert.Equal(t, "error: /index takes a folder or file, for example: /index ~/notes\nerror: no such file or folder: missing\n", got.err)
}

func TestReviewsAreReachedFromTheConversation(t *testing.T) {
	got, h := hosted(t, "/review\n/review reject k3x7 too old\n")
	require.NoError(t, got.end)
	assert.Equal(t, []string{"", "reject|k3x7|too|old"}, h.reviewed)
	assert.Equal(t, "no reviews\n\nno reviews\n", got.out)
}

func TestTheModelIsShownAndChanged(t *testing.T) {
	got, h := hosted(t, "/model\n/model big\n/model tyni\n/model none\n")
	assert.Equal(t, "Model: tiny\n\nModel: big\n\nNo model: answers quote the documents.\n", got.out)
	assert.Equal(t, "error: the server does not list the model \"tyni\"\n", got.err)
	assert.Empty(t, h.name)
}

func TestSettingsAreListedShownAndChanged(t *testing.T) {
	got, _ := hosted(t, "/set max_iterations = 5\n/set KB_AGENT_MAX_ITERATIONS\n/set\n")
	require.NoError(t, got.end)
	assert.Equal(t, `max_iterations=5
  rounds of retrieval for one question

max_iterations=5
  rounds of retrieval for one question

* max_iterations  5
  answer_mode     best_effort
/set NAME tells what one is for, /set NAME=VALUE changes it for this conversation.
`, got.out)
}

func TestASettingThatAQuestionDoesNotHaveIsRefusedWithTheNearest(t *testing.T) {
	got, h := hosted(t, "/set max_iteration=4\n/set log_level=debug\n/set max_iterations=99\n")
	assert.Equal(t, `error: a question has no setting max_iteration; did you mean max_iterations?
error: a question has no setting log_level; /set lists those that it has
error: max_iterations: a whole number from 1 to 10
`, got.err)
	assert.Equal(t, "3", h.values[0].Value)
}

func TestTheModeIsASettingToo(t *testing.T) {
	got, h := hosted(t, "/mode open\none\n/set answer_mode strict\ntwo\n")
	require.NoError(t, got.end)
	asked := got.agent.questions()
	require.Len(t, asked, 2)
	assert.EqualValues(t, "open", asked[0].Mode)
	assert.Empty(t, asked[1].Mode, "the setting counts")
	assert.Equal(t, "strict", h.values[1].Value)
}

func TestStatsTellWhatTheSessionCameTo(t *testing.T) {
	got, _ := hosted(t, "/stats\nhow?\ncorrected\n/stats\n")
	require.NoError(t, got.end)
	assert.Contains(t, got.out, "session:   no answer yet\n")
	assert.Contains(t, got.out, "session:   2 answers (2 ANSWERED), 0 calls of the model, 0 tokens, 0s each\nthread:    first: 0 answers, 0 calls of the model, 0 tokens\nanswers:   with tiny\ndocuments: 2 files, 3 passages\n")
}

func TestCommandsThatNeedAProgramAroundSaySoWithoutOne(t *testing.T) {
	for _, line := range []string{"/index x", "/review", "/model", "/set"} {
		got := converse(t, line, nil)
		require.ErrorIs(t, got.end, ErrFailed, line)
		assert.Contains(t, got.err, errNoHost.Error(), line)
	}
	require.NoError(t, converse(t, "/stats", nil).end)
}
