package llm_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/internal/llm/llmtest"
)

var scores = json.RawMessage(`{"type":"array","items":{"type":"integer"}}`)

func TestASchemaReachesTheWirePerCall(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("[1]"), llmtest.Text("prose"))
	m := newModel(t, s)
	_, err := ask(t, m, llms.WithMetadata(map[string]any{"trace": "7"}), llm.Schema("scores", scores))
	require.NoError(t, err)
	_, err = ask(t, m)
	require.NoError(t, err)
	format := s.Requests()[0].ResponseFormat
	require.NotNil(t, format)
	assert.Equal(t, "json_schema", format.Type)
	assert.Equal(t, "scores", format.JSONSchema.Name)
	assert.True(t, format.JSONSchema.Strict)
	assert.JSONEq(t, string(scores), string(format.JSONSchema.Schema))
	assert.Contains(t, string(s.Requests()[0].Raw), `"metadata":{"trace":"7"}`, "nothing of ours goes out as metadata")
	assert.Nil(t, s.Requests()[1].ResponseFormat, "the next call has none")
}

func TestSchemaLeavesTheCallersMetadataAlone(t *testing.T) {
	shared := map[string]any{"trace": "7"}
	var opts llms.CallOptions
	llms.WithMetadata(shared)(&opts)
	llm.Schema("scores", scores)(&opts)
	assert.Equal(t, map[string]any{"trace": "7"}, shared)
	assert.Len(t, opts.Metadata, 2)
}

func TestASchemaThatIsNotJSONFailsBeforeTheWire(t *testing.T) {
	s := llmtest.NewServer(t)
	_, err := ask(t, newModel(t, s), llm.Schema("scores", json.RawMessage(`{"type":`)))
	assert.ErrorContains(t, err, `the schema "scores" is not JSON`)
}

func TestAServerThatRefusesASchemaIsAskedWithoutOnceAndTheLogSaysSo(t *testing.T) {
	for name, refusal := range map[string]llmtest.Reply{
		"named":          llmtest.StatusBody(400, "", `{"error":{"message":"'response_format' of type json_schema is not supported"}}`),
		"not named":      llmtest.StatusBody(422, "", `{"detail":"bad request"}`),
		"broken grammar": llmtest.StatusBody(500, "", `{"error":"failed to parse grammar"}`),
	} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.NewServer(t)
			s.Reply(refusal, llmtest.Text("prose"), llmtest.Text("prose"))
			var log bytes.Buffer
			m := newModel(t, s, func(c *llm.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
			for range 2 {
				resp, err := ask(t, m, llm.Schema("scores", scores))
				require.NoError(t, err)
				assert.Equal(t, "prose", resp.Choices[0].Content)
			}
			got := s.Requests()
			require.Len(t, got, 3, "the second call does not try the schema again")
			assert.NotNil(t, got[0].ResponseFormat)
			assert.Nil(t, got[1].ResponseFormat)
			assert.Nil(t, got[2].ResponseFormat)
			assert.Equal(t, 1, strings.Count(log.String(), "the server refuses a part of the request"))
			assert.Contains(t, log.String(), "response_format scores")
		})
	}
}

func TestARefusedSchemaDoesNotSpoilAnotherSchemaOrModel(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Handle(func(r llmtest.Request) llmtest.Reply {
		if r.ResponseFormat != nil && r.ResponseFormat.JSONSchema.Name == "bad" && r.Model == "tiny" {
			return llmtest.Status(400, "")
		}
		return llmtest.Text("ok")
	})
	m := newModel(t, s)
	_, err := ask(t, m, llm.Schema("bad", scores))
	require.NoError(t, err)
	_, err = ask(t, m, llm.Schema("good", scores))
	require.NoError(t, err)
	_, err = ask(t, m, llm.Schema("bad", scores), llms.WithModel("other"))
	require.NoError(t, err)
	got := s.Requests()
	require.Len(t, got, 4)
	assert.NotNil(t, got[2].ResponseFormat)
	assert.NotNil(t, got[3].ResponseFormat)
}

func TestARefusalForAnotherReasonIsTheErrorAndNothingIsRemembered(t *testing.T) {
	s := llmtest.NewServer(t)
	tooLong := llmtest.StatusBody(400, "", `{"error":{"message":"the prompt is too long"}}`)
	s.Reply(tooLong, llmtest.StatusBody(400, "", `{"error":{"message":"still too long"}}`), llmtest.Text("[1]"))
	m := newModel(t, s)
	_, err := ask(t, m, llm.Schema("scores", scores))
	assert.ErrorContains(t, err, "the prompt is too long")
	_, err = ask(t, m, llm.Schema("scores", scores))
	require.NoError(t, err)
	assert.NotNil(t, s.Requests()[2].ResponseFormat, "the schema is still in use")
}

func TestOtherStatusesDoNotDropTheSchema(t *testing.T) {
	for _, code := range []int{401, 404} {
		s := llmtest.NewServer(t)
		s.Reply(llmtest.Status(code, ""))
		_, err := ask(t, newModel(t, s), llm.Schema("scores", scores))
		require.Error(t, err)
	}
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Status(500, ""), llmtest.Text("[1]"))
	_, err := ask(t, newModel(t, s), llm.Schema("scores", scores))
	require.NoError(t, err)
	assert.NotNil(t, s.Requests()[1].ResponseFormat)
}

func TestOnlyTheRefusedPartIsLeftOut(t *testing.T) {
	refuse := func(field string) llmtest.Reply {
		return llmtest.StatusBody(400, "", `{"error":{"message":"Unsupported parameter","param":"`+field+`"}}`)
	}
	t.Run("max_tokens becomes max_completion_tokens", func(t *testing.T) {
		s := llmtest.NewServer(t)
		s.Reply(refuse("max_tokens"), llmtest.Text("a"), llmtest.Text("b"))
		m := newModel(t, s)
		for range 2 {
			_, err := ask(t, m, llms.WithMaxTokens(9), llm.Schema("scores", scores))
			require.NoError(t, err)
		}
		for _, got := range s.Requests()[1:] {
			assert.False(t, got.Sent("max_tokens"))
			require.NotNil(t, got.MaxCompletionTokens)
			assert.Equal(t, 9, *got.MaxCompletionTokens)
			assert.NotNil(t, got.ResponseFormat)
		}
	})
	t.Run("temperature", func(t *testing.T) {
		s := llmtest.NewServer(t)
		s.Reply(refuse("temperature"), llmtest.Text("a"), llmtest.Text("b"))
		m := newModel(t, s)
		for range 2 {
			_, err := ask(t, m, llm.Schema("scores", scores))
			require.NoError(t, err)
		}
		assert.Nil(t, s.Requests()[2].Temperature)
		assert.NotNil(t, s.Requests()[2].ResponseFormat)
	})
	t.Run("stream_options", func(t *testing.T) {
		s := llmtest.NewServer(t)
		s.Reply(refuse("stream_options"), llmtest.Text("a b"))
		var got collector
		_, err := ask(t, newModel(t, s), got.option())
		require.NoError(t, err)
		assert.Equal(t, "a b", got.text())
		assert.Nil(t, s.Requests()[1].StreamOptions)
	})
	t.Run("a part that was suspected wrongly comes back", func(t *testing.T) {
		s := llmtest.NewServer(t)
		body := `{"error":{"message":"invalid schema: property temperature has no type"}}`
		s.Reply(llmtest.StatusBody(400, "", body), llmtest.StatusBody(400, "", body), llmtest.Text("a"))
		_, err := ask(t, newModel(t, s), llm.Schema("weather", scores))
		require.NoError(t, err)
		assert.NotNil(t, s.Requests()[2].Temperature)
		assert.Nil(t, s.Requests()[2].ResponseFormat)
	})
	t.Run("a temperature that is out of range stays the caller's error", func(t *testing.T) {
		s := llmtest.NewServer(t)
		s.Reply(refuse("temperature"))
		_, err := ask(t, newModel(t, s), llms.WithTemperature(7))
		require.Error(t, err)
	})
}

func TestOpenAIItselfGetsMaxCompletionTokens(t *testing.T) {
	var body bytes.Buffer // the last request's
	transport := &fakeTransport{answers: answers(func(r *http.Request) (*http.Response, error) {
		body.Reset()
		_, err := body.ReadFrom(r.Body)
		require.NoError(t, err)
		return status(200, nil, goodReply)(r)
	})}
	m, err := llm.New(llm.Config{APIKey: secret, Model: "gpt-4o", Transport: transport})
	require.NoError(t, err)
	_, err = ask(t, m, llms.WithMaxTokens(5))
	require.NoError(t, err)
	assert.Equal(t, []string{"api.openai.com"}, transport.hosts)
	assert.Contains(t, body.String(), `"max_completion_tokens":5`)
	assert.NotContains(t, body.String(), `"max_tokens"`)
	_, err = ask(t, m, llms.WithMaxTokens(5), openai.WithLegacyMaxTokensField())
	require.NoError(t, err)
	assert.Contains(t, body.String(), `"max_tokens":5`, "unless the caller knows better")
}
