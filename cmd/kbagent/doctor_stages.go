package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/evalcache"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// checkStages looks at what stands around the answer: verification, confidence, web search, review, the cache of grades.
func checkStages(ctx context.Context, cfg config.Config, live bool) []check {
	return []check{checkVerification(cfg), checkConfidence(cfg), checkWeb(ctx, cfg, live), checkReview(ctx, cfg), checkCache(ctx, cfg), checkFiles(cfg)}
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

// probeTime is how long doctor waits for a server beside the models. A web search has a limit of its own, which is shorter
// and names the server.
const probeTime = 15 * time.Second

// checkWeb looks at the private hosts that are allowed, and asks SearXNG for something; Tavily, which counts searches, is
// asked by --live only.
func checkWeb(ctx context.Context, cfg config.Config, live bool) check {
	const name = "web search"
	if _, err := webTools(cfg, nil); err != nil {
		return check{name, stateFailed, err.Error()}
	}
	provider, err := searchProvider(cfg.Web, nil)
	switch {
	case err != nil:
		return check{name, stateFailed, err.Error()}
	case cfg.Settings.WebSearch == state.WebOff && provider != nil:
		return check{name, stateOff, "there is a provider, but only your documents are searched; KB_AGENT_WEB_SEARCH=incorrect or ambiguous switches the web on"}
	case cfg.Settings.WebSearch == state.WebOff:
		return check{name, stateOff, "only your documents are searched; KB_AGENT_WEB_SEARCH and a provider switch the web on"}
	case cfg.Web.TavilyAPIKey != "" && !live:
		return check{name, stateOK, "Tavily, not tried: `kbagent doctor --live` makes a search"}
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if _, err := provider.Search(ctx, "knowledge base", 1); err != nil {
		return check{name, stateFailed, tools.AsError(err).Error()}
	}
	return check{name, stateOK, string(cfg.Settings.WebSearch) + ", a test was answered"}
}

// checkReview asks the servers that are told of reviews whether they are there; nothing is sent.
func checkReview(ctx context.Context, cfg config.Config) check {
	const name = "review"
	list, err := notifiers(cfg)
	if err != nil {
		return check{name, stateFailed, err.Error()}
	}
	if cfg.Settings.ReviewMode == state.ReviewOff {
		return check{name, stateOff, "nobody is asked about doubtful answers; KB_AGENT_REVIEW=provisional or blocking does"}
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var told []string
	var failed []error
	for _, n := range list {
		told = append(told, map[string]string{"webhook": "a webhook", "smtp": cfg.SMTP.String()}[n.Name()])
		failed = append(failed, n.Check(ctx))
	}
	if err := errors.Join(failed...); err != nil {
		return check{name, stateFailed, strings.ReplaceAll(err.Error(), "\n", "; ") + ": reviews are queued, and what cannot be sent waits"}
	}
	who := "nobody is told: set KB_AGENT_REVIEW_WEBHOOK_URL or KB_AGENT_SMTP_HOST"
	if len(told) > 0 {
		who = "told: " + strings.Join(told, " and ")
	}
	return check{name, stateOK, fmt.Sprintf("%s, to be decided within %s; %s", cfg.Settings.ReviewMode, cfg.Review.SLA, who)}
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
