package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

// conversations are runs with a model, as its server replies.
var conversations = map[string]struct {
	replies []llmtest.Reply
	own     string // of the model's own words, in no made-up reply
}{
	"that goes well": {
		[]llmtest.Reply{routed, planned, graded, llmtest.Text("Old logs are kept for seven days [1]. [7]"), held}, "seven days [1]. [7]",
	},
	"whose grades are repaired": {
		[]llmtest.Reply{routed, planned, llmtest.Text("all fine!"), graded, llmtest.Text("Old logs are kept for seven days [1]."), held}, "all fine!",
	},
	"whose router talks": {
		[]llmtest.Reply{llmtest.Text("Sure, let me see."), llmtest.Text("It is a search."), planned, graded, llmtest.Text("Old logs are kept for seven days [1]."), held}, "It is a search.",
	},
	"whose answer is cut": {
		[]llmtest.Reply{routed, planned, graded, llmtest.Cut("Old logs are"), held}, `scores\":`,
	},
}

func TestAConversationWithAModelBecomesAScenarioThatPasses(t *testing.T) {
	for claim, c := range conversations {
		t.Run(claim, func(t *testing.T) {
			dir, server := newBase(t), llmtest.NewServer(t)
			server.Reply(c.replies...)
			code, _, stderr := finish(t, kbagent(t, dir, server, "ask", "--thread", "t", "--record", "tape.jsonl", question))
			require.Zero(t, code, stderr)

			code, _, stderr = finish(t, kbagent(t, dir, nil, "scenario", "record", "--thread", "t", "-o", "made.yaml"))
			require.Zero(t, code, stderr)
			assert.Contains(t, stderr, "it was run and passes")
			assert.Contains(t, stderr, "with a reply that was made up")
			code, _, stderr = finish(t, kbagent(t, dir, nil, "scenario", "record", "--thread", "t", "-o", "own.yaml", "--tape", "tape.jsonl"))
			require.Zero(t, code, stderr)
			assert.NotContains(t, stderr, "made up")

			code, stdout, _ := finish(t, kbagent(t, dir, nil, "scenario", "run", "made.yaml", "own.yaml"))
			assert.Zero(t, code, stdout)
			assert.Contains(t, stdout, "2 passed, 0 failed")
			own, err := os.ReadFile(filepath.Join(dir, "own.yaml"))
			require.NoError(t, err)
			assert.Contains(t, string(own), c.own)
		})
	}
}

func TestATapeOfAnotherConversationIsRefused(t *testing.T) {
	dir, server := newBase(t), llmtest.NewServer(t)
	server.Reply(conversations["that goes well"].replies...)
	code, _, stderr := finish(t, kbagent(t, dir, server, "ask", "--thread", "t", question))
	require.Zero(t, code, stderr)
	server.Reply(llmtest.Text(`{"route":"chitchat","confidence":1,"category":"other","query":"Hello there, my friend!","sub_queries":[],"keywords":[]}`), llmtest.Text("Hello."))
	code, _, stderr = finish(t, kbagent(t, dir, server, "ask", "--record", "tape.jsonl", "Hello there, my friend!"))
	require.Zero(t, code, stderr)
	code, stdout, stderr := finish(t, kbagent(t, dir, nil, "scenario", "record", "--thread", "t", "--tape", "tape.jsonl"))
	assert.Equal(t, exitError, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "the recorded replies are not those of this thread: there are 2 of them, and 5 calls were answered")
}
