package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/internal/metrics"
)

func newStats(g *global, std streams) *cobra.Command {
	var (
		since              string
		filter             metrics.Filter
		asJSON, prometheus bool
	)
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show what the audit log says about all questions so far",
		Long: `stats counts the lines of the audit log: how runs ended, what was judged relevant, how often something was corrected and
whether that helped, tools, model calls, reviews. The numbers are those that --metrics serves to Prometheus; percentiles are
estimated from the same buckets. Damaged lines are counted and passed over.
With --since, of a run that began earlier only its later lines count.`,
		Example: `  kbagent stats
  kbagent stats --since 24h
  kbagent stats --since 7d --json
  kbagent stats --prometheus > /var/lib/node_exporter/kbagent.prom`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON && prometheus {
				return &usageError{errors.New("--json and --prometheus are two forms of the same: give one")}
			}
			var err error
			if filter.Since, err = sinceTime(since, time.Now()); err != nil {
				return &usageError{err}
			}
			cfg, err := loadConfig(g)
			if err != nil {
				return err
			}
			s, err := readStats(cmd.Context(), cfg, filter)
			if err != nil {
				return err
			}
			if prometheus {
				return s.collector.WriteText(std.out)
			}
			return s.print(std, asJSON)
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "only what happened in the last so long, like 90m, 24h or 7d (default everything)")
	cmd.Flags().StringVar(&filter.Thread, "thread", "", "only this conversation")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&prometheus, "prometheus", false, "print Prometheus' text format")
	return cmd
}

// sinceTime is the moment that a time like 24h or 7d ago was; the zero time for "".
func sinceTime(ago string, now time.Time) (time.Time, error) {
	if ago == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(ago, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	d, err := time.ParseDuration(ago)
	if err != nil || d <= 0 {
		return time.Time{}, fmt.Errorf("--since is a time like 90m, 24h or 7d, not %q", ago)
	}
	return now.Add(-d), nil
}

// stats is what the audit log says.
type stats struct {
	path      string
	tally     metrics.Tally
	collector *metrics.Collector
}

// readStats reads the audit log that the settings name.
func readStats(ctx context.Context, cfg config.Config, filter metrics.Filter) (stats, error) {
	s := stats{path: cfg.AuditLog, collector: metrics.New(metrics.Options{PassThreshold: cfg.Settings.ConfidencePass})}
	file, err := os.Open(cfg.AuditLog)
	if errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("there is no audit log %s: it begins with the first question", cfg.AuditLog)
	}
	if err != nil {
		return s, fmt.Errorf("the audit log cannot be opened: %w", err)
	}
	defer file.Close()
	if s.tally, err = metrics.Read(ctx, file, filter, s.collector); err != nil {
		return s, fmt.Errorf("the audit log %s cannot be read: %w", cfg.AuditLog, err)
	}
	return s, nil
}

func (s stats) print(std streams, asJSON bool) error {
	report, err := s.collector.Report()
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(std.out, struct {
			Log string `json:"log"`
			metrics.Tally
			metrics.Report
		}{s.path, s.tally, report})
	}
	fmt.Fprintln(std.out, s.heading(report))
	if s.tally.Damaged > 0 {
		fmt.Fprintf(std.err, "note: lines of the audit log that are damaged and do not count: %d\n", s.tally.Damaged)
	}
	for _, part := range report.Tables() {
		fmt.Fprintln(std.out)
		t := newTable(part.Heads...)
		for _, cells := range part.Rows {
			t.row(cells...)
		}
		if err := t.print(std.out); err != nil {
			return err
		}
	}
	return nil
}

// heading says what was counted.
func (s stats) heading(r metrics.Report) string {
	text := fmt.Sprintf("%s: %s", mask.TerminalLine(s.path), lines(s.tally.Lines))
	if !r.From.IsZero() {
		const layout = "2006-01-02 15:04:05"
		text += fmt.Sprintf(" from %s to %s", r.From.Local().Format(layout), r.To.Local().Format(layout))
	}
	if s.tally.Skipped > 0 {
		text += fmt.Sprintf(", %d left out", s.tally.Skipped)
	}
	return text
}

func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}
