package config

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// unbuilt is a variable of a stage that is planned and not built. It is refused when it asks for something: a person who
// sets it must not believe that it works.
type unbuilt struct {
	name     string   // what it would configure
	fine     []string // values that ask for nothing: off, or the documented default
	isSecret bool
}

var off = []string{"off", "false", "no", "0"}

// later are the variables of the stages to come, without the prefix.
var later = map[string]unbuilt{
	"REFINE_CONTEXT":      {name: "context refinement", fine: off},
	"WEB_SEARCH":          {name: "web search", fine: off},
	"SEARXNG_URL":         {name: "web search"},
	"TAVILY_API_KEY":      {name: "web search", isSecret: true},
	"WEB_COOLDOWN":        {name: "web search", fine: []string{"30s"}},
	"VERIFY":              {name: "answer verification", fine: off},
	"VERIFY_THRESHOLD":    {name: "answer verification", fine: []string{"0.7"}},
	"VERIFY_MAX_ATTEMPTS": {name: "answer verification", fine: []string{"0", "2"}},
	"VERIFY_SHOW_CLAIMS":  {name: "answer verification", fine: off},
	"CONFIDENCE":          {name: "confidence scoring", fine: off},
	"CONFIDENCE_PASS":     {name: "confidence scoring", fine: []string{"0.85"}},
	"CONFIDENCE_REVIEW":   {name: "confidence scoring", fine: []string{"0.65"}},
	"CONFIDENCE_CORRECT":  {name: "confidence scoring", fine: []string{"0.4"}},
	"REVIEW":              {name: "human review", fine: off},
	"REVIEW_SLA":          {name: "human review", fine: []string{"2h"}},
	"REVIEW_WEBHOOK_URL":  {name: "human review", isSecret: true},
	"DATABASE_URL":        {name: "a database server", isSecret: true},
	"REDIS_URL":           {name: "a cache server", isSecret: true},
}

// laterValues are values of existing variables that a later stage adds.
var laterValues = map[string]map[string]string{
	"LLM_PROVIDER": {"anthropic": "the provider anthropic"},
	"EVALUATOR":    {"signals": "the evaluator signals", "heuristic": "the evaluator heuristic"},
}

func unbuiltFeature(name string) (unbuilt, bool) {
	name = strings.TrimPrefix(name, prefix)
	if strings.HasPrefix(name, "SMTP_") {
		return unbuilt{name: "mail", isSecret: true}, true
	}
	u, ok := later[name]
	return u, ok
}

func unbuiltValue(name, value string) (feature string, ok bool) {
	feature, ok = laterValues[strings.TrimPrefix(name, prefix)][value]
	return feature, ok
}

// harmless reports whether a value asks for nothing.
func (u unbuilt) harmless(value string) bool {
	return value == "" || slices.ContainsFunc(u.fine, func(fine string) bool { return same(fine, value) })
}

// same compares values as words, numbers or durations.
func same(a, b string) bool {
	if x, err := strconv.ParseFloat(a, 64); err == nil {
		y, err := strconv.ParseFloat(b, 64)
		return err == nil && x == y
	}
	if x, err := time.ParseDuration(a); err == nil {
		y, err := time.ParseDuration(b)
		return err == nil && x == y
	}
	return strings.EqualFold(a, b)
}

// shown is a value as people may see it.
func (u unbuilt) shown(value string) string {
	if u.isSecret && value != "" {
		return hidden
	}
	return display(value)
}
