package tools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/kbagent/kbagent/state"
)

//go:embed list_files.md
var listFilesDoc string

// ListLimit is the most paths that list_files names; it says how many it left out.
const ListLimit = 200

// ListArgs are the arguments of list_files.
type ListArgs struct {
	Pattern string `json:"pattern,omitempty" jsonschema:"a glob such as **/*.md; default all files"`
}

// ListFiles is list_files: the paths of the knowledge base, as a note for the plan. A list is no evidence.
func ListFiles(lib Library) Tool {
	return New("list_files", listFilesDoc, state.ScoreNone, func(ctx context.Context, a ListArgs) (Result, error) {
		files, err := lib.Files(ctx, a.Pattern)
		if err != nil {
			return Result{}, err
		}
		if len(files) == 0 {
			return Result{Note: fmt.Sprintf("no_results: no file matches %q; leave the pattern out to see all", a.Pattern)}, nil
		}
		var b strings.Builder
		for _, f := range files[:min(len(files), ListLimit)] {
			fmt.Fprintf(&b, "%s (%d lines)\n", f.Path, f.Lines)
		}
		if more := len(files) - ListLimit; more > 0 {
			fmt.Fprintf(&b, "… and %d more: use a narrower pattern\n", more)
		}
		return Result{Note: b.String()}, nil
	})
}
