package config

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/kbagent/kbagent/state"
)

// Config is everything that the program takes from its surroundings. It is checked and complete: no field needs another
// default. Printing, logging or encoding one hides the keys.
type Config struct {
	// Settings travel with each run.
	Settings state.Settings
	// LLM is the language model; without a Model there is none.
	LLM LLM
	// Embedding is the embedding model; without a Model there is none.
	Embedding Embedding
	// Search says how searches merge and order what they find.
	Search Search
	// Web says where the web is searched; Settings.WebSearch says whether.
	Web Web
	// Review says how people are told of doubtful answers; Settings.ReviewMode says whether.
	Review Review
	// SMTP is the mail server; without a Host there is none.
	SMTP SMTP
	// DatabaseURL is the PostgreSQL server of conversations and reviews; empty = the file in DataDir.
	DatabaseURL string `json:"-"`
	// IndexStore is sqlite (default), the file in DataDir, or postgres, the server of DatabaseURL.
	IndexStore string
	// RedisURL is the server that keeps grades; empty = this process does.
	RedisURL string `json:"-"`
	// Synonyms is a file of synonyms, Prompts a folder of templates; empty = the built-in ones alone.
	Synonyms, Prompts string
	// Passages is how large passages are, in words.
	Passages Passages
	// DataDir is the folder of the index, the threads and the audit log. It may not exist yet. Default .kbagent.
	DataDir string
	// AuditLog is the file of the audit log. Default audit.jsonl in DataDir.
	AuditLog string
	// LogLevel is debug, info, warn (default) or error.
	LogLevel slog.Level
	// LogFormat is text (default) or json.
	LogFormat string

	values []Value
	given  settings // what it was made of, for With; holds keys
}

// LLM says where the language model is.
type LLM struct {
	// BaseURL is the address of the server including the version; never empty when Model is not.
	BaseURL string
	// APIKey may be empty: local servers need none.
	APIKey string `json:"-"`
	// Model is the name of the model; empty without one. FastModel may be empty.
	Model, FastModel string
	// Provider is the protocol: openai (default) or anthropic.
	Provider string
	// RatePerMinute limits the calls; 0 = no limit.
	RatePerMinute int
	// Timeout is for one call with its retries. Default 60s.
	Timeout time.Duration
}

// Embedding says where the embedding model is. BaseURL and Model are both set, or neither is.
type Embedding struct {
	BaseURL, Model string
	// APIKey may be empty.
	APIKey string `json:"-"`
}

// Passages is how large the passages are that files are cut into, in words as index.SplitOptions counts them.
type Passages struct {
	Words    int // they are packed up to this, default 220
	MaxWords int // and never exceed this, at least Words, default 400
	// JSONTextField is the field of JSON records that holds their text, with dots into nested ones; "" takes all fields.
	JSONTextField string
}

// Search says how searches merge and order what they find.
type Search struct {
	Fusion       string  // rrf (default), minmax or score
	VectorWeight float64 // of search by meaning where scores are merged, default 0.5
	MMRLambda    float64 // 1 (default) is off
	Rerank       string  // off (default), model or endpoint; model needs LLM.Model, endpoint RerankBaseURL
	// RerankBaseURL is the address of the re-ranking server; RerankModel may be empty.
	RerankBaseURL, RerankModel string
	// RerankAPIKey may be empty.
	RerankAPIKey string `json:"-"`
}

// String describes the search without the key.
func (s Search) String() string {
	return fmt.Sprintf("fusion %s, MMR %g, re-ranking %s", s.Fusion, s.MMRLambda, s.Rerank)
}

// GoString is String, so that %#v hides the key too.
func (s Search) GoString() string { return s.String() }

// LogValue is String, so that a logger hides the key too.
func (s Search) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Web says where the web is searched. At most one of the providers is set; one is when Settings.WebSearch is not off.
type Web struct {
	SearXNGURL   string
	TavilyAPIKey string        `json:"-"`
	Cooldown     time.Duration // between two questions that search the web, default 30s
	Allow        []string      // private hosts and networks that pages may be fetched from
}

// Review says how people are told of reviews.
type Review struct {
	SLA        time.Duration // default 2h
	BaseURL    string        // in front of a review's id; empty = the command that shows it
	WebhookURL string        `json:"-"`
	Reviewer   string        // the name of who decides; empty = the user of the machine
}

// SMTP is a mail server. From and To are set when Host is.
type SMTP struct {
	Host           string
	Port           int
	User, Password string `json:"-"`
	From           string
	To             []string
}

// Searches says whether a search engine is configured.
func (w Web) Searches() bool { return w.SearXNGURL != "" || w.TavilyAPIKey != "" }

// String describes where the web is searched without the key.
func (w Web) String() string {
	return fmt.Sprintf("SearXNG at %q, Tavily: %t", w.SearXNGURL, w.TavilyAPIKey != "")
}

// GoString is String, so that %#v hides the key too.
func (w Web) GoString() string { return w.String() }

// LogValue is String, so that a logger hides the key too.
func (w Web) LogValue() slog.Value { return slog.StringValue(w.String()) }

// String describes the notifications without the address of the webhook, which is as good as a key.
func (r Review) String() string { return fmt.Sprintf("SLA %s, webhook: %t", r.SLA, r.WebhookURL != "") }

// GoString is String, so that %#v hides the address too.
func (r Review) GoString() string { return r.String() }

// LogValue is String, so that a logger hides the address too.
func (r Review) LogValue() slog.Value { return slog.StringValue(r.String()) }

// String describes the mail server without its password.
func (s SMTP) String() string { return fmt.Sprintf("mail server %s:%d", s.Host, s.Port) }

// GoString is String, so that %#v hides the password too.
func (s SMTP) GoString() string { return s.String() }

// LogValue is String, so that a logger hides the password too.
func (s SMTP) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Options say where the settings come from. What is given by a flag counts most, then the environment, then the file,
// then the default. An empty value counts as none, but hides what comes after it.
type Options struct {
	// EnvFile is a file of NAME=value lines. It has to exist when it is named; by default .env in the working directory
	// is read when there is one.
	EnvFile string
	// Flags are variables, by their full names, that were set by flags.
	Flags map[string]string
	// Environ holds NAME=value pairs; of two with one name the last counts. Nil means os.Environ(), an empty list
	// means no environment.
	Environ []string
}

// Load reads and checks the settings. It does not change the environment of the process.
//
// A file that cannot be read gives an error that wraps the one of package os; everything else that is wrong is in one
// [*FaultsError].
func Load(opts Options) (Config, error) {
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	given, faults, err := gather(opts)
	if err != nil {
		return Config{}, err
	}
	vars, more := parse(given)
	if faults = append(faults, more...); len(faults) > 0 {
		return Config{}, &FaultsError{Faults: faults}
	}
	return vars.config(given), nil
}

// config is the configuration that checked variables stand for.
func (v variables) config(given settings) Config {
	c := Config{
		Settings: state.Settings{
			MaxIterations:        v.MaxIterations,
			AutoApproveMaxItems:  v.AutoApproveMaxItems,
			VectorScoreThreshold: v.VectorScoreThreshold,
			EvidenceMinScore:     v.EvidenceMinScore,
			GenerateMinScore:     v.GenerateMinScore,
			MaxContextItems:      v.MaxContextItems,
			Evaluator:            state.Evaluator(v.Evaluator),
			AnswerMode:           state.AnswerMode(v.AnswerMode),
			QueryExpansion:       bool(v.QueryExpansion),
			MaxLLMCalls:          v.LLMMaxCalls,
			MaxLLMTokens:         v.LLMMaxTokens,
			Abstention:           v.Abstention,
			RunTimeout:           v.RunTimeout,

			RefineContext: bool(v.RefineContext), WebSearch: state.WebMode(v.WebSearch), WebReplace: bool(v.WebReplace),
			Verify: v.verifies(), VerifyMin: v.VerifyThreshold, VerifyAttempts: v.VerifyMaxAttempts,
			VerifyRate: v.VerifyFormula == "rate", ShowClaims: bool(v.VerifyShowClaims),
			ScoreConfidence: bool(v.Confidence), ConfidencePass: v.ConfidencePass, ConfidenceReview: v.ConfidenceReview,
			Floors: state.Floors{
				Relevance: v.FloorRelevance, Grounding: v.FloorGrounding, Consistency: v.FloorConsistency, Completeness: v.FloorCompleteness,
			},
			ConfidenceCorrect: v.ConfidenceCorrect, ReviewMode: state.ReviewMode(v.Review),
		},
		LLM: LLM{
			BaseURL: v.LLMBaseURL, APIKey: v.LLMAPIKey, Model: v.LLMModel, FastModel: v.LLMFastModel,
			Provider: v.LLMProvider, Timeout: v.LLMTimeout, RatePerMinute: v.LLMRatePerMinute,
		},
		Embedding: Embedding{BaseURL: v.EmbeddingBaseURL, Model: v.EmbeddingModel, APIKey: v.EmbeddingAPIKey},
		Search: Search{
			Fusion: v.Fusion, VectorWeight: v.FusionVectorWeight, MMRLambda: v.MMRLambda,
			Rerank: v.Rerank, RerankBaseURL: v.RerankBaseURL, RerankModel: v.RerankModel, RerankAPIKey: v.RerankAPIKey,
		},
		Web:    Web{SearXNGURL: v.SearXNGURL, TavilyAPIKey: v.TavilyAPIKey, Cooldown: v.WebCooldown, Allow: list(v.WebAllow)},
		Review: Review{SLA: v.ReviewSLA, BaseURL: v.ReviewBaseURL, WebhookURL: v.ReviewWebhookURL, Reviewer: v.Reviewer},
		SMTP: SMTP{
			Host: v.SMTPHost, Port: v.SMTPPort, User: v.SMTPUser, Password: v.SMTPPassword, From: v.SMTPFrom, To: list(v.SMTPTo),
		},
		DatabaseURL: v.DatabaseURL, IndexStore: v.IndexStore, RedisURL: v.RedisURL, Synonyms: v.Synonyms, Prompts: v.Prompts,
		Passages:  Passages{Words: v.PassageWords, MaxWords: v.PassageMaxWords, JSONTextField: v.JSONTextField},
		DataDir:   v.DataDir,
		AuditLog:  v.AuditLog,
		LogLevel:  v.LogLevel,
		LogFormat: v.LogFormat,
	}
	c.values, c.given = v.values(given), given
	return c
}

// verifies says whether answers are checked: when they are scored or reviewed, when a model is there, or when it is asked for.
func (v variables) verifies() bool {
	return v.Verify == "on" || v.Verify == "auto" && (v.LLMModel != "" || bool(v.Confidence) || v.Review != "off")
}

// list is the parts of a value that commas separate.
func list(value string) []string {
	var parts []string
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// Secrets are the keys that must appear in no log and no message; those that are set.
func (c Config) Secrets() []string {
	var list []string
	for _, key := range []string{c.LLM.APIKey, c.Embedding.APIKey, c.Search.RerankAPIKey, c.Web.TavilyAPIKey, c.Review.WebhookURL, c.SMTP.Password, c.DatabaseURL, c.RedisURL} {
		if key != "" {
			list = append(list, key)
		}
	}
	return list
}

// String shows what differs from the defaults, without keys.
func (c Config) String() string {
	s := "settings:"
	for _, v := range c.values {
		if v.Source != SourceDefault {
			s += fmt.Sprintf(" %s=%s", v.Name, v.Value)
		}
	}
	return s
}

// GoString is String, so that %#v hides the keys too.
func (c Config) GoString() string { return c.String() }

// LogValue is String, so that a logger hides the keys too.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// String describes the model without its key.
func (l LLM) String() string { return fmt.Sprintf("model %q at %q", l.Model, l.BaseURL) }

// GoString is String, so that %#v hides the key too.
func (l LLM) GoString() string { return l.String() }

// LogValue is String, so that a logger hides the key too.
func (l LLM) LogValue() slog.Value { return slog.StringValue(l.String()) }

// String describes the embedding model without its key.
func (e Embedding) String() string { return fmt.Sprintf("model %q at %q", e.Model, e.BaseURL) }

// GoString is String, so that %#v hides the key too.
func (e Embedding) GoString() string { return e.String() }

// LogValue is String, so that a logger hides the key too.
func (e Embedding) LogValue() slog.Value { return slog.StringValue(e.String()) }
