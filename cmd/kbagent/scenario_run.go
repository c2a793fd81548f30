package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/scenario"
)

// agentScenario is a scenario of the agent.
type agentScenario = scenario.Scenario[scenarios.Given, scenarios.When]

// scenarioRun is the flags of `scenario run`.
type scenarioRun struct {
	coverage, asJSON, verbose bool
	update, yes, watch        bool
	parallel                  int
	filter, junit             string
	timeout                   time.Duration
}

func newScenarioRun(std streams) *cobra.Command {
	var r scenarioRun
	cmd := &cobra.Command{
		Use:   "run FILE|DIR…",
		Short: "Run scenario files and show what differs",
		Long: `run plays each scenario of the files in a world of its own, with scripted replies of the model and results of tools, and
compares what was seen with what the file expects. It reports which edges of the graph and which rows of the corrective
machine were taken; with --coverage less than all of them is a failure. The report is in the order of the files, whatever
runs first. --update shows what failing scenarios would have to expect, asks, and writes it into the files: comments and
order stay, and what is given and asked is never touched. Exit codes: 0 all passed, 1 something failed, 2 wrong usage.`,
		Example: `  kbagent scenario run agent/scenarios
  kbagent scenario run agent/scenarios --filter 'quarantine|cap' --verbose
  kbagent scenario run my.yaml --update
  kbagent scenario run my.yaml --watch
  kbagent scenario run agent/scenarios --junit report.xml --json`,
		Args: someArgs("a scenario file or folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for i := range args {
				args[i] = filepath.Clean(args[i])
			}
			if err := r.check(); err != nil {
				return &usageError{err}
			}
			if r.watch {
				return r.again(cmd.Context(), std, args)
			}
			return r.run(cmd.Context(), std, args)
		},
	}
	cmd.Flags().BoolVar(&r.coverage, "coverage", false, "fail unless every edge and every row of the machine was taken")
	cmd.Flags().BoolVar(&r.asJSON, "json", false, "print the report as JSON")
	cmd.Flags().BoolVarP(&r.verbose, "verbose", "v", false, "list the scenarios that passed too")
	cmd.Flags().StringVar(&r.filter, "filter", "", "run only scenarios whose claim, or \"file: claim\", matches this regular expression")
	cmd.Flags().IntVar(&r.parallel, "parallel", 0, "scenarios that run at once (default the number of processors)")
	cmd.Flags().DurationVar(&r.timeout, "timeout", 30*time.Second, "for each scenario")
	cmd.Flags().StringVar(&r.junit, "junit", "", "write the report to this file as JUnit XML, too")
	cmd.Flags().BoolVar(&r.update, "update", false, "rewrite the expectations of failing scenarios to what was seen, after a question")
	cmd.Flags().BoolVar(&r.yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&r.watch, "watch", false, "run again when a file changes, until Ctrl-C")
	return cmd
}

// check refuses flags that do not fit together.
func (r scenarioRun) check() error {
	switch {
	case r.parallel < 0:
		return fmt.Errorf("--parallel is at least 1, not %d", r.parallel)
	case r.timeout <= 0:
		return fmt.Errorf("--timeout is more than 0, not %s", r.timeout)
	case r.yes && !r.update:
		return errors.New("--yes belongs to --update")
	case r.watch && (r.update || r.asJSON):
		return errors.New("--watch goes neither with --update nor with --json")
	}
	if _, err := regexp.Compile(r.filter); err != nil {
		return fmt.Errorf("--filter: %w", err)
	}
	return nil
}

func (r scenarioRun) options() scenario.Options {
	return scenario.Options{Parallel: r.parallel, Timeout: r.timeout}
}

// run runs the scenarios once.
func (r scenarioRun) run(ctx context.Context, std streams, paths []string) error {
	list, err := r.load(paths)
	if err != nil {
		return err
	}
	started := time.Now()
	report := scenario.Run(ctx, scenarios.Subject(), list, r.options())
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.print(std, report, started); err != nil {
		return err
	}
	switch {
	case report.Failed > 0 && r.update:
		return r.rewrite(ctx, std, list, report)
	case report.Failed > 0:
		return exitCode(exitError)
	case r.coverage && !report.Coverage.Complete():
		return errors.New("the scenarios do not take everything that is built: see what is missing above")
	}
	return nil
}

// load reads the scenarios that are wanted. None at all is an error: it is a mistake in the filter or in the path.
func (r scenarioRun) load(paths []string) ([]agentScenario, error) {
	all, err := scenario.Load[scenarios.Given, scenarios.When, scenarios.Observation](paths...)
	if err != nil {
		return nil, err
	}
	list := all
	if r.filter != "" {
		list = scenario.Filter(all, regexp.MustCompile(r.filter))
	}
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("no scenarios in %v", paths)
	case len(list) == 0:
		return nil, fmt.Errorf("none of the %d scenarios matches --filter %q", len(all), r.filter)
	}
	return list, nil
}

// print writes the report in all forms that were asked for.
func (r scenarioRun) print(std streams, report scenario.Report, started time.Time) error {
	if r.junit != "" {
		if err := writeFile(r.junit, func(f *os.File) error { return report.JUnit(f, started) }); err != nil {
			return fmt.Errorf("--junit: %w", err)
		}
	}
	if r.asJSON {
		return printJSON(std.out, report)
	}
	var text strings.Builder
	if err := report.Write(&text, r.verbose); err != nil {
		return err
	}
	_, err := io.WriteString(std.out, mask.Terminal(text.String())) // claims and texts come from files of others
	return err
}

// writeFile makes or replaces a file.
func writeFile(path string, write func(*os.File) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
