package config_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/state"
)

// load reads the pairs as the environment, in an empty working directory.
func load(t *testing.T, pairs ...string) (config.Config, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	return config.Load(config.Options{Environ: append([]string{}, pairs...)})
}

func TestAnEmptyEnvironmentGivesTheDefaults(t *testing.T) {
	c, err := load(t)
	require.NoError(t, err)
	assert.Equal(t, state.DefaultSettings(), c.Settings)
	assert.Equal(t, config.LLM{Provider: "openai", Timeout: time.Minute}, c.LLM)
	assert.Equal(t, config.Embedding{}, c.Embedding)
	assert.Equal(t, ".kbagent", c.DataDir)
	assert.Equal(t, filepath.Join(".kbagent", "audit.jsonl"), c.AuditLog)
	assert.Equal(t, slog.LevelWarn, c.LogLevel)
	assert.Equal(t, "text", c.LogFormat)
	assert.Empty(t, c.Secrets())
	for _, v := range c.Values() {
		assert.Equal(t, config.SourceDefault, v.Source, v.Name)
	}
}

func TestEveryVariableReachesItsField(t *testing.T) {
	c, err := load(t,
		"KB_AGENT_MAX_ITERATIONS=10", "KB_AGENT_AUTO_APPROVE_MAX_ITEMS=0", "KB_AGENT_VECTOR_SCORE_THRESHOLD=0.9",
		"KB_AGENT_EVIDENCE_MIN_SCORE=0.25", "KB_AGENT_GENERATE_MIN_SCORE=.25", "KB_AGENT_MAX_CONTEXT_ITEMS=100",
		"KB_AGENT_EVALUATOR=LLM", "KB_AGENT_ANSWER_MODE=strict", "KB_AGENT_QUERY_EXPANSION=Off", "KB_AGENT_ABSTENTION= Nothing found. ",
		"KB_AGENT_LLM_PROVIDER=openai", "KB_AGENT_LLM_BASE_URL=http://localhost:1/v1", "KB_AGENT_LLM_API_KEY=sk-one", "KB_AGENT_LLM_MODEL=m",
		"KB_AGENT_LLM_FAST_MODEL=f", "KB_AGENT_LLM_TIMEOUT=1m30s", "KB_AGENT_LLM_MAX_CALLS=7", "KB_AGENT_LLM_MAX_TOKENS=8", "KB_AGENT_RUN_TIMEOUT=2h",
		"KB_AGENT_EMBEDDING_BASE_URL=https://[::1]:2", "KB_AGENT_EMBEDDING_MODEL=e", "KB_AGENT_EMBEDDING_API_KEY=sk-two",
		"KB_AGENT_DATA_DIR=data", "KB_AGENT_AUDIT_LOG=a.log", "KB_AGENT_LOG_LEVEL=debug", "KB_AGENT_LOG_FORMAT=json", "OTHER=x", "KB_AGENT_E2E_LLM_MODEL=x",
		"KB_AGENT_REFINE_CONTEXT=on", "KB_AGENT_SYNONYMS=syn.txt", "KB_AGENT_WEB_SEARCH=ambiguous", "KB_AGENT_WEB_REPLACE=on", "KB_AGENT_SEARXNG_URL=http://s",
		"KB_AGENT_TAVILY_API_KEY=", "KB_AGENT_WEB_COOLDOWN=1s", "KB_AGENT_WEB_ALLOW=wiki.local, 10.0.0.0/8",
		"KB_AGENT_VERIFY=true", "KB_AGENT_VERIFY_THRESHOLD=.6", "KB_AGENT_VERIFY_MAX_ATTEMPTS=1", "KB_AGENT_VERIFY_FORMULA=rate", "KB_AGENT_VERIFY_SHOW_CLAIMS=on",
		"KB_AGENT_CONFIDENCE=on", "KB_AGENT_CONFIDENCE_PASS=.9", "KB_AGENT_CONFIDENCE_REVIEW=.7", "KB_AGENT_CONFIDENCE_CORRECT=.5", "KB_AGENT_CONFIDENCE_FLOOR_RELEVANCE=.1", "KB_AGENT_CONFIDENCE_FLOOR_GROUNDING=.2",
		"KB_AGENT_CONFIDENCE_FLOOR_CONSISTENCY=.3", "KB_AGENT_CONFIDENCE_FLOOR_COMPLETENESS=.4",
		"KB_AGENT_REVIEW=blocking", "KB_AGENT_REVIEWER=ada", "KB_AGENT_REVIEW_SLA=1h", "KB_AGENT_REVIEW_BASE_URL=http://r", "KB_AGENT_REVIEW_WEBHOOK_URL=http://hook?k=1",
		"KB_AGENT_SMTP_HOST=mail", "KB_AGENT_SMTP_PORT=25", "KB_AGENT_SMTP_USER=u", "KB_AGENT_SMTP_PASSWORD=pw", "KB_AGENT_SMTP_FROM=a@b", "KB_AGENT_SMTP_TO=c@d, e@f",
		"KB_AGENT_PASSAGE_WORDS=100", "KB_AGENT_PASSAGE_MAX_WORDS=150", "KB_AGENT_JSON_TEXT_FIELD=doc.body",
		"KB_AGENT_REDIS_URL=redis://h", "KB_AGENT_DATABASE_URL=postgres://u:pw@h/d", "KB_AGENT_PROMPTS=p", "KB_AGENT_LLM_RATE_PER_MINUTE=9",
		"KB_AGENT_INDEX_STORE=postgres", "KB_AGENT_FUSION=minmax", "KB_AGENT_FUSION_VECTOR_WEIGHT=.3", "KB_AGENT_MMR_LAMBDA=.7",
		"KB_AGENT_RERANK=endpoint", "KB_AGENT_RERANK_BASE_URL=http://rank", "KB_AGENT_RERANK_MODEL=r", "KB_AGENT_RERANK_API_KEY=sk-three")
	require.NoError(t, err)
	assert.Equal(t, state.Settings{
		MaxIterations: 10, AutoApproveMaxItems: 0, VectorScoreThreshold: 0.9, EvidenceMinScore: 0.25, GenerateMinScore: 0.25, MaxContextItems: 100,
		Evaluator: state.EvaluatorLLM, AnswerMode: state.ModeStrict, Abstention: "Nothing found.", MaxLLMCalls: 7, MaxLLMTokens: 8, RunTimeout: 2 * time.Hour,
		RefineContext: true, WebSearch: state.WebAmbiguous, WebReplace: true, Verify: true, VerifyMin: .6, VerifyAttempts: 1, VerifyRate: true, ShowClaims: true,
		ScoreConfidence: true, ConfidencePass: .9, ConfidenceReview: .7, ConfidenceCorrect: .5, ReviewMode: state.ReviewBlocking,
		Floors: state.Floors{Relevance: .1, Grounding: .2, Consistency: .3, Completeness: .4},
	}, c.Settings)
	assert.Equal(t, config.Web{SearXNGURL: "http://s", Cooldown: time.Second, Allow: []string{"wiki.local", "10.0.0.0/8"}}, c.Web)
	assert.Equal(t, config.Review{SLA: time.Hour, BaseURL: "http://r", WebhookURL: "http://hook?k=1", Reviewer: "ada"}, c.Review)
	assert.Equal(t, config.SMTP{Host: "mail", Port: 25, User: "u", Password: "pw", From: "a@b", To: []string{"c@d", "e@f"}}, c.SMTP)
	assert.Equal(t, []string{"redis://h", "postgres://u:pw@h/d", "postgres", "syn.txt", "p"}, []string{c.RedisURL, c.DatabaseURL, c.IndexStore, c.Synonyms, c.Prompts})
	assert.Equal(t, config.LLM{BaseURL: "http://localhost:1/v1", APIKey: "sk-one", Model: "m", FastModel: "f", Provider: "openai", Timeout: 90 * time.Second, RatePerMinute: 9}, c.LLM)
	assert.Equal(t, config.Passages{Words: 100, MaxWords: 150, JSONTextField: "doc.body"}, c.Passages)
	assert.Equal(t, config.Embedding{BaseURL: "https://[::1]:2", Model: "e", APIKey: "sk-two"}, c.Embedding)
	assert.Equal(t, config.Search{
		Fusion: "minmax", VectorWeight: .3, MMRLambda: .7, Rerank: "endpoint", RerankBaseURL: "http://rank", RerankModel: "r", RerankAPIKey: "sk-three",
	}, c.Search)
	assert.Equal(t, []any{"data", "a.log", slog.LevelDebug, "json"}, []any{c.DataDir, c.AuditLog, c.LogLevel, c.LogFormat})
	assert.Equal(t, []string{"sk-one", "sk-two", "sk-three", "http://hook?k=1", "pw", "postgres://u:pw@h/d", "redis://h"}, c.Secrets())
	for _, v := range c.Values() {
		if v.Name == "KB_AGENT_TAVILY_API_KEY" { // there is one provider
			continue
		}
		assert.Equal(t, config.SourceEnvironment, v.Source, v.Name)
	}
}

func TestFlagsBeatTheEnvironmentWhichBeatsTheFileWhichBeatsTheDefault(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile(".env", []byte("\uFEFF# mine\r\nexport KB_AGENT_MAX_ITERATIONS=4\r\nKB_AGENT_MAX_CONTEXT_ITEMS='30' # many\r\nKB_AGENT_ANSWER_MODE: open\r\nPATH=x\r\n"), 0o600))
	options := config.Options{
		Flags:   map[string]string{"KB_AGENT_MAX_ITERATIONS": "6"},
		Environ: []string{"KB_AGENT_MAX_ITERATIONS=5", "KB_AGENT_MAX_CONTEXT_ITEMS=40"},
	}
	c, err := config.Load(options)
	require.NoError(t, err)
	assert.Equal(t, []any{6, 40, state.ModeOpen, 2}, []any{c.Settings.MaxIterations, c.Settings.MaxContextItems, c.Settings.AnswerMode, c.Settings.AutoApproveMaxItems})
	assert.Equal(t, config.Value{Name: "KB_AGENT_MAX_ITERATIONS", Value: "6", Source: "flag", Default: "3",
		Description: "rounds of retrieval for one question (a whole number from 1 to 10)"}, value(t, c, "KB_AGENT_MAX_ITERATIONS"))
	assert.Equal(t, "environment", value(t, c, "KB_AGENT_MAX_CONTEXT_ITEMS").Source)
	assert.Equal(t, ".env:4", value(t, c, "KB_AGENT_ANSWER_MODE").Source)
	assert.Equal(t, "default", value(t, c, "KB_AGENT_AUTO_APPROVE_MAX_ITEMS").Source)
	assert.Empty(t, os.Getenv("KB_AGENT_ANSWER_MODE"), "the environment of the process is left alone")
}

func TestAnEmptyValueHidesTheFileAndMeansTheDefault(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile(".env", []byte("KB_AGENT_MAX_ITERATIONS=4\n"), 0o600))
	c, err := config.Load(config.Options{Environ: []string{"KB_AGENT_MAX_ITERATIONS="}})
	require.NoError(t, err)
	assert.Equal(t, 3, c.Settings.MaxIterations)
	assert.Equal(t, "default", value(t, c, "KB_AGENT_MAX_ITERATIONS").Source)
}

func TestWithoutAListTheEnvironmentOfTheProcessIsRead(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("KB_AGENT_MAX_ITERATIONS", "9")
	c, err := config.Load(config.Options{})
	require.NoError(t, err)
	assert.Equal(t, 9, c.Settings.MaxIterations)

	c, err = config.Load(config.Options{Environ: []string{}})
	require.NoError(t, err)
	assert.Equal(t, 3, c.Settings.MaxIterations, "an empty list is an empty environment")
}

func TestANamedFileHasToExist(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := config.Load(config.Options{EnvFile: "mine.env", Environ: []string{}})
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, "mine.env")

	require.NoError(t, os.WriteFile("mine.env", []byte("KB_AGENT_MAX_ITERATIONS=4"), 0o600))
	c, err := config.Load(config.Options{EnvFile: "mine.env", Environ: []string{}})
	require.NoError(t, err)
	assert.Equal(t, 4, c.Settings.MaxIterations)
}

func TestABrokenFileIsReportedWithoutItsText(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a line without a name":       {"KB_AGENT_LLM_MODEL=m\n\nsk-secret and more\n", "line 3: is no NAME=value line (.env:3)"},
		"a quote that does not close": {"KB_AGENT_LLM_API_KEY=\"sk-secret\n", "quotes have to be closed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile(".env", []byte(c.text), 0o600))
			_, err := config.Load(config.Options{Environ: []string{}})
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "sk-secret")
		})
	}
}

func TestABrokenLineHidesNoOtherFault(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile(".env", []byte("GARBAGE LINE\nKB_AGENT_MAX_ITERATIONS=zz\nanother one\n"), 0o600))
	_, err := config.Load(config.Options{Environ: []string{"KB_AGENT_EVALUATOR=magic"}})
	for _, part := range []string{"line 1", "line 3", "KB_AGENT_MAX_ITERATIONS=zz", "KB_AGENT_EVALUATOR=magic"} {
		assert.ErrorContains(t, err, part)
	}
}

func TestAKeyChoosesTheServerOfOpenAI(t *testing.T) {
	c, err := load(t, "KB_AGENT_LLM_API_KEY=sk-one", "KB_AGENT_LLM_MODEL=m")
	require.NoError(t, err)
	assert.Equal(t, "https://api.openai.com/v1", c.LLM.BaseURL)
	assert.Equal(t, config.Value{Name: "KB_AGENT_LLM_BASE_URL", Value: "https://api.openai.com/v1", Source: "default",
		Description: value(t, c, "KB_AGENT_LLM_BASE_URL").Description}, value(t, c, "KB_AGENT_LLM_BASE_URL"))
}

func TestKeysAreNeverShown(t *testing.T) {
	c, err := load(t, "KB_AGENT_LLM_API_KEY=sk-one", "KB_AGENT_LLM_MODEL=m",
		"KB_AGENT_EMBEDDING_API_KEY=sk-two", "KB_AGENT_EMBEDDING_MODEL=e", "KB_AGENT_EMBEDDING_BASE_URL=http://h")
	require.NoError(t, err)
	assert.Equal(t, "****", value(t, c, "KB_AGENT_LLM_API_KEY").Value)

	encoded, err := json.Marshal(c)
	require.NoError(t, err)
	listed, err := json.Marshal(c.Values())
	require.NoError(t, err)
	var logged strings.Builder
	log := slog.New(slog.NewTextHandler(&logged, nil))
	log.Info("x", "config", c, "llm", c.LLM, "embedding", c.Embedding)
	var shown []any
	for _, v := range []any{c, &c, c.LLM, &c.LLM, c.Embedding, &c.Embedding, []any{c}} {
		shown = append(shown, fmt.Sprintf("%v %+v %#v %s", v, v, v, v))
	}
	all := fmt.Sprint(string(encoded), string(listed), logged.String(), shown)
	assert.NotContains(t, all, "sk-one")
	assert.NotContains(t, all, "sk-two")
	assert.Contains(t, c.String(), "KB_AGENT_EMBEDDING_MODEL=e")
}

func TestTheListOfValuesIsTheCallers(t *testing.T) {
	c, err := load(t)
	require.NoError(t, err)
	c.Values()[0].Value = "changed"
	assert.Equal(t, "3", c.Values()[0].Value)
}

func TestDurationsAreShownShort(t *testing.T) {
	c, err := load(t, "KB_AGENT_RUN_TIMEOUT=120m", "KB_AGENT_LLM_TIMEOUT=90s", "KB_AGENT_QUERY_EXPANSION=no", "KB_AGENT_LOG_LEVEL=ERROR")
	require.NoError(t, err)
	assert.Equal(t, "2h", value(t, c, "KB_AGENT_RUN_TIMEOUT").Value)
	assert.Equal(t, "1m30s", value(t, c, "KB_AGENT_LLM_TIMEOUT").Value)
	assert.Equal(t, "off", value(t, c, "KB_AGENT_QUERY_EXPANSION").Value)
	assert.Equal(t, "error", value(t, c, "KB_AGENT_LOG_LEVEL").Value)
}

func value(t *testing.T, c config.Config, name string) config.Value {
	t.Helper()
	for _, v := range c.Values() {
		if v.Name == name {
			return v
		}
	}
	require.Fail(t, "no such value", name)
	return config.Value{}
}
