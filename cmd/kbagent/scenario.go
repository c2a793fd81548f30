package main

import (
	"github.com/spf13/cobra"
)

func newScenario(g *global, std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scenario",
		Short: "Scripted tests of the agent's transitions: run, write, check and record them",
		Example: `  kbagent scenario run agent/scenarios --coverage
  kbagent scenario run my.yaml --update
  kbagent scenario record --thread ops -o ops.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newScenarioRun(std), newScenarioNew(std), newScenarioRecord(g, std), newScenarioLint(std), newScenarioSchema(std))
	return cmd
}
