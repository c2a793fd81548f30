package main

import (
	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent/scenarios"
)

func newScenarioSchema(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of scenario files, for editors",
		Long: `schema prints the JSON schema (draft 2020-12) of the agent's scenario files. Editors with a YAML language server complete and
check a file that names it in its first line: # yaml-language-server: $schema=scenario.schema.json`,
		Example: "  kbagent scenario schema > scenario.schema.json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := std.out.Write(scenarios.Schema())
			return err
		},
	}
}
