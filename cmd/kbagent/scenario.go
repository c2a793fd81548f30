package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/scenario"
)

func newScenario(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "scenario",
		Short:   "Scripted tests of the agent's transitions",
		Example: "  kbagent scenario run agent/scenarios --coverage",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newScenarioRun(std))
	return cmd
}

func newScenarioRun(std streams) *cobra.Command {
	var coverage, asJSON, verbose bool
	cmd := &cobra.Command{
		Use:   "run FILE|DIR…",
		Short: "Run scenario files and show what differs",
		Long: `run plays each scenario of the files in a world of its own, with scripted replies of the model and results of tools, and
compares what was seen with what the file expects. It reports which edges of the graph and which rows of the corrective
machine were taken; with --coverage less than all of them is a failure. Exit codes: 0 all passed, 1 something failed,
2 wrong usage.`,
		Example: `  kbagent scenario run agent/scenarios
  kbagent scenario run my.yaml --json`,
		Args: someArgs("a scenario file or folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for i := range args {
				args[i] = filepath.Clean(args[i])
			}
			subject := scenarios.Subject()
			list, err := scenario.Load[scenarios.Given, scenarios.When, scenarios.Observation](args...)
			if err != nil {
				return err
			}
			report := scenario.Run(cmd.Context(), subject, list, scenario.Options{})
			if asJSON {
				err = printJSON(std.out, report)
			} else {
				err = report.Write(std.out, verbose)
			}
			switch {
			case err != nil:
				return err
			case report.Failed > 0:
				return exitCode(exitError)
			case coverage && !report.Coverage.Complete():
				return errors.New("the scenarios do not take everything that is built: see what is missing above")
			case len(list) == 0:
				return fmt.Errorf("no scenarios in %v", args)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&coverage, "coverage", false, "fail unless every edge and every row of the machine was taken")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "list the scenarios that passed too")
	return cmd
}
