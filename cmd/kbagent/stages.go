package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/evalcache"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
	"github.com/kbagent/kbagent/tools/netguard"
)

// webTools are the tools that leave the machine: web_fetch always, since a page is fetched only when a question names it,
// and web_search when a provider is configured.
func webTools(cfg config.Config, t *tape) ([]tools.Tool, error) {
	client, err := netguard.New(netguard.Options{Allow: cfg.Web.Allow, UserAgent: "kbagent/" + version, Wrap: t.web})
	if err != nil {
		return nil, fmt.Errorf("KB_AGENT_WEB_ALLOW: %w", err)
	}
	list := []tools.Tool{tools.WebFetch(client)}
	provider, err := searchProvider(cfg.Web, &http.Client{Transport: t.web(http.DefaultTransport)})
	if err != nil || provider == nil {
		return list, err
	}
	return append(list, tools.WebSearch(provider)), nil
}

// searchProvider is nil when none is configured.
func searchProvider(cfg config.Web, client *http.Client) (tools.SearchProvider, error) {
	switch {
	case cfg.SearXNGURL != "":
		return tools.NewSearXNG(cfg.SearXNGURL, client)
	case cfg.TavilyAPIKey != "":
		return tools.NewTavily(cfg.TavilyAPIKey, "", client)
	}
	return nil, nil
}

// cooldown is the setting as package nodes has it, where 0 is the default.
func cooldown(d time.Duration) time.Duration {
	if d == 0 {
		return -1
	}
	return d
}

// loadSynonyms reads the user's table; nil is the built-in one.
func loadSynonyms(path string) (*rules.Synonyms, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("KB_AGENT_SYNONYMS: %w", err)
	}
	defer f.Close()
	table, err := rules.LoadSynonyms(f)
	if err != nil {
		return nil, fmt.Errorf("KB_AGENT_SYNONYMS: %s: %w", path, err)
	}
	return &table, nil
}

// gradeCache keeps the grades of a model for an hour. A run on a tape goes without what other processes have graded: it
// would ask for less than the next one.
func gradeCache(cfg config.Config, t *tape, log *slog.Logger) (evalcache.Cache, error) {
	if cfg.LLM.Model == "" {
		return nil, nil
	}
	url := cfg.RedisURL
	if t != nil {
		url = ""
	}
	cache, err := evalcache.Open(url, evalcache.Options{Log: log})
	if err != nil {
		return nil, fmt.Errorf("KB_AGENT_REDIS_URL: %w", err)
	}
	return cache, nil
}

// desk queues reviews for the nodes, and lets those who are told of them know of new ones.
type desk struct {
	queue *review.Queue
	send  func(context.Context)
}

// Submit implements nodes.Reviews.
func (d desk) Submit(ctx context.Context, q nodes.ReviewRequest) (state.Review, error) {
	e := review.Entry{
		Thread: q.Thread, Run: q.Run, Question: q.Question, Answer: q.Answer, Category: q.Category, Concerns: q.Concerns,
		Mode: review.Mode(q.Mode),
	}
	if c := q.Confidence; c != nil {
		e.Confidence, e.HasConfidence, e.Components = c.Total, true, dimensions(c.Components)
	} else if q.Verification.Outcome == state.OutcomeVerified {
		e.Confidence, e.HasConfidence = q.Verification.Confidence, true
	}
	e.Priority = review.PriorityOf(e.Confidence, e.HasConfidence, e.Category, q.Corrected)
	for _, c := range q.Citations {
		e.Sources = append(e.Sources, review.Source{Path: c.Path, StartLine: c.StartLine, EndLine: c.EndLine, Quote: c.Quote})
	}
	stored, created, err := d.queue.Submit(ctx, e)
	if err != nil {
		return state.Review{}, err
	}
	if created {
		d.send(ctx)
	}
	return state.Review{
		ID: stored.ID, Mode: q.Mode, Status: state.ReviewStatus(stored.Status), Priority: string(stored.Priority), Concerns: stored.Concerns,
		URL: d.queue.URL(stored.ID), Reviewer: stored.Reviewer, Notes: stored.Notes, Corrected: stored.Corrected,
	}, nil
}

func dimensions(c state.Components) map[string]float64 {
	all := map[string]float64{}
	for name, value := range map[string]*float64{
		"relevance": c.Relevance, "consistency": c.Consistency, "grounding": c.Grounding, "completeness": c.Completeness,
		"classification": c.Classification,
	} {
		if value != nil {
			all[name] = *value
		}
	}
	return all
}
