package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/internal/near"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// threadLine is a conversation as `threads --json` prints it.
type threadLine struct {
	Thread   string `json:"thread"`
	Seq      int64  `json:"seq"`  // of its last checkpoint
	Done     bool   `json:"done"` // false: `resume` goes on with it
	Waits    int    `json:"waits"`
	Question string `json:"question"` // the last one
	Messages int    `json:"messages"`
	Error    string `json:"error,omitzero"` // why it cannot be read; the other fields but thread and seq are empty then
}

func newThreads(g *global, std streams) *cobra.Command {
	var asJSON bool
	list := func(cmd *cobra.Command, _ []string) error {
		return withArchive(cmd.Context(), g, std, func(a *archive) error {
			lines, err := a.list(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(std.out, struct {
					Threads []threadLine `json:"threads"`
				}{lines})
			}
			return printThreads(std.out, lines)
		})
	}
	cmd := &cobra.Command{
		Use:   "threads",
		Short: "List conversations; show, copy, prune and delete them",
		Long: `threads lists the conversations of the data directory: the number of the last checkpoint, whether the last question
has its answer, and the question. history shows what is in one of them.`,
		Example: `  kbagent threads
  kbagent threads show ops
  kbagent threads copy ops ops-before
  kbagent threads prune ops --keep 20`,
		Args: noArgs,
		RunE: list,
	}
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List all conversations", Example: "  kbagent threads list --json", Args: noArgs, RunE: list},
		newThreadsShow(g, std, &asJSON), newThreadsCopy(g, std, &asJSON), newThreadsDelete(g, std, &asJSON), newThreadsPrune(g, std, &asJSON),
	)
	return cmd
}

// archive is the conversations of a data directory, without what answering takes.
type archive struct {
	*base
	agent *agent.Agent
}

// withArchive opens the conversations for as long as do runs.
func withArchive(ctx context.Context, g *global, std streams, do func(*archive) error) error {
	b, err := openBase(ctx, g, std)
	if err != nil {
		return err
	}
	a, err := agent.New(agent.Config{Nodes: nodes.Config{Audit: nodes.Discard{}, Library: noLibrary{}}, Store: b.checkpoints(), Settings: b.cfg.Settings})
	if err == nil {
		err = do(&archive{b, a})
	}
	return errors.Join(err, b.close())
}

// list reads the head of every conversation.
func (a *archive) list(ctx context.Context) ([]threadLine, error) {
	lines := []threadLine{}
	for info, err := range a.checkpoints().Threads(ctx) {
		if err != nil {
			return nil, err
		}
		head, err := a.agent.Thread(info.Thread).Head(ctx)
		line := newThreadLine(info.Thread, head)
		if row := new(graph.RowError); errors.As(err, &row) {
			line.Seq, line.Error = info.Seq, row.Error()
		} else if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func newThreadLine(id string, head graph.Head[state.AgentState]) threadLine {
	return threadLine{
		Thread: id, Seq: head.Seq, Done: head.Done, Waits: len(head.Interrupts),
		Question: mask.Cards(head.State.Question), Messages: len(head.State.Messages),
	}
}

// thread is a conversation that exists, even if it cannot be read; the error for one that does not says what was meant.
func (a *archive) thread(ctx context.Context, id string) (*agent.Thread, error) {
	t := a.agent.Thread(id)
	head, err := t.Head(ctx)
	switch row := new(graph.RowError); {
	case head.Exists, errors.As(err, &row):
		return t, nil
	case err != nil:
		return nil, err
	}
	var ids []string
	for info, err := range a.checkpoints().Threads(ctx) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, info.Thread)
	}
	hint := "`kbagent threads` lists them"
	if n := near.Nearest(id, ids, 2); n != "" {
		hint = fmt.Sprintf("did you mean %q?", n)
	}
	return nil, fmt.Errorf("%w: %q; %s", graph.ErrNoThread, id, hint)
}

func (l *threadLine) status() string {
	switch {
	case l.Error != "":
		return "damaged"
	case l.Done:
		return "done"
	case l.Waits > 0:
		return "waits"
	default:
		return "unfinished"
	}
}

func printThreads(w io.Writer, lines []threadLine) error {
	if len(lines) == 0 {
		_, err := fmt.Fprintln(w, "no conversations yet")
		return err
	}
	t := newTable("THREAD", "SEQ", "STATUS", "LAST QUESTION")
	for _, l := range lines {
		t.row(l.Thread, fmt.Sprint(l.Seq), l.status(), shorten(cmp.Or(l.Error, l.Question), 60))
	}
	return t.print(w)
}

// shorten cuts a text to n characters on one line.
func shorten(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return string(r)
}

// exactArgs wants the arguments that are named.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return &usageError{fmt.Errorf("%s takes %s (see %s --help)", cmd.CommandPath(), strings.Join(names, " and "), cmd.CommandPath())}
		}
		return nil
	}
}
