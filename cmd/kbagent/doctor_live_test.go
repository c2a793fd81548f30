package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

func liveConfig(s *llmtest.Server) config.Config {
	return config.Config{LLM: config.LLM{BaseURL: s.URL, Model: "tiny", Timeout: 30 * time.Second}}
}

func states(checks []check) (list []string) {
	for _, c := range checks {
		list = append(list, c.State+" "+c.Name)
	}
	return list
}

func TestLiveChecksAskForEverythingThatTheAgentUses(t *testing.T) {
	s := llmtest.NewServer(t)
	for range 2 {
		s.Reply(llmtest.Text("ready"), llmtest.Text("ready or not"), llmtest.Text(`{"scores":[1,0.5]}`),
			llmtest.ToolCalls(llmtest.Call("a", "search_kb", `{"query":"logs"}`)))
	}
	cfg := liveConfig(s)
	cfg.LLM.FastModel = "faster"
	cfg.Embedding = config.Embedding{BaseURL: s.URL, Model: "embed"}
	checks := liveChecks(t.Context(), cfg)
	assert.Equal(t, []string{
		"ok model: completion", "ok model: streaming", "ok model: JSON schema", "ok model: tools",
		"ok fast model: completion", "ok fast model: streaming", "ok fast model: JSON schema", "ok fast model: tools",
		"ok embeddings: two texts",
	}, states(checks), "%v", checks)
	assert.Contains(t, checks[1].Detail, "3 pieces")
	assert.Contains(t, checks[8].Detail, "128 dimensions")
	requests := s.Requests()
	require.Len(t, requests, 8)
	assert.Equal(t, "faster", requests[4].Model)
	assert.True(t, requests[1].Stream)
	assert.NotNil(t, requests[2].ResponseFormat)
	assert.Len(t, requests[3].Tools, 1)
}

func TestWhatTheAgentCanDoWithoutIsOffAndNotFailed(t *testing.T) {
	for _, reply := range []string{"sure!", `{"scores":[1]}`, `{"scores":[1,0.7]}`} {
		s := llmtest.NewServer(t)
		s.Reply(llmtest.Text("ready"), llmtest.Text("ready"), llmtest.Text(reply), llmtest.Text("I have no tools"))
		checks := liveChecks(t.Context(), liveConfig(s))
		assert.Equal(t, []string{"ok model: completion", "ok model: streaming", "off model: JSON schema", "off model: tools"}, states(checks))
		assert.Contains(t, checks[2].Detail, "does not fit the schema")
	}
}

func TestAModelThatDoesNotAnswerFailsOnceWithWhatToDo(t *testing.T) {
	for want, reply := range map[string]llmtest.Reply{
		"check the API key":           llmtest.Status(401, ""),
		"it answered with nothing":    llmtest.Text(" "),
		"the server has a problem":    llmtest.Status(500, ""),
		"what the OpenAI protocol":    llmtest.Raw("text/html", "<html>"),
		"it ended without a stop rea": llmtest.NoStopReason("half"),
	} {
		s := llmtest.NewServer(t)
		s.Reply(reply)
		checks := liveChecks(t.Context(), liveConfig(s))
		require.Len(t, checks, 1)
		assert.Equal(t, stateFailed, checks[0].State)
		assert.Contains(t, checks[0].Detail, want)
	}
}

func TestAStreamThatIsCutFails(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("ready"), llmtest.Cut("rea"), llmtest.Text("{}"), llmtest.Text("x"))
	checks := liveChecks(t.Context(), liveConfig(s))
	assert.Equal(t, stateFailed, checks[1].State)
	assert.Contains(t, checks[1].Detail, "was cut")
}

func TestVectorsThatMeanNothingFail(t *testing.T) {
	for want, vectors := range map[string]string{
		"all zeros":       `[0,0]},{"index":1,"embedding":[1,2]`,
		"the same vector": `[1,2]},{"index":1,"embedding":[1,2]`,
		"1 vectors for 2": `[1,2]`,
	} {
		s := llmtest.NewServer(t)
		s.ReplyEmbeddings(llmtest.Raw("application/json", `{"data":[{"index":0,"embedding":`+vectors+`}]}`))
		cfg := config.Config{Embedding: config.Embedding{BaseURL: s.URL, Model: "embed"}}
		checks := liveChecks(t.Context(), cfg)
		require.Len(t, checks, 1)
		assert.Equal(t, stateFailed, checks[0].State)
		assert.Contains(t, checks[0].Detail, want)
	}
	assert.Empty(t, liveChecks(t.Context(), config.Config{}), "without endpoints there is nothing to ask")
}
