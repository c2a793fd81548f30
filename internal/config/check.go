package config

import (
	"errors"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"github.com/kbagent/kbagent/state"
)

// parse turns values into checked variables.
func parse(given settings) (variables, []Fault) {
	values := make(map[string]string, len(given))
	for name, s := range given {
		values[name] = s.value
		if v, _ := lookup(name); len(v.oneof) > 0 {
			values[name] = v.word(s.value)
		}
	}
	var vars variables
	c := checker{given: given, bad: map[string]bool{}}
	c.syntax(env.ParseWithOptions(&vars, env.Options{Prefix: prefix, Environment: values}))
	fields := reflect.ValueOf(vars)
	for i, v := range known {
		if given[v.name].value != "" && !c.bad[v.name] && !v.accepts(fields.Field(i).Interface(), values[v.name]) {
			c.fault(v.name, c.reason(v))
		}
	}
	c.together(&vars)
	slices.SortStableFunc(c.faults, func(a, b Fault) int {
		return slices.Index(Names(), a.Name) - slices.Index(Names(), b.Name)
	})
	return vars, c.faults
}

// word is a value of a list in its usual spelling; the words that mean on and off do where the list has those.
func (v variable) word(value string) string {
	value = strings.ToLower(value)
	var t toggle
	if t.UnmarshalText([]byte(value)) == nil {
		meant := "off"
		if t {
			meant = "on"
		}
		if slices.Contains(v.oneof, meant) {
			return meant
		}
	}
	return value
}

// checker collects faults.
type checker struct {
	given  settings
	faults []Fault
	bad    map[string]bool
}

func (c *checker) fault(name, reason string) {
	c.bad[name] = true
	v, _ := lookup(name)
	s := c.given[name]
	if s.value == "" {
		s = setting{v.fallback, SourceDefault}
	}
	c.faults = append(c.faults, Fault{Name: name, Value: v.shown(s.value), Source: s.source, Reason: reason})
}

// syntax takes over what the env package could not parse.
func (c *checker) syntax(err error) {
	var all env.AggregateError
	if err != nil && !errors.As(err, &all) {
		all.Errors = []error{err}
	}
	for _, err := range all.Errors {
		var wrong env.ParseError
		i := -1
		if errors.As(err, &wrong) {
			i = slices.IndexFunc(known, func(v variable) bool { return v.field == wrong.Name })
		}
		if i < 0 {
			panic("config: the table of variables is wrong: " + err.Error())
		}
		c.fault(known[i].name, c.reason(known[i]))
	}
}

// reason says what is allowed.
func (c *checker) reason(v variable) string {
	return "allowed: " + v.allowed()
}

// accepts checks a parsed value, and the text that it was parsed from, against the tags.
func (v variable) accepts(parsed any, text string) bool {
	switch value := parsed.(type) {
	case int:
		return float64(value) >= decimal(v.min) && float64(value) <= decimal(v.max)
	case float64:
		return value >= decimal(v.min) && value <= decimal(v.max) // false for NaN
	case time.Duration:
		return value >= duration(v.min) && value <= duration(v.max)
	case toggle:
		return true
	}
	switch {
	case len(v.oneof) > 0:
		return slices.Contains(v.oneof, text)
	case v.kind == "url":
		return usable(text)
	}
	return !strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7F })
}

// decimal and duration read the tags, which a test has checked.
func decimal(tag string) float64 {
	f, _ := strconv.ParseFloat(tag, 64)
	return f
}

func duration(tag string) time.Duration {
	d, _ := time.ParseDuration(tag)
	return d
}

// usable reports whether an address can be the base of a server's endpoints.
func usable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}

// providers are the addresses of the model servers when there is a key and no address.
var providers = map[string]string{"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com/v1"}

// address reports whether a text is an address of one of the schemes, with a host.
func address(text string, schemes ...string) bool {
	u, err := url.Parse(text)
	return err == nil && slices.Contains(schemes, u.Scheme) && u.Hostname() != ""
}

// tolerance is for comparing scores, as everywhere in the agent.
const tolerance = 1e-9

// together checks what depends on several variables, and fills in the defaults that do.
func (c *checker) together(v *variables) {
	const (
		generate, evidence = prefix + "GENERATE_MIN_SCORE", prefix + "EVIDENCE_MIN_SCORE"
		model, base, key   = prefix + "LLM_MODEL", prefix + "LLM_BASE_URL", prefix + "LLM_API_KEY"
		fast, evaluator    = prefix + "LLM_FAST_MODEL", prefix + "EVALUATOR"
		embModel, embBase  = prefix + "EMBEDDING_MODEL", prefix + "EMBEDDING_BASE_URL"
		embKey             = prefix + "EMBEDDING_API_KEY"
	)
	provider := providers[v.LLMProvider]
	if !c.bad[generate] && !c.bad[evidence] && v.GenerateMinScore < v.EvidenceMinScore-tolerance {
		c.fault(generate, "has to be at least "+evidence+", which is "+strconv.FormatFloat(v.EvidenceMinScore, 'g', -1, 64))
	}
	const words, maxWords = prefix + "PASSAGE_WORDS", prefix + "PASSAGE_MAX_WORDS"
	if !c.bad[words] && !c.bad[maxWords] && v.PassageMaxWords < v.PassageWords {
		c.fault(maxWords, "has to be at least "+words+", which is "+strconv.Itoa(v.PassageWords))
	}
	if v.LLMModel == "" {
		c.needs(model, "the model is not used without its name", base, key, fast)
		if v.Evaluator == string(state.EvaluatorLLM) {
			c.needs(model, "the model cannot grade without its name", evaluator)
		}
	} else if v.LLMBaseURL == "" && !c.bad[base] {
		if v.LLMAPIKey == "" {
			c.fault(model, "needs "+base+" (for a local server), or "+key+" (for "+provider+")")
		}
		v.LLMBaseURL = provider
	}
	if v.EmbeddingModel == "" {
		c.needs(embModel, "embeddings are off without the name of their model", embBase, embKey)
	} else if v.EmbeddingBaseURL == "" && !c.bad[embBase] {
		c.fault(embModel, "needs "+embBase)
	}
	c.search(v)
	c.checks(v)
	c.web(v)
	c.notifications(v)
	if v.AuditLog == "" {
		v.AuditLog = filepath.Join(v.DataDir, "audit.jsonl")
	}
}

// needs reports those of the variables that are set, because they do nothing without the missing one.
func (c *checker) needs(missing, why string, set ...string) {
	for _, name := range set {
		if c.given[name].value != "" && !c.bad[name] {
			c.fault(name, "needs "+missing+": "+why)
		}
	}
}
