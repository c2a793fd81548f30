package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/review"
)

// reviewStats is what `review stats --json` prints.
type reviewStats struct {
	review.Stats
	Proposal *review.Thresholds `json:"proposal,omitempty"`
}

func newReviewStats(g *global, std streams, asJSON *bool) *cobra.Command {
	var (
		propose  bool
		accuracy float64
	)
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show how reviews go, and what they say about the thresholds",
		Long: `stats counts reviews, deadlines and verdicts, and compares the verdicts with the confidence of the answers. --propose works
out thresholds (KB_AGENT_CONFIDENCE_PASS and _REVIEW) from the verdicts; with too few of them it says how many it takes.`,
		Example: `  kbagent review stats
  kbagent review stats --propose --accuracy 0.95`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !(accuracy > 0 && accuracy < 1) {
				return &usageError{fmt.Errorf("--accuracy lies between 0 and 1, not %v", accuracy)}
			}
			return withReviews(cmd.Context(), g, std, func(r *reviews) error {
				s, err := r.stats(cmd.Context(), propose, accuracy)
				if err != nil {
					return err
				}
				if *asJSON {
					return printJSON(std.out, s)
				}
				return s.print(std.out)
			})
		},
	}
	cmd.Flags().BoolVar(&propose, "propose", false, "propose thresholds from the verdicts")
	cmd.Flags().Float64Var(&accuracy, "accuracy", 0.9, "share of right answers that passing asks for")
	return cmd
}

func (r *reviews) stats(ctx context.Context, propose bool, accuracy float64) (s reviewStats, err error) {
	if s.Stats, err = r.queue.Stats(ctx, r.cfg.Settings.ConfidencePass); err != nil || !propose {
		return s, err
	}
	t, err := r.queue.Propose(ctx, accuracy)
	s.Proposal = &t
	return s, err
}

func (s reviewStats) print(w io.Writer) error {
	var b strings.Builder
	var counts []string
	for _, status := range review.Statuses() {
		counts = append(counts, fmt.Sprintf("%d %s", s.ByStatus[status], status))
	}
	fmt.Fprintf(&b, "reviews:     %d: %s\n", s.Total, strings.Join(counts, ", "))
	if s.Damaged > 0 {
		fmt.Fprintf(&b, "damaged:     %d more cannot be read\n", s.Damaged)
	}
	fmt.Fprintf(&b, "deadlines:   %d met, %d missed, %d open and overdue\n", s.SLA.Met, s.SLA.Missed, s.SLA.Overdue)
	if decided := s.SLA.Met + s.SLA.Missed; decided == 0 {
		b.WriteString("decisions:   none yet\n")
	} else {
		fmt.Fprintf(&b, "decisions:   half within %s, 95 %% within %s\n", seconds(s.DecisionP50), seconds(s.DecisionP95))
	}
	for _, a := range s.Accuracy {
		fmt.Fprintf(&b, "confidence:  %.2f–%.2f: %s right\n", a.From, a.To, part(a.Approved, a.Verdicts, a.Accuracy))
	}
	f := s.False
	fmt.Fprintf(&b, "would pass:  %s of the wrong answers, at %v and above\n", part(f.FalsePositive, f.Wrong, f.PositiveRate), f.Threshold)
	fmt.Fprintf(&b, "would not:   %s of the right answers\n", part(f.FalseNegative, f.Right, f.NegativeRate))
	if p := s.Proposal; p != nil {
		fmt.Fprintf(&b, "\nproposal from %d verdicts, for %v of the answers that pass to be right:\n", p.Verdicts, p.Accuracy)
		fmt.Fprintf(&b, "KB_AGENT_CONFIDENCE_PASS=%v    %s\n", p.Pass, p.PassBasis)
		if p.Review != nil {
			fmt.Fprintf(&b, "KB_AGENT_CONFIDENCE_REVIEW=%v  below it %s\n", *p.Review, p.LowBasis)
		} else {
			fmt.Fprintln(&b, p.ReviewNote)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func part(n, of int, share *float64) string {
	if share == nil {
		return "0 of 0"
	}
	return fmt.Sprintf("%d of %d (%.0f %%)", n, of, 100**share)
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Second)
}

func newReviewNotify(g *global, std streams, asJSON *bool) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "notify",
		Short: "Send the notifications that are due",
		Long: `notify sends what waits in the outbox and is due; --all sends what waits for another attempt too. Other commands do the
same by the way, for a short time. Exit code 1 when a notification failed; it stays in the outbox.`,
		Example: "  kbagent review notify --all",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withReviews(cmd.Context(), g, std, func(r *reviews) error {
				return r.notify(cmd.Context(), std, all, *asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also what is to be tried again later")
	return cmd
}

func (r *reviews) notify(ctx context.Context, std streams, all, asJSON bool) error {
	if all {
		if err := r.queue.Hasten(ctx); err != nil {
			return err
		}
	}
	d, err := r.queue.Deliver(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		err = printJSON(std.out, d)
	} else {
		_, err = fmt.Fprintf(std.out, "%d sent, %d failed, %d waiting\n", d.Sent, len(d.Failures), d.Waiting)
	}
	if err != nil {
		return err
	}
	for _, n := range d.Failures {
		fmt.Fprintf(std.err, "kbagent: %s\n", mask.TerminalLine(fmt.Sprintf("review %s: %s", n.Entry, noticeText(n))))
	}
	if d.Waiting > 0 && r.cfg.Review.WebhookURL == "" && r.cfg.SMTP.Host == "" {
		return fmt.Errorf("notifications wait, and none is configured: set KB_AGENT_REVIEW_WEBHOOK_URL or KB_AGENT_SMTP_HOST")
	}
	if len(d.Failures) > 0 {
		return exitCode(exitError)
	}
	return nil
}
