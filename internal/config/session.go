package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ofQuestion are the variables that reach Config.Settings and nothing else: they can be others for each question.
var ofQuestion = []string{
	"MAX_ITERATIONS", "AUTO_APPROVE_MAX_ITEMS", "VECTOR_SCORE_THRESHOLD", "EVIDENCE_MIN_SCORE", "GENERATE_MIN_SCORE",
	"MAX_CONTEXT_ITEMS", "EVALUATOR", "ANSWER_MODE", "QUERY_EXPANSION", "ABSTENTION", "REFINE_CONTEXT", "WEB_SEARCH", "WEB_REPLACE",
	"VERIFY", "VERIFY_THRESHOLD", "VERIFY_MAX_ATTEMPTS", "VERIFY_FORMULA", "VERIFY_SHOW_CLAIMS", "CONFIDENCE", "CONFIDENCE_PASS",
	"CONFIDENCE_REVIEW", "CONFIDENCE_CORRECT", "CONFIDENCE_FLOOR_RELEVANCE", "CONFIDENCE_FLOOR_GROUNDING",
	"CONFIDENCE_FLOOR_CONSISTENCY", "CONFIDENCE_FLOOR_COMPLETENESS", "REVIEW", "LLM_MAX_CALLS", "LLM_MAX_TOKENS", "RUN_TIMEOUT",
}

// OfQuestion are the names of the variables that a single question can have values of its own for, in the order of [Names].
func OfQuestion() []string {
	return slices.DeleteFunc(Names(), func(name string) bool {
		return !slices.Contains(ofQuestion, strings.TrimPrefix(name, prefix))
	})
}

// SourceSession is the source of a value that [Config.With] has set.
const SourceSession = "session"

// ErrUnknown reports the name of a setting that does not exist.
var ErrUnknown = errors.New("there is no such setting")

// With is the configuration with other values of some variables, by their full names, checked with all others as [Load]
// does; an empty value is the default. The sources are not read again. c stays as it is. It returns ErrUnknown for a name
// that is none, with the nearest one, and a [*FaultsError] for a value that does not fit.
func (c Config) With(changes map[string]string) (Config, error) {
	given := settings{}
	maps.Copy(given, c.given)
	for name, value := range changes {
		if _, ok := lookup(name); !ok {
			return Config{}, unknown(name)
		}
		given[name] = setting{strings.TrimSpace(value), SourceSession}
	}
	vars, faults := parse(given)
	if len(faults) > 0 {
		return Config{}, &FaultsError{Faults: faults}
	}
	return vars.config(given), nil
}

func unknown(name string) error {
	if meant := nearest(name); meant != "" {
		return fmt.Errorf("%w: %s; did you mean %s?", ErrUnknown, name, meant)
	}
	return fmt.Errorf("%w: %s", ErrUnknown, name)
}
