package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/index"
)

// fill gives an empty knowledge base its first documents: the manual when that is asked for, else on a terminal what the
// person in front of it names. It returns a line that says what was taken.
func (a *assistant) fill(ctx context.Context, std streams, manual, interactive bool) (string, error) {
	switch {
	case manual:
		return "this is the manual of kbagent; `kbagent index PATH` adds your documents", a.indexManual(ctx, std)
	case !interactive:
		return "", a.emptyError()
	}
	fmt.Fprintf(std.err, `Welcome to kbagent. It answers questions over your documents and shows the lines that each answer stands in.
The knowledge base in %s is still empty.

`, a.cfg.DataDir)
	return a.firstDocuments(ctx, person{std.in, std.err}, std)
}

// emptyError says what to do about an empty knowledge base.
func (a *assistant) emptyError() error {
	return fmt.Errorf("the knowledge base in %s is empty: run `kbagent index PATH` first, or `kbagent chat --manual` to talk to the built-in manual", a.cfg.DataDir)
}

// firstDocuments asks until there are passages.
func (a *assistant) firstDocuments(ctx context.Context, p person, std streams) (string, error) {
	for {
		answer, err := p.ask(ctx, "Folder or file to index (Enter takes the manual of kbagent)", "")
		switch {
		case errors.Is(err, errInputEnded):
			return "", a.emptyError()
		case err != nil:
			return "", err
		case answer == "":
			return a.fill(ctx, std, true, true)
		}
		path, err := namedFolder(answer)
		if err != nil {
			fmt.Fprintln(p.out, err)
			continue
		}
		found, err := a.indexFirst(ctx, path, p, std)
		if found || err != nil {
			return fmt.Sprintf("`kbagent index %s` brings it up to date after changes", path), err
		}
	}
}

// indexFirst indexes a path and says what came of it; found is false when there was nothing to find passages in.
func (a *assistant) indexFirst(ctx context.Context, path string, p person, std streams) (found bool, err error) {
	report, err := updateIndex(ctx, a.index, []string{path}, std, true, index.UpdateOptions{})
	if err != nil {
		return false, err
	}
	if err := printReport(p.out, report); err != nil {
		return false, err
	}
	for _, e := range report.Errors {
		fmt.Fprintf(p.out, "not read: %s: %s\n", e.Path, e.Error)
	}
	stats, err := a.index.Stats(ctx)
	if err == nil && stats.Passages == 0 {
		fmt.Fprintf(p.out, "nothing in %s could be indexed; docs/formats.md lists what can be\n", path)
	}
	return stats.Passages > 0, err
}

// start is kbagent without a command: on a terminal where nothing is set up yet the chat, which asks for documents, else
// the help.
func start(cmd *cobra.Command, g *global, std streams) error {
	cfg, err := loadConfig(g)
	if err != nil || hasDatabase(cfg) || !isTerminal(std.in) || !isTerminal(std.out) {
		return cmd.Help()
	}
	return runChat(cmd.Context(), g, std, chatFlags{})
}
