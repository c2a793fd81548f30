package main

import (
	"context"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/eval"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/state"
)

// argumentValues complete the placeholders of usage lines.
func argumentValues(g *global) map[string]cobra.CompletionFunc {
	return map[string]cobra.CompletionFunc{
		"THREAD":     stored(g, threadIDs),
		"ID":         stored(g, reviewIDs),
		"COLLECTION": stored(g, collectionNames),
		"NAME":       promptNames,
		"TASK":       words(eval.Tasks()...),
		"PATH":       files,
		"FILE":       files,
		"DIR":        folders,
	}
}

// flagValues complete the values of flags, by their names. A flag that is not here completes to files, as shells do.
func flagValues(g *global) map[string]cobra.CompletionFunc {
	statuses := []string{"open", "all"}
	for _, s := range review.Statuses() {
		statuses = append(statuses, string(s))
	}
	values := map[string]cobra.CompletionFunc{
		"data": folders, "data-dir": folders, "report": folders, "folder": folders,
		"server":     words(presetNames()...),
		"collection": stored(g, collectionNames),
		"format":     words("ascii", "mermaid", "dot"),
		"mode":       words(string(state.ModeStrict), string(state.ModeBestEffort), string(state.ModeOpen)),
		"part":       words("dev", "heldout"),
		"stages":     words("core", "all"),
		"status":     words(statuses...),
		"thread":     stored(g, threadIDs),
		"tool":       words("keyword", "vector", "hybrid"),
	}
	for _, free := range []string{"answer", "as", "ask", "at", "base-url", "claim", "concurrency", "embedding-base-url", "embedding-model", "env", "filter", "guards", "keep", "limit", "max-iterations", "metrics", "model", "notes", "older-than", "parallel", "path", "rating", "since", "timeout", "to"} {
		values[free] = nothing
	}
	return values
}

// words completes to fixed values, which hold no spaces.
func words(list ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder)
}

func nothing(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func files(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

func folders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func promptNames(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list []cobra.Completion
	for _, p := range (nodes.Prompts{}).List() {
		list = append(list, p.Name)
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

const (
	completionTime = 2 * time.Second // for whoever waits behind the Tab key
	completionMost = 200             // values; a longer list helps nobody
)

// stored completes to what the database holds. Without a database there is nothing, and none is made. An error has no
// place to be shown: it goes where cobra's scripts put such things, into the file that BASH_COMP_DEBUG_FILE names.
func stored(g *global, list func(context.Context, *base) iter.Seq2[string, error]) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		found, err := complete(ctx, g, list, args, word)
		if err != nil {
			cobra.CompErrorln(err.Error())
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// complete lists what begins with word and is not in args yet.
func complete(ctx context.Context, g *global, list func(context.Context, *base) iter.Seq2[string, error], args []string, word string) (found []cobra.Completion, err error) {
	cfg, err := loadConfig(g)
	if err != nil {
		return nil, err
	}
	if !hasDatabase(cfg) {
		return nil, nil
	}
	b, err := openConfigured(ctx, cfg, slog.New(slog.DiscardHandler), tapeFiles{})
	if err != nil {
		return nil, err
	}
	defer b.close() //nolint:errcheck // only read from
	for name, err := range list(ctx, b) {
		if err != nil {
			return found, err
		}
		if strings.HasPrefix(name, word) && !slices.Contains(args, name) && mask.TerminalLine(name) == name {
			found = append(found, name)
		}
		if len(found) == completionMost {
			break
		}
	}
	return found, nil
}

// hasDatabase says whether the data directory holds a database; opening one would make it.
func hasDatabase(cfg config.Config) bool {
	_, err := os.Stat(filepath.Join(cfg.DataDir, databaseFile))
	return err == nil
}

func threadIDs(ctx context.Context, b *base) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for t, err := range b.checkpoints().Threads(ctx) {
			if !yield(t.Thread, err) {
				return
			}
		}
	}
}

func reviewIDs(ctx context.Context, b *base) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for e, err := range b.reviews().List(ctx, review.Filter{}) {
			if !yield(e.ID, err) {
				return
			}
		}
	}
}
