package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/config"
)

func TestAllFaultsAreReportedAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("kb.env", []byte("# settings\nKB_AGENT_LLM_TIMEOUT=60\nKB_AGENT_LOG_FORMAT=xml\n"), 0o600))
	_, err := config.Load(config.Options{
		EnvFile: "kb.env",
		Flags:   map[string]string{"KB_AGENT_MAX_ITERATIONS": "11"},
		Environ: []string{"KB_AGENT_EVIDENCE_MIN_SCORE=NaN", "KB_AGENT_QUERY_EXPANSION=maybe", "KB_AGENT_MAX_ITERATION=3", "KB_AGENT_WEB_SEARCH=incorrect"},
	})
	require.Error(t, err)
	assert.Equal(t, strings.TrimSpace(`
the settings cannot be used:
  KB_AGENT_MAX_ITERATION: there is no such setting; did you mean KB_AGENT_MAX_ITERATIONS? (environment)
  KB_AGENT_MAX_ITERATIONS=11: allowed: a whole number from 1 to 10 (flag)
  KB_AGENT_EVIDENCE_MIN_SCORE=NaN: allowed: a number from 0 to 1 (environment)
  KB_AGENT_QUERY_EXPANSION=maybe: allowed: on, off (environment)
  KB_AGENT_WEB_SEARCH=incorrect: needs KB_AGENT_SEARXNG_URL or KB_AGENT_TAVILY_API_KEY (environment)
  KB_AGENT_LLM_TIMEOUT=60: allowed: a duration from 1ms to 24h, like 90s (kb.env:2)
  KB_AGENT_LOG_FORMAT=xml: allowed: text, json (kb.env:3)
`), err.Error())
}

func TestAValueIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		pairs []string
		want  string
	}{
		"below its range":            {[]string{"KB_AGENT_MAX_ITERATIONS=0"}, "KB_AGENT_MAX_ITERATIONS=0: allowed: a whole number from 1 to 10"},
		"above its range":            {[]string{"KB_AGENT_AUTO_APPROVE_MAX_ITEMS=101"}, "allowed: a whole number from 0 to 100"},
		"that is garbage":            {[]string{"KB_AGENT_AUTO_APPROVE_MAX_ITEMS=many"}, "KB_AGENT_AUTO_APPROVE_MAX_ITEMS=many: allowed: a whole number"},
		"that is no whole number":    {[]string{"KB_AGENT_MAX_CONTEXT_ITEMS=2.5"}, "allowed: a whole number from 1 to 100"},
		"that no integer holds":      {[]string{"KB_AGENT_LLM_MAX_TOKENS=99999999999999999999"}, "allowed: a whole number"},
		"beyond a score":             {[]string{"KB_AGENT_VECTOR_SCORE_THRESHOLD=1.01"}, "allowed: a number from 0 to 1"},
		"that is infinite":           {[]string{"KB_AGENT_VECTOR_SCORE_THRESHOLD=+Inf"}, "allowed: a number from 0 to 1"},
		"that is not a number":       {[]string{"KB_AGENT_GENERATE_MIN_SCORE=nan"}, "allowed: a number from 0 to 1"},
		"that is no time at all":     {[]string{"KB_AGENT_LLM_TIMEOUT=0s"}, "allowed: a duration from 1ms"},
		"that is a negative time":    {[]string{"KB_AGENT_RUN_TIMEOUT=-1s"}, "allowed: a duration from 0s"},
		"that is not in the list":    {[]string{"KB_AGENT_ANSWER_MODE=loose"}, "allowed: strict, best_effort, open"},
		"of a log level in between":  {[]string{"KB_AGENT_LOG_LEVEL=info+2"}, "allowed: debug, info, warn, error"},
		"of an unknown evaluator":    {[]string{"KB_AGENT_EVALUATOR=guess"}, "allowed: auto, llm, lexical, signals, heuristic"},
		"of an unknown provider":     {[]string{"KB_AGENT_LLM_PROVIDER=acme"}, "allowed: openai, anthropic"},
		"that needs verification":    {[]string{"KB_AGENT_VERIFY=off", "KB_AGENT_CONFIDENCE=on"}, "KB_AGENT_CONFIDENCE=on: needs KB_AGENT_VERIFY: an answer that"},
		"of a review without it":     {[]string{"KB_AGENT_VERIFY=no", "KB_AGENT_REVIEW=blocking"}, "KB_AGENT_REVIEW=blocking: needs KB_AGENT_VERIFY"},
		"that no confidence reaches": {[]string{"KB_AGENT_CONFIDENCE_REVIEW=0.9"}, "KB_AGENT_CONFIDENCE_PASS=0.85: has to be at least KB_AGENT_CONFIDENCE_REVIEW, which is 0.9 (default)"},
		"of a web without provider":  {[]string{"KB_AGENT_WEB_SEARCH=ambiguous"}, "KB_AGENT_WEB_SEARCH=ambiguous: needs KB_AGENT_SEARXNG_URL or KB_AGENT_TAVILY_API_KEY"},
		"of two web providers":       {[]string{"KB_AGENT_SEARXNG_URL=http://s", "KB_AGENT_TAVILY_API_KEY=k"}, "KB_AGENT_TAVILY_API_KEY=****: set this or KB_AGENT_SEARXNG_URL, not both"},
		"of mail to nobody":          {[]string{"KB_AGENT_SMTP_HOST=h", "KB_AGENT_SMTP_FROM=a@b"}, "KB_AGENT_SMTP_HOST=h: needs KB_AGENT_SMTP_TO"},
		"of a mail without server":   {[]string{"KB_AGENT_SMTP_TO=a@b"}, "mail is off without its server"},
		"of mail to no address":      {[]string{"KB_AGENT_SMTP_HOST=h", "KB_AGENT_SMTP_FROM=me", "KB_AGENT_SMTP_TO=a@b"}, "KB_AGENT_SMTP_FROM=me: allowed: mail addresses"},
		"of a webhook to nowhere":    {[]string{"KB_AGENT_REVIEW_WEBHOOK_URL=hooks"}, "KB_AGENT_REVIEW_WEBHOOK_URL=****: allowed: an http or https address"},
		"of a database to nowhere":   {[]string{"KB_AGENT_DATABASE_URL=mysql://u:pw@h/d"}, "KB_AGENT_DATABASE_URL=****: allowed: an address like postgres://"},
		"of a cache to nowhere":      {[]string{"KB_AGENT_REDIS_URL=localhost:6379"}, "KB_AGENT_REDIS_URL=****: allowed: an address like redis://"},
		"that has two lines":         {[]string{"KB_AGENT_ABSTENTION=no\nanswer"}, "KB_AGENT_ABSTENTION=no answer: allowed: any text on one line"},
		"that is no address":         {[]string{"KB_AGENT_LLM_MODEL=m", "KB_AGENT_LLM_BASE_URL=localhost:11434"}, "KB_AGENT_LLM_BASE_URL=localhost:11434: allowed: an http or https address"},
		"of an address without host": {[]string{"KB_AGENT_LLM_MODEL=m", "KB_AGENT_LLM_BASE_URL=http://:80/v1"}, "allowed: an http or https address"},
		"of an address with query":   {[]string{"KB_AGENT_LLM_MODEL=m", "KB_AGENT_LLM_BASE_URL=http://h/?a"}, "allowed: an http or https address"},
		"of a file address":          {[]string{"KB_AGENT_EMBEDDING_MODEL=m", "KB_AGENT_EMBEDDING_BASE_URL=file:///etc"}, "allowed: an http or https address"},
		"below another one":          {[]string{"KB_AGENT_GENERATE_MIN_SCORE=0.29"}, "KB_AGENT_GENERATE_MIN_SCORE=0.29: has to be at least KB_AGENT_EVIDENCE_MIN_SCORE, which is 0.3 (environment)"},
		"of passages beyond bounds":  {[]string{"KB_AGENT_PASSAGE_WORDS=500"}, "KB_AGENT_PASSAGE_MAX_WORDS=400: has to be at least KB_AGENT_PASSAGE_WORDS, which is 500 (default)"},
		"that moves above a default": {[]string{"KB_AGENT_EVIDENCE_MIN_SCORE=0.8"}, "KB_AGENT_GENERATE_MIN_SCORE=0.7: has to be at least KB_AGENT_EVIDENCE_MIN_SCORE, which is 0.8 (default)"},
		"of a model without server":  {[]string{"KB_AGENT_LLM_MODEL=m"}, "KB_AGENT_LLM_MODEL=m: needs KB_AGENT_LLM_BASE_URL (for a local server), or KB_AGENT_LLM_API_KEY"},
		"of a server without model":  {[]string{"KB_AGENT_LLM_BASE_URL=http://h"}, "KB_AGENT_LLM_BASE_URL=http://h: needs KB_AGENT_LLM_MODEL"},
		"of a key without model":     {[]string{"KB_AGENT_LLM_API_KEY=sk-one"}, "KB_AGENT_LLM_API_KEY=****: needs KB_AGENT_LLM_MODEL"},
		"of a second model alone":    {[]string{"KB_AGENT_LLM_FAST_MODEL=f"}, "KB_AGENT_LLM_FAST_MODEL=f: needs KB_AGENT_LLM_MODEL"},
		"of a grader without model":  {[]string{"KB_AGENT_EVALUATOR=llm"}, "KB_AGENT_EVALUATOR=llm: needs KB_AGENT_LLM_MODEL"},
		"of a re-ranking nowhere":    {[]string{"KB_AGENT_RERANK=endpoint"}, "KB_AGENT_RERANK=endpoint: needs KB_AGENT_RERANK_BASE_URL"},
		"of a re-ranking by nobody":  {[]string{"KB_AGENT_RERANK=model"}, "KB_AGENT_RERANK=model: needs KB_AGENT_LLM_MODEL"},
		"of a re-ranker not asked":   {[]string{"KB_AGENT_RERANK_API_KEY=sk-one"}, "KB_AGENT_RERANK_API_KEY=****: needs KB_AGENT_RERANK=endpoint"},
		"of a weight of ranks":       {[]string{"KB_AGENT_FUSION_VECTOR_WEIGHT=0.3"}, "KB_AGENT_FUSION_VECTOR_WEIGHT=0.3: needs KB_AGENT_FUSION=minmax or score"},
		"of an index nowhere":        {[]string{"KB_AGENT_INDEX_STORE=postgres"}, "KB_AGENT_INDEX_STORE=postgres: needs KB_AGENT_DATABASE_URL"},
		"of embeddings nowhere":      {[]string{"KB_AGENT_EMBEDDING_MODEL=e"}, "KB_AGENT_EMBEDDING_MODEL=e: needs KB_AGENT_EMBEDDING_BASE_URL"},
		"of embeddings without name": {[]string{"KB_AGENT_EMBEDDING_BASE_URL=http://h"}, "KB_AGENT_EMBEDDING_BASE_URL=http://h: needs KB_AGENT_EMBEDDING_MODEL"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, c.pairs...)
			var faults *config.FaultsError
			require.ErrorAs(t, err, &faults)
			require.Len(t, faults.Faults, 1, "one mistake is one fault: %v", err)
			assert.Contains(t, err.Error(), c.want)
		})
	}
}

func TestTheEdgesOfARangeAreAllowed(t *testing.T) {
	for _, pair := range []string{
		"KB_AGENT_MAX_ITERATIONS=1", "KB_AGENT_MAX_ITERATIONS=10", "KB_AGENT_AUTO_APPROVE_MAX_ITEMS=0", "KB_AGENT_AUTO_APPROVE_MAX_ITEMS=100",
		"KB_AGENT_VECTOR_SCORE_THRESHOLD=0", "KB_AGENT_VECTOR_SCORE_THRESHOLD=1", "KB_AGENT_GENERATE_MIN_SCORE=0.3", "KB_AGENT_EVIDENCE_MIN_SCORE=0.7",
		"KB_AGENT_GENERATE_MIN_SCORE=0.2999999999", "KB_AGENT_MAX_CONTEXT_ITEMS=1", "KB_AGENT_RUN_TIMEOUT=0s", "KB_AGENT_LLM_TIMEOUT=1ms",
	} {
		t.Run(pair, func(t *testing.T) {
			_, err := load(t, pair)
			assert.NoError(t, err)
		})
	}
}

func TestTheValueOfASecretIsInNoFault(t *testing.T) {
	for _, name := range []string{"REVIEW_WEBHOOK_URL", "SMTP_PASSWORD", "REDIS_URL"} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, "KB_AGENT_"+name+"=postgres://u:sk-secret@h/db")
			assert.ErrorContains(t, err, "KB_AGENT_"+name+"=****: ")
			assert.NotContains(t, err.Error(), "sk-secret")
		})
	}
}

func TestWhatAsksForNothingIsFine(t *testing.T) {
	_, err := load(t, "KB_AGENT_WEB_SEARCH=off", "KB_AGENT_VERIFY=OFF", "KB_AGENT_CONFIDENCE=false", "KB_AGENT_REVIEW=no", "KB_AGENT_REFINE_CONTEXT=0",
		"KB_AGENT_SEARXNG_URL=", "KB_AGENT_DATABASE_URL=", "KB_AGENT_SMTP_HOST=", "KB_AGENT_WEB_COOLDOWN=30s", "KB_AGENT_REVIEW_SLA=120m",
		"KB_AGENT_VERIFY_THRESHOLD=0.70", "KB_AGENT_CONFIDENCE_CORRECT=.40", "KB_AGENT_CONFIDENCE_PASS=0.85", "KB_AGENT_VERIFY_MAX_ATTEMPTS=2")
	assert.NoError(t, err)
}

func TestAnUnknownVariableIsATypingError(t *testing.T) {
	for name, want := range map[string]string{
		"KB_AGENT_LLM_APIKEY":                   "KB_AGENT_LLM_APIKEY: there is no such setting; did you mean KB_AGENT_LLM_API_KEY? (environment)",
		"KB_AGENT_EMBEDING_MODEL":               "did you mean KB_AGENT_EMBEDDING_MODEL?",
		"KB_AGENT_VERIFI":                       "did you mean KB_AGENT_VERIFY?",
		"KB_AGENT_COLOUR_OF_IT":                 "KB_AGENT_COLOUR_OF_IT: there is no such setting (environment)",
		"KB_AGENT_" + strings.Repeat("X", 1000): "there is no such setting (environment)",
	} {
		t.Run(want, func(t *testing.T) {
			_, err := load(t, name+"=sk-secret")
			require.ErrorContains(t, err, want)
			assert.NotContains(t, err.Error(), "sk-secret", "it may be a misplaced key")
		})
	}
	_, err := config.Load(config.Options{EnvFile: os.DevNull, Flags: map[string]string{"KB_AGENT_NO_FLAG": "x"}, Environ: []string{}})
	assert.ErrorContains(t, err, "KB_AGENT_NO_FLAG: there is no such setting (flag)")
}

func TestAValueIsShownShortAndWithoutAPassword(t *testing.T) {
	_, err := load(t, "KB_AGENT_LLM_MODEL=m", "KB_AGENT_LLM_BASE_URL=http://me:pass@h/v1", "KB_AGENT_ANSWER_MODE="+strings.Repeat("ü", 500))
	require.ErrorContains(t, err, "KB_AGENT_LLM_BASE_URL=http://****@h/v1: allowed")
	assert.ErrorContains(t, err, "KB_AGENT_ANSWER_MODE="+strings.Repeat("ü", 120)+"…: allowed")
}

func FuzzLoad(f *testing.F) {
	f.Add("KB_AGENT_MAX_ITERATIONS=4\n", "KB_AGENT_LLM_TIMEOUT", "1s")
	f.Add("export KB_AGENT_LLM_API_KEY='sk'\n#x\n", "KB_AGENT_LLM_MODEL", "m")
	f.Add("KB_AGENT_ABSTENTION=\"a\\nb ${X}\"", "KB_AGENT_WEB_SEARCH", "incorrect")
	f.Add("\uFEFFa: b\r\n", "KB_AGENT_EVIDENCE_MIN_SCORE", "0x1p-2")
	f.Fuzz(func(t *testing.T, file, name, value string) {
		path := t.TempDir() + "/.env"
		require.NoError(t, os.WriteFile(path, []byte(file), 0o600))
		c, err := config.Load(config.Options{EnvFile: path, Environ: []string{name + "=" + value}})
		if err != nil {
			assert.NotEmpty(t, err.Error())
			return
		}
		s := c.Settings
		assert.True(t, s.MaxIterations >= 1 && s.MaxIterations <= 10 && s.EvidenceMinScore >= 0 && s.GenerateMinScore >= s.EvidenceMinScore-1e-9)
		assert.True(t, c.LLM.Model == "" || c.LLM.BaseURL != "")
		assert.Equal(t, c.Embedding.Model == "", c.Embedding.BaseURL == "")
	})
}
