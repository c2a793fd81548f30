package tools

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"

	"github.com/kbagent/kbagent/state"
)

//go:embed grep.md
var grepDoc string

// GrepLimit is the most excerpts that grep returns.
const GrepLimit = 20

// GrepArgs are the arguments of grep.
type GrepArgs struct {
	Pattern string `json:"pattern" jsonschema:"a regular expression in RE2 syntax"`
}

// Grep is grep: the lines that match a regular expression, with 10 lines around each.
func Grep(lib Library) Tool {
	const name = "grep"
	return New(name, grepDoc, state.ScoreNone, func(ctx context.Context, a GrepArgs) (Result, error) {
		if a.Pattern == "" {
			return Result{}, &Error{Code: CodeBadArguments, Message: "grep: pattern is empty"}
		}
		if _, err := regexp.Compile(a.Pattern); err != nil {
			return Result{}, &Error{Code: CodeBadArguments, Message: fmt.Sprintf("grep: %q is no regular expression: %v", a.Pattern, err)}
		}
		hits, err := lib.Grep(ctx, a.Pattern, GrepLimit)
		if err != nil {
			return Result{}, err
		}
		return found(name, hits, fmt.Sprintf("no line matches %q; try a shorter pattern or keyword_search", a.Pattern)), nil
	})
}
