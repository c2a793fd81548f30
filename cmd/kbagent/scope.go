package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// scopeFlags choose a part of the knowledge base.
type scopeFlags struct {
	collections []string
	paths       []string
}

func (f *scopeFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.collections, "collection", nil, "only from these collections: names separated by commas (see collections)")
	cmd.Flags().StringArrayVar(&f.paths, "path", nil, "only from files that match this pattern, like '*.md' or 'docs/**' (repeatable)")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return f.check(cmd) }
}

// check refuses empty values: a script whose variable is not set must not search everything.
func (f *scopeFlags) check(cmd *cobra.Command) error {
	for name, values := range map[string][]string{"collection": f.collections, "path": f.paths} {
		if cmd.Flags().Changed(name) && (len(values) == 0 || slices.Contains(values, "")) {
			return &usageError{fmt.Errorf("--%s is empty: leave it out to take everything", name)}
		}
	}
	return nil
}

// scope is the part as a run keeps it.
func (f *scopeFlags) scope() state.Scope {
	return state.Scope{Collections: strings.Join(f.collections, ","), Paths: strings.Join(f.paths, "\n")}
}

// within is the part of an index that a run is bound to.
func within(ix *index.Index, scope state.Scope) *index.Index {
	return ix.Within(tools.FilterOf(tools.WithScope(context.Background(), scope)))
}

// needFiles refuses a part of the knowledge base that does not exist or holds no file.
func needFiles(ctx context.Context, ix *index.Index, scope state.Scope) error {
	if scope == (state.Scope{}) {
		return nil
	}
	files, err := within(ix, scope).Files(ctx, "")
	switch {
	case errors.Is(err, index.ErrNoCollection), errors.Is(err, index.ErrPattern):
		return &usageError{err}
	case err != nil:
		return err
	case len(files) > 0:
		return nil
	}
	where := ""
	if scope.Collections != "" {
		where = " in " + scope.Collections
	}
	if scope.Paths != "" {
		where += " that matches " + strings.ReplaceAll(scope.Paths, "\n", " or ")
	}
	return fmt.Errorf("there is no file%s: `kbagent collections` lists what there is", where)
}

// checkCollect refuses what cannot be put into a collection.
func checkCollect(name string, args []string, remove bool) error {
	switch err := index.CheckCollectionName(name); {
	case err != nil:
		return &usageError{fmt.Errorf("--collection: %w", err)}
	case remove:
		return &usageError{errors.New("--remove takes files out of all collections: leave --collection out")}
	case len(args) == 0:
		return &usageError{errors.New("--collection needs the folder or file that goes into it")}
	}
	return nil
}
