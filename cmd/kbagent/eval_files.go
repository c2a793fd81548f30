package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/eval"
)

// evalFiles are the files that `kbagent eval` reads and writes beside its table.
type evalFiles struct {
	cases    string // written: how each case came out
	baseline string // read: such a file of another configuration
	report   string // written: a folder with a report
}

func (f *evalFiles) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.cases, "json-cases", "", "write how each case came out to this file, as JSON lines")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "compare case by case with such a file")
	cmd.Flags().StringVar(&f.report, "report", "", "write a report with plots (Markdown, SVG) into this folder")
}

// open reads the baseline.
func (f evalFiles) open() ([]eval.Case, error) {
	if f.baseline == "" {
		return nil, nil
	}
	return eval.ReadCases(f.baseline)
}

// finish compares the results with the baseline, prints that, and writes the files.
func (f evalFiles) finish(w io.Writer, asJSON bool, baseline []eval.Case, results []eval.Result) error {
	var now []eval.Case
	for _, r := range results {
		now = append(now, r.Cases...)
	}
	var differences []eval.Difference
	if f.baseline != "" {
		differences = eval.Compare(baseline, now)
		if err := printDifferences(w, asJSON, differences); err != nil {
			return err
		}
	}
	if f.cases != "" {
		if err := writeCases(f.cases, now); err != nil {
			return err
		}
	}
	if f.report == "" {
		return nil
	}
	return eval.WriteReport(f.report, results, differences)
}

func printDifferences(w io.Writer, asJSON bool, list []eval.Difference) error {
	if asJSON {
		for _, d := range list {
			if err := printJSON(w, d); err != nil {
				return err
			}
		}
		return nil
	}
	t := newTable("SET", "METRIC", "CASES", "BASELINE", "NOW", "DIFFERENCE", "95 %", "P")
	for _, d := range list {
		t.row(d.Set, d.Metric, strconv.Itoa(d.N), fmt.Sprintf("%.3f", d.Baseline), fmt.Sprintf("%.3f", d.Now), fmt.Sprintf("%+.3f", d.Delta),
			fmt.Sprintf("%+.3f to %+.3f", d.Interval[0], d.Interval[1]), fmt.Sprintf("%.3f", d.P))
	}
	if _, err := io.WriteString(w, "\ncompared with the baseline, case by case:\n"); err != nil {
		return err
	}
	return t.print(w)
}

func writeCases(path string, list []eval.Case) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the cases: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return eval.WriteCases(file, list)
}
