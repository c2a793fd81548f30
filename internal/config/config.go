package config

import (
	"fmt"
	"log/slog"
	"os"
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
	// DataDir is the folder of the index, the threads and the audit log. It may not exist yet. Default .kbagent.
	DataDir string
	// AuditLog is the file of the audit log. Default audit.jsonl in DataDir.
	AuditLog string
	// LogLevel is debug, info, warn (default) or error.
	LogLevel slog.Level
	// LogFormat is text (default) or json.
	LogFormat string

	values []Value
}

// LLM says where the language model is.
type LLM struct {
	// BaseURL is the address of the server including the version; never empty when Model is not.
	BaseURL string
	// APIKey may be empty: local servers need none.
	APIKey string `json:"-"`
	// Model is the name of the model; empty without one. FastModel may be empty.
	Model, FastModel string
	// Provider is the protocol: openai.
	Provider string
	// Timeout is for one call with its retries. Default 60s.
	Timeout time.Duration
}

// Embedding says where the embedding model is. BaseURL and Model are both set, or neither is.
type Embedding struct {
	BaseURL, Model string
	// APIKey may be empty.
	APIKey string `json:"-"`
}

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
		},
		LLM: LLM{
			BaseURL: v.LLMBaseURL, APIKey: v.LLMAPIKey, Model: v.LLMModel, FastModel: v.LLMFastModel,
			Provider: v.LLMProvider, Timeout: v.LLMTimeout,
		},
		Embedding: Embedding{BaseURL: v.EmbeddingBaseURL, Model: v.EmbeddingModel, APIKey: v.EmbeddingAPIKey},
		DataDir:   v.DataDir,
		AuditLog:  v.AuditLog,
		LogLevel:  v.LogLevel,
		LogFormat: v.LogFormat,
	}
	c.values = v.values(given)
	return c
}

// Secrets are the keys that must appear in no log and no message; those that are set.
func (c Config) Secrets() []string {
	var list []string
	for _, key := range []string{c.LLM.APIKey, c.Embedding.APIKey} {
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
