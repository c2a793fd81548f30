package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
)

func newHistory(g *global, std streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history THREAD",
		Short: "List the checkpoints of a conversation",
		Long: `history lists what a conversation went through, newest first. A star marks the checkpoints that the present state goes
back to; the others belong to branches that were left with fork.`,
		Example: `  kbagent history ops
  kbagent history ops --json`,
		Args: exactArgs("a conversation"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withArchive(cmd.Context(), g, std, func(a *archive) error {
				t, err := a.thread(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				list, err := checkpoints(cmd.Context(), t)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(std.out, struct {
						Thread      string             `json:"thread"`
						Checkpoints []graph.Checkpoint `json:"checkpoints"`
					}{args[0], list})
				}
				return printHistory(std.out, list)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func checkpoints(ctx context.Context, t *agent.Thread) ([]graph.Checkpoint, error) {
	list := []graph.Checkpoint{}
	for c, err := range t.History(ctx) {
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

func printHistory(w io.Writer, list []graph.Checkpoint) error {
	t := newTable("SEQ", "PARENT", "WHAT", "RUN", "STEP", "TIME", "NODES", "NEXT")
	for _, c := range list {
		t.row(mark(c), parent(c), string(c.Origin), fmt.Sprint(c.Run), fmt.Sprint(c.Step),
			c.At.Local().Format("2006-01-02 15:04:05"), strings.Join(c.Nodes, " "), following(c))
	}
	return t.print(w)
}

func mark(c graph.Checkpoint) string {
	if c.Current {
		return fmt.Sprintf("%d*", c.Seq)
	}
	return fmt.Sprint(c.Seq)
}

func parent(c graph.Checkpoint) string {
	if c.Parent == 0 {
		return "-"
	}
	return fmt.Sprint(c.Parent)
}

// following is what comes after a checkpoint.
func following(c graph.Checkpoint) string {
	if c.Done {
		return "END"
	}
	return strings.Join(c.Next, " ")
}
