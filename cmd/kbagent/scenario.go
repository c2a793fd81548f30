package main

import (
	"github.com/spf13/cobra"
)

func newScenario(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scenario",
		Short: "Scripted tests of the agent's transitions: run, write, check and record them",
		Example: `  kbagent scenario run agent/scenarios --coverage
  kbagent scenario run my.yaml --update`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newScenarioRun(std))
	return cmd
}
