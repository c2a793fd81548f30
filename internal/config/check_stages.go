package config

import (
	"net/mail"
	"strconv"
	"strings"
)

// search looks at what re-ranking and fusion need.
func (c *checker) search(v *variables) {
	const (
		rerank, base   = prefix + "RERANK", prefix + "RERANK_BASE_URL"
		weight, fusion = prefix + "FUSION_VECTOR_WEIGHT", prefix + "FUSION"
		model          = prefix + "LLM_MODEL"
		name, key      = prefix + "RERANK_MODEL", prefix + "RERANK_API_KEY"
	)
	if c.bad[rerank] {
		return
	}
	switch {
	case v.Rerank == "model" && v.LLMModel == "":
		c.fault(rerank, "needs "+model)
	case v.Rerank == "endpoint" && v.RerankBaseURL == "" && !c.bad[base]:
		c.fault(rerank, "needs "+base)
	}
	if v.Rerank != "endpoint" {
		c.needs(rerank+"=endpoint", "the re-ranking server is not asked without it", base, name, key)
	}
	if d, _ := lookup(weight); v.Fusion == "rrf" && !c.bad[fusion] && v.FusionVectorWeight != decimal(d.fallback) {
		c.needs(fusion+"=minmax or score", "ranks have no weight", weight)
	}
}

// checks looks at what verification, confidence and review need of each other.
func (c *checker) checks(v *variables) {
	const (
		verify, confidence, review = prefix + "VERIFY", prefix + "CONFIDENCE", prefix + "REVIEW"
		pass, doubt, correct       = prefix + "CONFIDENCE_PASS", prefix + "CONFIDENCE_REVIEW", prefix + "CONFIDENCE_CORRECT"
	)
	if v.Verify == "off" && !c.bad[verify] {
		if v.Confidence {
			c.fault(confidence, "needs "+verify+": an answer that was not checked against its passages never passes")
		}
		if v.Review != "off" && !c.bad[review] {
			c.fault(review, "needs "+verify+": a person is asked about answers that did not hold")
		}
	}
	order := func(high, low string, a, b float64) {
		if !c.bad[high] && !c.bad[low] && a < b-tolerance {
			c.fault(high, "has to be at least "+low+", which is "+strconv.FormatFloat(b, 'g', -1, 64))
		}
	}
	order(pass, doubt, v.ConfidencePass, v.ConfidenceReview)
	order(doubt, correct, v.ConfidenceReview, v.ConfidenceCorrect)
}

// web wants one provider when the web is to be searched.
func (c *checker) web(v *variables) {
	const search, searxng, tavily = prefix + "WEB_SEARCH", prefix + "SEARXNG_URL", prefix + "TAVILY_API_KEY"
	switch {
	case c.bad[search] || c.bad[searxng]:
	case v.SearXNGURL != "" && v.TavilyAPIKey != "":
		c.fault(tavily, "set this or "+searxng+", not both")
	case v.WebSearch != "off" && v.SearXNGURL == "" && v.TavilyAPIKey == "":
		c.fault(search, "needs "+searxng+" or "+tavily)
	}
}

// notifications wants complete addresses.
func (c *checker) notifications(v *variables) {
	const (
		webhook, host, from, to = prefix + "REVIEW_WEBHOOK_URL", prefix + "SMTP_HOST", prefix + "SMTP_FROM", prefix + "SMTP_TO"
		database                = prefix + "DATABASE_URL"
		user, password, redis   = prefix + "SMTP_USER", prefix + "SMTP_PASSWORD", prefix + "REDIS_URL"
	)
	if v.ReviewWebhookURL != "" && !c.bad[webhook] && !address(v.ReviewWebhookURL, "http", "https") {
		c.fault(webhook, "allowed: an http or https address")
	}
	if v.DatabaseURL != "" && !c.bad[database] && !address(v.DatabaseURL, "postgres", "postgresql") {
		c.fault(database, "allowed: an address like postgres://user:password@localhost:5432/kbagent")
	}
	if v.IndexStore == "postgres" && v.DatabaseURL == "" {
		c.fault(prefix+"INDEX_STORE", "needs "+database)
	}
	if v.RedisURL != "" && !c.bad[redis] && !strings.HasPrefix(v.RedisURL, "unix://") && !address(v.RedisURL, "redis", "rediss") {
		c.fault(redis, "allowed: an address like redis://localhost:6379/0")
	}
	if v.SMTPHost == "" {
		c.needs(host, "mail is off without its server", from, to, user, password)
		return
	}
	for _, need := range []struct{ name, value string }{{from, v.SMTPFrom}, {to, v.SMTPTo}} {
		switch _, err := mail.ParseAddressList(need.value); {
		case need.value == "":
			c.fault(host, "needs "+need.name)
		case err != nil && !c.bad[need.name]:
			c.fault(need.name, "allowed: mail addresses, separated by commas")
		}
	}
}
