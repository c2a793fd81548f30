package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/scenario"
)

// lintReport is what `scenario lint --json` prints.
type lintReport struct {
	Errors   int                `json:"errors"`
	Warnings int                `json:"warnings"`
	Findings []scenario.Finding `json:"findings"`
}

func newScenarioLint(std streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "lint FILE|DIR…",
		Short: "Look for mistakes in scenario files that running them does not show",
		Long: `lint finds unknown keys and values of a wrong type, claims that stand twice, scenarios that expect nothing, expectations
that cannot fail or cannot be met, names of nodes, actions, roles and tools that do not exist (with the nearest one), scripted
replies that nobody asks for, and turns behind the end of a run. Whether the expectations are met does not matter: that is
what run is for. The exit code is 1 when there are errors.`,
		Example: `  kbagent scenario lint agent/scenarios
  kbagent scenario lint my.yaml --json`,
		Args: someArgs("a scenario file or folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for i := range args {
				args[i] = filepath.Clean(args[i])
			}
			findings, err := scenario.Lint(cmd.Context(), scenarios.Subject(), scenario.Options{}, args...)
			if err != nil {
				return err
			}
			r := lintReport{Findings: append([]scenario.Finding{}, findings...)}
			for _, f := range findings {
				if f.Severity == scenario.Err {
					r.Errors++
				} else {
					r.Warnings++
				}
			}
			if asJSON {
				err = printJSON(std.out, r)
			} else {
				err = r.print(std.out)
			}
			if err == nil && r.Errors > 0 {
				return exitCode(exitError)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return cmd
}

func (r lintReport) print(w io.Writer) error {
	for _, f := range r.Findings {
		if _, err := fmt.Fprintf(w, "%s:%d:%d: %s: %s (%s)\n", f.File, f.Line, f.Column, f.Severity, mask.Terminal(f.Text), f.Rule); err != nil {
			return err
		}
		if f.Excerpt == "" {
			continue
		}
		if _, err := fmt.Fprintln(w, mask.Terminal(f.Excerpt)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d errors, %d warnings\n", r.Errors, r.Warnings)
	return err
}
