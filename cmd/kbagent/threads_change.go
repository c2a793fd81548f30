package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
)

func newThreadsCopy(g *global, std streams, asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use:     "copy THREAD NEW",
		Short:   "Copy a conversation with all its checkpoints",
		Example: "  kbagent threads copy ops ops-before",
		Args:    exactArgs("the conversation", "the name of the copy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withArchive(cmd.Context(), g, std, func(a *archive) error {
				t, err := a.thread(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if err := t.Copy(cmd.Context(), args[1]); err != nil {
					return err
				}
				if *asJSON {
					return printJSON(std.out, struct {
						Thread string `json:"thread"`
						Copy   string `json:"copy"`
					}{args[0], args[1]})
				}
				_, err = fmt.Fprintf(std.out, "copied %s to %s\n", args[0], args[1])
				return err
			})
		},
	}
}

func newThreadsDelete(g *global, std streams, asJSON *bool) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete THREAD…",
		Short: "Delete conversations",
		Long:  "delete removes conversations with all their checkpoints, for good. It asks first; without a terminal it wants --yes.",
		Example: `  kbagent threads delete ops
  kbagent threads delete ops q3k7 --yes`,
		Args: someArgs("at least one conversation"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withArchive(cmd.Context(), g, std, func(a *archive) error {
				var threads []*agent.Thread
				for _, id := range args {
					t, err := a.thread(cmd.Context(), id)
					if err != nil {
						return err
					}
					threads = append(threads, t)
				}
				if err := confirm(cmd.Context(), std, yes, "delete "+strings.Join(args, ", ")); err != nil {
					return err
				}
				for _, t := range threads {
					if err := t.Delete(cmd.Context()); err != nil {
						return err
					}
				}
				if *asJSON {
					return printJSON(std.out, struct {
						Deleted []string `json:"deleted"`
					}{args})
				}
				_, err := fmt.Fprintf(std.out, "deleted %s\n", strings.Join(args, ", "))
				return err
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// prunedLine is what `threads prune --json` says of one conversation.
type prunedLine struct {
	Thread string `json:"thread"`
	graph.Pruned
}

func newThreadsPrune(g *global, std streams, asJSON *bool) *cobra.Command {
	var (
		keep   graph.Keep
		age    string
		all    bool
		yes    bool
		dryRun bool
	)
	cmd := &cobra.Command{
		Use:   "prune THREAD… | --all",
		Short: "Remove old checkpoints of conversations",
		Long: `prune removes checkpoints, never the present state of a conversation or its open questions. A checkpoint stays when
--keep or --older-than wants it to; what stays can be shown and forked as before. It asks first; without a terminal it
wants --yes.`,
		Example: `  kbagent threads prune ops --keep 20
  kbagent threads prune --all --older-than 30d --yes
  kbagent threads prune ops --branches --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 0) != all {
				return &usageError{errors.New("prune takes either conversations or --all")}
			}
			var err error
			if keep.Younger, err = parseAge(age); err != nil {
				return &usageError{err}
			}
			if cmd.Flags().Changed("keep") && keep.Last < 1 {
				return &usageError{fmt.Errorf("--keep must be at least 1, not %d", keep.Last)}
			}
			if keep.Last == 0 && keep.Younger == 0 && !keep.OneBranch {
				return &usageError{errors.New("prune needs --keep, --older-than or --branches")}
			}
			return withArchive(cmd.Context(), g, std, func(a *archive) error {
				promised, err := a.prune(cmd.Context(), args, keep, true)
				if err != nil {
					return err
				}
				if dryRun || total(promised) == 0 {
					return printPruned(std.out, promised, "would remove", *asJSON)
				}
				if err := confirm(cmd.Context(), std, yes, fmt.Sprintf("remove %d checkpoints of %d conversations", total(promised), len(promised))); err != nil {
					return err
				}
				done, err := a.prune(cmd.Context(), args, keep, false)
				if err != nil {
					return err
				}
				return printPruned(std.out, done, "removed", *asJSON)
			})
		},
	}
	cmd.Flags().IntVar(&keep.Last, "keep", 0, "how many of the newest checkpoints stay")
	cmd.Flags().StringVar(&age, "older-than", "", "remove checkpoints that are older, for instance 12h or 30d")
	cmd.Flags().BoolVar(&keep.OneBranch, "branches", false, "remove other branches too")
	cmd.Flags().BoolVar(&all, "all", false, "all conversations")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be removed")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// prune prunes the named conversations, or all.
func (a *archive) prune(ctx context.Context, ids []string, keep graph.Keep, dryRun bool) ([]prunedLine, error) {
	keep.DryRun = dryRun
	if len(ids) == 0 {
		for info, err := range a.checkpoints().Threads(ctx) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, info.Thread)
		}
	}
	lines := []prunedLine{}
	for _, id := range ids {
		t, err := a.thread(ctx, id)
		if err != nil {
			return nil, err
		}
		done, err := t.Prune(ctx, keep)
		if err != nil {
			return nil, err
		}
		lines = append(lines, prunedLine{id, done})
	}
	return lines, nil
}

func total(lines []prunedLine) (n int) {
	for _, l := range lines {
		n += l.Entries
	}
	return n
}

func printPruned(w io.Writer, lines []prunedLine, did string, asJSON bool) error {
	if asJSON {
		return printJSON(w, struct {
			Pruned []prunedLine `json:"pruned"`
		}{lines})
	}
	if total(lines) == 0 {
		_, err := fmt.Fprintln(w, "there is nothing to remove")
		return err
	}
	for _, l := range lines {
		if l.Entries == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s: %s %d checkpoints (%d bytes)\n", l.Thread, did, l.Entries, l.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// parseAge reads a duration; d stands for 24 hours. "" is 0.
func parseAge(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	var d time.Duration
	var err error
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(n) * 24 * time.Hour
	} else {
		d, err = time.ParseDuration(s)
	}
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("--older-than is a time like 12h or 30d, not %q", s)
	}
	return d, nil
}

// errDeclined says that a person has thought better of it.
var errDeclined = errors.New("nothing was changed")

// confirm asks on the terminal whether to do it. Without one only yes will do.
func confirm(ctx context.Context, std streams, yes bool, what string) error {
	if yes {
		return nil
	}
	if !isTerminal(std.in) || !isTerminal(std.err) {
		return &usageError{fmt.Errorf("to %s without a terminal takes --yes", what)}
	}
	return askPerson(ctx, std.in, std.err, what)
}

// askPerson puts the question to a person: yes or y agree.
func askPerson(ctx context.Context, in io.Reader, out io.Writer, what string) error {
	ok, err := person{in, out}.agrees(ctx, strings.ToUpper(what[:1])+what[1:]+"?", false)
	if err != nil && !errors.Is(err, errInputEnded) {
		return err
	}
	if !ok {
		return errDeclined
	}
	return nil
}
