package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/state"
)

// forked is what `fork --json` prints.
type forked struct {
	Thread string            `json:"thread"` // that has the new branch
	Fork   graph.Checkpoint  `json:"fork"`
	Edit   *graph.Checkpoint `json:"edit"` // null without --set
}

func newFork(g *global, std streams) *cobra.Command {
	var (
		at     int64
		to     string
		set    []string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "fork THREAD --at SEQ",
		Short: "Go back to a checkpoint of a conversation, and on from there",
		Long: `fork makes a checkpoint the present one again; resume goes on from there, and what was answered is asked again.
Nothing is lost: the old branch stays in the history. --set changes the state behind the fork, as if the node that ran
before it had said so: FIELD is a field of an update, JSON its value. --to leaves the conversation as it is and forks a
copy of it.`,
		Example: `  kbagent fork ops --at 3
  kbagent fork ops --at 3 --to ops-2 --set 'resolved_query="log rotation on Windows"'
  kbagent resume ops-2`,
		Args: exactArgs("a conversation"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("at") {
				return &usageError{fmt.Errorf("fork needs --at SEQ; `kbagent history %s` lists the checkpoints", args[0])}
			}
			u, err := parseUpdate(set)
			if err != nil {
				return &usageError{err}
			}
			return withArchive(cmd.Context(), g, std, func(a *archive) error {
				t, err := a.thread(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				f := forked{Thread: args[0]}
				if to != "" {
					f.Thread = to
				}
				if err := a.fork(cmd.Context(), t, &f, to != "", at, u); err != nil {
					return noCheckpoint(err, args[0], at)
				}
				if asJSON {
					return printJSON(std.out, f)
				}
				return printFork(std.out, f)
			})
		},
	}
	cmd.Flags().Int64Var(&at, "at", 0, "number of the checkpoint (required)")
	cmd.Flags().StringArrayVar(&set, "set", nil, "change a field of the state: FIELD=JSON; may be given several times")
	cmd.Flags().StringVar(&to, "to", "", "fork a copy with this name")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the new checkpoints as JSON")
	return cmd
}

// fork forks t, or a copy of it named f.Thread, and changes the state there unless u is nil.
func (a *archive) fork(ctx context.Context, t *agent.Thread, f *forked, copied bool, at int64, u *state.Update) error {
	if _, _, err := t.At(ctx, at); err != nil { // before anything is copied
		return err
	}
	if copied {
		if err := t.Copy(ctx, f.Thread); err != nil {
			return err
		}
	}
	target := a.agent.Thread(f.Thread)
	var err error
	if f.Fork, err = target.Fork(ctx, at); err != nil || u == nil {
		return err
	}
	edit, err := target.UpdateState(ctx, *u)
	f.Edit = &edit
	if err != nil {
		return fmt.Errorf("%s is forked at %d (checkpoint %d), but not changed: %w", f.Thread, at, f.Fork.Seq, err)
	}
	return nil
}

func printFork(w io.Writer, f forked) error {
	last := f.Fork
	if f.Edit != nil {
		last = *f.Edit
	}
	_, err := fmt.Fprintf(w, "%s is at checkpoint %d now, a fork of %d; next: %s\n", f.Thread, last.Seq, f.Fork.Parent, following(last))
	if err == nil && f.Fork.Discarded {
		_, err = fmt.Fprintln(w, "the unfinished step was given up")
	}
	if err == nil && !last.Done {
		_, err = fmt.Fprintf(w, "`kbagent resume %s` goes on from there\n", f.Thread)
	}
	return err
}
