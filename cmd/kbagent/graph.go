package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
)

func newGraph(std streams) *cobra.Command {
	var format string
	var machine bool
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Draw the agent's graph, or its corrective machine",
		Example: `  kbagent graph
  kbagent graph --format mermaid > graph.mmd
  kbagent graph --machine --format dot | dot -Tsvg > machine.svg`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			topology, err := picture(machine)
			if err != nil {
				return err
			}
			draw, ok := map[string]func() string{"ascii": topology.ASCII, "mermaid": topology.Mermaid, "dot": topology.DOT}[format]
			if !ok {
				return &usageError{fmt.Errorf("--format is ascii, mermaid or dot, not %q", format)}
			}
			_, err = fmt.Fprint(std.out, draw())
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "ascii", "ascii, mermaid or dot")
	cmd.Flags().BoolVar(&machine, "machine", false, "draw the table of the corrective machine instead of the graph")
	return cmd
}

func picture(machine bool) (graph.Topology, error) {
	if machine {
		return agent.MachineTopology(), nil
	}
	a, err := agent.New(agent.Config{Nodes: nodes.Config{Audit: nodes.Discard{}, Library: noLibrary{}}})
	if err != nil {
		return graph.Topology{}, err
	}
	return a.Topology(), nil
}

// noLibrary is the knowledge base of an agent that is only drawn.
type noLibrary struct{}

func (noLibrary) NamedFiles(context.Context, string) ([]string, error) { return nil, nil }
func (noLibrary) HasVectors() bool                                     { return false }
func (noLibrary) DocFreq(context.Context, []string) (map[string]int, int, error) {
	return nil, 0, nil
}
