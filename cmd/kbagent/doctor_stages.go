package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/evalcache"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// checkStages looks at what stands around the answer: verification, confidence, web search, review, the cache of grades.
func checkStages(ctx context.Context, cfg config.Config, live bool) []check {
	return []check{checkVerification(cfg), checkConfidence(cfg), checkWeb(ctx, cfg, live), checkReview(cfg), checkCache(ctx, cfg), checkFiles(cfg)}
}

func checkVerification(cfg config.Config) check {
	const name = "verification"
	switch {
	case !cfg.Settings.Verify:
		return check{name, stateOff, "answers are not checked against their passages; KB_AGENT_VERIFY=on does"}
	case cfg.LLM.Model == "":
		return check{name, stateOK, "by words, numbers and names, without a model: it does not see what is said in other words"}
	default:
		return check{name, stateOK, fmt.Sprintf("by the model; at most %d corrections of an answer", cfg.Settings.VerifyAttempts)}
	}
}

func checkConfidence(cfg config.Config) check {
	const name = "confidence"
	s := cfg.Settings
	if !s.ScoreConfidence {
		return check{name, stateOff, "answers are not scored; KB_AGENT_CONFIDENCE=on does"}
	}
	return check{name, stateOK, fmt.Sprintf("passes from %.2f, a person is asked from %.2f, corrected from %.2f", s.ConfidencePass, s.ConfidenceReview, s.ConfidenceCorrect)}
}

// probeTime is how long doctor waits for a server beside the models.
const probeTime = 5 * time.Second

// checkWeb asks SearXNG for something; Tavily, which counts searches, is asked by --live only.
func checkWeb(ctx context.Context, cfg config.Config, live bool) check {
	const name = "web search"
	provider, err := searchProvider(cfg.Web)
	switch {
	case err != nil:
		return check{name, stateFailed, err.Error()}
	case cfg.Settings.WebSearch == state.WebOff:
		return check{name, stateOff, "only your documents are searched; KB_AGENT_WEB_SEARCH and a provider switch the web on"}
	case cfg.Web.TavilyAPIKey != "" && !live:
		return check{name, stateOK, "Tavily, not tried: `kbagent doctor --live` makes a search"}
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	found, err := provider.Search(ctx, "knowledge base", 1)
	if err != nil {
		return check{name, stateFailed, tools.AsError(err).Error()}
	}
	return check{name, stateOK, fmt.Sprintf("%s, %d result(s) for a test", cfg.Settings.WebSearch, len(found))}
}

func checkReview(cfg config.Config) check {
	const name = "review"
	if cfg.Settings.ReviewMode == state.ReviewOff {
		return check{name, stateOff, "nobody is asked about doubtful answers; KB_AGENT_REVIEW=provisional or blocking does"}
	}
	told := "nobody is told: set KB_AGENT_REVIEW_WEBHOOK_URL or KB_AGENT_SMTP_HOST"
	switch {
	case cfg.Review.WebhookURL != "" && cfg.SMTP.Host != "":
		told = "a webhook and " + cfg.SMTP.String() + " are told"
	case cfg.Review.WebhookURL != "":
		told = "a webhook is told"
	case cfg.SMTP.Host != "":
		told = cfg.SMTP.String() + " is told"
	}
	return check{name, stateOK, fmt.Sprintf("%s, to be decided within %s; %s", cfg.Settings.ReviewMode, cfg.Review.SLA, told)}
}

// checkCache writes to the Redis server and reads back.
func checkCache(ctx context.Context, cfg config.Config) check {
	const name = "cache of grades"
	switch {
	case cfg.LLM.Model == "":
		return check{name, stateOff, "grades cost nothing without a model"}
	case cfg.RedisURL == "":
		return check{name, stateOK, "in this process, for an hour"}
	}
	cache, err := evalcache.Open(cfg.RedisURL, evalcache.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return check{name, stateFailed, err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	const key, value = "kbagent-doctor", "ok"
	cache.Put(ctx, key, []byte(value))
	if got, ok := cache.Get(ctx, key); !ok || string(got) != value {
		return check{name, stateFailed, "the Redis server does not answer; grades are not kept, the agent works without"}
	}
	return check{name, stateOK, "Redis, for an hour"}
}

// checkFiles reads the user's own synonyms and prompts.
func checkFiles(cfg config.Config) check {
	const name = "own synonyms and prompts"
	if cfg.Synonyms == "" && cfg.Prompts == "" {
		return check{name, stateOff, "the built-in ones alone; KB_AGENT_SYNONYMS and KB_AGENT_PROMPTS add yours"}
	}
	if _, err := loadSynonyms(cfg.Synonyms); err != nil {
		return check{name, stateFailed, err.Error()}
	}
	if _, err := loadPrompts(cfg.Prompts); err != nil {
		return check{name, stateFailed, err.Error()}
	}
	return check{name, stateOK, "read"}
}
