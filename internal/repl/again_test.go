package repl

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// talk is a conversation with a real agent that knows two sentences.
type talk struct {
	t     *testing.T
	cfg   Config
	store graph.Store
	agent *agent.Agent
}

func newTalk(t *testing.T) *talk {
	search := tools.New("keyword_search", "searches", state.ScoreBM25, func(_ context.Context, q tools.SearchArgs) (tools.Result, error) {
		path, content := "keys.md", "Rotate the signing key once a month."
		if strings.Contains(q.Query, "card") {
			path, content = "cards.md", "The signing card is 4111 1111 1111 1111."
		}
		return tools.Result{Items: []state.Evidence{{
			ID: path, Tool: "keyword_search", Path: path, StartLine: 3, EndLine: 3, Content: content,
			RetrievalScore: 0.9, ScoreKind: state.ScoreBM25,
		}}}, nil
	})
	store := graph.NewMemoryStore()
	a, err := agent.New(agent.Config{Store: store, Nodes: nodes.Config{Tools: tools.NewSet(search), Library: noLibrary{}, Audit: nodes.Discard{}}})
	require.NoError(t, err)
	return &talk{t: t, agent: a, store: store, cfg: Config{
		Agent: a, Err: io.Discard, Thread: "t",
		Threads: func(ctx context.Context) (ids []string, err error) {
			for info, err := range store.Threads(ctx) {
				if err != nil {
					return nil, err
				}
				ids = append(ids, info.Thread)
			}
			return ids, nil
		},
	}}
}

// say holds a conversation and returns what was printed, errors too.
func (k *talk) say(lines ...string) string {
	k.t.Helper()
	var out bytes.Buffer
	k.cfg.In, k.cfg.Out, k.cfg.Err = strings.NewReader(strings.Join(lines, "\n")), &out, &out
	err := Run(k.t.Context(), k.cfg)
	if err != nil {
		require.ErrorIs(k.t, err, ErrFailed)
	}
	return out.String()
}

const (
	keyQuestion = "When do I rotate the signing key?"
	keyAnswer   = "Rotate the signing key once a month. [1]\n\n[1] keys.md:L3-L3\n"
)

// user is what the conversation remembers of its questions.
func (k *talk) user() []string {
	s, _, err := k.agent.State(k.t.Context(), "t")
	require.NoError(k.t, err)
	var list []string
	for _, m := range s.Messages {
		if m.Role == "user" {
			list = append(list, m.Content)
		}
	}
	return list
}

func TestRetryAsksTheLastQuestionInItsPlaceAndInThePresentMode(t *testing.T) {
	k := newTalk(t)
	got := k.say(keyQuestion, "/mode strict", "/retry")
	assert.Equal(t, 2, strings.Count(got, keyAnswer))
	assert.Equal(t, []string{keyQuestion}, k.user())
	s, _, err := k.agent.State(t.Context(), "t")
	require.NoError(t, err)
	assert.Equal(t, state.ModeStrict, s.Settings.AnswerMode)
}

func TestEditAsksTheLastQuestionInOtherWords(t *testing.T) {
	k := newTalk(t)
	k.say("How old is it?", keyQuestion)
	got := k.say("/edit Which signing card is it?")
	assert.Contains(t, got, "[1] cards.md:L3-L3")
	assert.Equal(t, []string{"How old is it?", "Which signing card is it?"}, k.user())
	assert.Contains(t, k.say("/edit"), "error: /edit takes the question in its new words", "without a terminal nothing can be changed")
}

func TestRetryAndEditBeforeAnyQuestionSaySo(t *testing.T) {
	assert.Equal(t, "No question was asked on this thread yet.\n\nNo question was asked on this thread yet.\n\nNo question was asked on this thread yet.\n\nNo question was asked on this thread yet.\n",
		newTalk(t).say("/retry", "/edit", "/edit what?", "/compare strict"))
}

func TestCompareSetsTwoModesSideBySideOnCopies(t *testing.T) {
	k := newTalk(t)
	got := k.say(keyQuestion, "/compare strict open")
	assert.Contains(t, got, `── strict ──
Rotate the signing key once a month. [1]

── open ──
(the same answer as strict)

the same: length, status, sources, confidence, evidence, path, model
/thread t-strict goes on with strict.
/thread t-open goes on with open.
`)
	for _, mode := range []state.AnswerMode{state.ModeStrict, state.ModeOpen} {
		s, exists, err := k.agent.State(t.Context(), "t-"+string(mode))
		require.NoError(t, err)
		require.True(t, exists)
		assert.Equal(t, mode, s.Settings.AnswerMode)
	}
	assert.Contains(t, k.say("/compare open"), "/thread t-open-2 goes on with open.", "an earlier copy stays")
	s, _, err := k.agent.State(t.Context(), "t")
	require.NoError(t, err)
	assert.Equal(t, state.ModeBestEffort, s.Settings.AnswerMode, "the conversation itself stays as it is")
}

func TestCompareWithoutModesSetsTheLastAnswerBesideTheOneBefore(t *testing.T) {
	got := newTalk(t).say(keyQuestion, "/edit Which signing card is it?", "/compare")
	assert.Contains(t, got, `── before ──
Rotate the signing key once a month. [1]

── now ──
The signing card is **** **** **** 1111. [1]

length
  before       8 words
  now          9 words
sources
  before       keys.md:L3-L3
  now          cards.md:L3-L3
the same: status, confidence, evidence, path, model
`)
}

func TestCompareSaysWhatItCannotCompare(t *testing.T) {
	k := newTalk(t)
	got := k.say(keyQuestion, "/compare", "/compare lax", "/compare open open", "/new", "/compare")
	for _, want := range []string{
		"error: there is no second answer to compare with: /retry gives one",
		"error: /compare takes modes (strict, best_effort, open), not lax",
		"a mode is compared with others, not with itself",
		"No question was asked on this thread yet.",
	} {
		assert.Contains(t, got, want)
	}
	assert.Contains(t, k.say(keyQuestion, "/retry", "/new", keyQuestion, "/compare"), "no second answer", "another conversation's answer is none")
	assert.Contains(t, k.say(keyQuestion, "/retry", "Which card is it?", "/compare"), "no second answer", "another question's answer is none")
}

func TestThreadsAreListedWithTheirLastQuestionAndFoundByIt(t *testing.T) {
	k := newTalk(t)
	k.say(keyQuestion, "/thread u", "Is 4111 1111 1111 1111 a card?")
	assert.Equal(t, "* t  done        When do I rotate the signing key?\n  u  done        Is **** **** **** 1111 a card?\n", k.say("/threads"))
	assert.Equal(t, "* t  done        When do I rotate the signing key?\n", k.say("/threads ROTATE key"))
	assert.Equal(t, "No conversation fits.\n", k.say("/threads xyz"))
	long := k.say("/thread w", strings.Repeat("very long ", 20), "/threads very")
	lines := strings.Split(strings.TrimSpace(long), "\n")
	assert.LessOrEqual(t, len([]rune(lines[len(lines)-1])), 79)
}

func TestALongListOfThreadsIsCutAndSaysSo(t *testing.T) {
	got := converse(t, "/threads\n", func(c *Config) {
		c.Threads = func(context.Context) (ids []string, err error) {
			for i := range threadsShown + 5 {
				ids = append(ids, "t"+strings.Repeat("x", i))
			}
			return append(ids, "first"), nil
		}
	})
	require.NoError(t, got.end)
	assert.Equal(t, threadsShown+1, strings.Count(got.out, "\n"))
	assert.Contains(t, got.out, "6 more; /threads TEXT lists those that hold a text.\n")
}

func TestAConversationIsExportedAsMarkdownAndJSON(t *testing.T) {
	k := newTalk(t)
	k.say(keyQuestion, "Which card is it?", "/edit Which signing card is it?")
	md := k.say("/export md")
	assert.Regexp(t, `(?s)^# Conversation t\n\n## When do I rotate the signing key\?\n\nRotate the signing key once a month\. \[1\]\n\n- \[1\] `+"`keys.md:L3-L3`"+`\n  > Rotate the signing key once a month\.\n\n\*ANSWERED; mode best effort; 2\d\d\d-.*\*\n\n## Which signing card is it\?`, md)
	assert.NotContains(t, md, "Which card is it?", "an edited question is on another branch")
	assert.NotContains(t, md, "4111 1111")

	file := filepath.Join(t.TempDir(), "my talk.json")
	assert.Equal(t, "2 questions written to "+file+".\n", k.say("/export json "+file))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"citations": [
        {
          "n": 1,
          "path": "keys.md",
          "start_line": 3,
          "end_line": 3,
          "quote": "Rotate the signing key once a month."
        }
      ]`)
	assert.Contains(t, string(text), "**** **** **** 1111")
	assert.Contains(t, k.say("/export md "+file), "exists already; name another file")
	again, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, text, again, "another file is not lost")
}

func TestAnExportOfAPrunedConversationKeepsItsWords(t *testing.T) {
	k := newTalk(t)
	k.say(keyQuestion, "Which signing card is it?", keyQuestion)
	_, err := k.agent.Thread("t").Prune(t.Context(), graph.Keep{Last: 2})
	require.NoError(t, err)
	md := k.say("/export md")
	assert.Equal(t, 3, strings.Count(md, "\n## "))
	assert.Equal(t, 2, strings.Count(md, "*What this answer cites was pruned.*"))
	assert.Equal(t, 1, strings.Count(md, "- [1] "))
}

func TestAnExportNamesAQuestionWithoutAnAnswerAndRefusesOtherFormats(t *testing.T) {
	k := newTalk(t)
	for e, err := range k.agent.Ask(t.Context(), agent.Question{Text: keyQuestion, Thread: "t"}) {
		require.NoError(t, err)
		if e.Node == nodes.NameGradeEvidence {
			break
		}
	}
	assert.Contains(t, k.say("/export md"), "*This question has no answer yet.*")
	assert.Contains(t, k.say("/export json"), `"answer": ""`)
	assert.Contains(t, k.say("/export pdf"), "error: /export takes md or json, and a file if you like, for example: /export md talk.md")
	k.cfg.Thread = "new"
	assert.Equal(t, "No question was asked on this thread yet.\n", k.say("/export md"))
}
