package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/internal/mask"
)

// threadDetails is what `threads show --json` prints.
type threadDetails struct {
	threadLine
	Step        int               `json:"step"`
	Next        []string          `json:"next"` // nodes that run next
	Checkpoints int               `json:"checkpoints"`
	Forks       int               `json:"forks"`
	Questions   []graph.Interrupt `json:"questions"` // that the run waits for
}

func newThreadsShow(g *global, std streams, asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use:     "show THREAD",
		Short:   "Show where a conversation stands",
		Example: "  kbagent threads show ops",
		Args:    exactArgs("a conversation"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withArchive(cmd.Context(), g, std, func(a *archive) error {
				t, err := a.thread(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				d, err := details(cmd.Context(), args[0], t)
				if err != nil {
					return err
				}
				if *asJSON {
					return printJSON(std.out, d)
				}
				return d.print(std.out)
			})
		},
	}
}

func details(ctx context.Context, id string, t *agent.Thread) (threadDetails, error) {
	head, err := t.Head(ctx)
	if err != nil {
		return threadDetails{}, err
	}
	list, err := checkpoints(ctx, t)
	if err != nil {
		return threadDetails{}, err
	}
	d := threadDetails{
		threadLine: newThreadLine(id, head), Step: head.Step, Next: append([]string{}, head.Next...),
		Checkpoints: len(list), Questions: append([]graph.Interrupt{}, head.Interrupts...),
	}
	for _, c := range list {
		if c.Origin == graph.FromFork {
			d.Forks++
		}
	}
	return d, nil
}

func (d threadDetails) print(w io.Writer) error {
	next := "END"
	if !d.Done {
		next = strings.Join(d.Next, " ")
	}
	for _, line := range [][2]string{
		{"thread", d.Thread}, {"status", d.status()}, {"question", d.Question}, {"next", next},
		{"messages", fmt.Sprint(d.Messages)}, {"checkpoints", fmt.Sprintf("%d, the last is %d", d.Checkpoints, d.Seq)}, {"forks", fmt.Sprint(d.Forks)},
	} {
		if _, err := fmt.Fprintf(w, "%-12s %s\n", line[0]+":", mask.TerminalLine(line[1])); err != nil {
			return err
		}
	}
	return printQuestions(w, d.Thread, d.Questions)
}
