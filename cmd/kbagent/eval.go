package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/eval"
)

func newEval(g *global, std streams) *cobra.Command {
	var cfg eval.Config
	var asJSON bool
	var files evalFiles
	cmd := &cobra.Command{
		Use:   "eval TASK",
		Short: "Measure a part of the program on data sets",
		Long: `eval measures one part of the program on data sets that lie in a folder, DIR/SET/PART/*.jsonl, and prints a table, or with
--json one object a set: task, set, part, n, config, metrics, intervals (95 %, 1,000 bootstrap resamples with a fixed
seed), elapsed_ms. The tasks are ` + strings.Join(eval.Tasks(), ", ") + `. Exit code 2: there is no such task, set, part or folder.`,
		Example: `  kbagent eval grounding --data eval --part dev
  kbagent eval parsing --data eval --part dev --set object --json
  kbagent eval retrieval --data eval --json-cases before.jsonl   # then change something
  kbagent eval retrieval --data eval --baseline before.jsonl --report report`,
		Args: oneTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg.Task = args[0]
			baseline, err := files.open()
			if err != nil {
				return evalError(err)
			}
			var results []eval.Result
			err = eval.Run(cmd.Context(), cfg, func(r eval.Result) error {
				results = append(results, r)
				if asJSON {
					return printJSON(std.out, r)
				}
				return nil
			})
			if err == nil && !asJSON {
				err = printResults(std.out, results)
			}
			if err == nil {
				err = files.finish(std.out, asJSON, baseline, results)
			}
			return evalError(err)
		},
	}
	cmd.Flags().StringVar(&cfg.Data, "data", "", "folder of the data sets")
	cmd.Flags().StringVar(&cfg.Part, "part", "dev", "dev or heldout")
	cmd.Flags().StringVar(&cfg.Set, "set", "", "one set of the task (default all)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a set")
	files.flags(cmd)
	cmd.AddCommand(newEvalFit(std), newEvalStudy(std), newEvalCorpus(std), newEvalSpeed(g, std))
	return cmd
}

// newEvalFit makes the weights that packages verify and rules hold.
func newEvalFit(std streams) *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:    "fit [grounding|grading|sufficiency|extraction]",
		Short:  "Fit the weights of the lexical verifier, grader or extractor on the development data",
		Hidden: true,
		Args:   cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := fitReport(cmd.Context(), data, args)
			if err != nil {
				return evalError(err)
			}
			_, err = io.WriteString(std.out, report)
			return err
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder of the data sets")
	return cmd
}

func fitReport(ctx context.Context, data string, args []string) (string, error) {
	if len(args) == 1 && args[0] != "grounding" {
		return eval.FitLexical(ctx, data, args[0])
	}
	report, err := eval.Fit(ctx, data)
	return report.String(), err
}

func oneTask(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return &usageError{fmt.Errorf("%s needs one task: %s", cmd.CommandPath(), strings.Join(eval.Tasks(), ", "))}
}

// evalError makes a wrong task, set, part or folder a wrong use of the command.
func evalError(err error) error {
	var usage *eval.UsageError
	if errors.As(err, &usage) {
		return &usageError{err}
	}
	return err
}

func printResults(w io.Writer, list []eval.Result) error {
	t := newTable("SET", "CASES", "METRIC", "VALUE", "95 %", "MS")
	for _, r := range list {
		addResult(t, r)
	}
	return t.print(w)
}

// addResult adds a line a metric; the set, its cases and the time stand in the first.
func addResult(t *table, r eval.Result) {
	set, cases, ms := r.Set, strconv.Itoa(r.N), strconv.FormatFloat(r.ElapsedMS, 'f', 0, 64)
	for _, name := range slices.Sorted(maps.Keys(r.Metrics)) {
		interval := ""
		if i, ok := r.Intervals[name]; ok {
			interval = fmt.Sprintf("%.3f–%.3f", i[0], i[1])
		}
		t.row(set, cases, name, eval.Figure(name, r.Metrics[name]), interval, ms)
		set, cases, ms = "", "", ""
	}
}
