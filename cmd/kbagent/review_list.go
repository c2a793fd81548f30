package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/internal/near"
	"github.com/kbagent/kbagent/review"
)

// reviewLine is an entry as `review list --json` prints it.
type reviewLine struct {
	review.Entry
	URL     string `json:"review_url"`
	Overdue bool   `json:"overdue"`
	Error   string `json:"error,omitzero"` // why it cannot be read; only id counts then
}

func newReviewList(g *global, std streams, asJSON *bool) *cobra.Command {
	var (
		status  string
		overdue bool
		limit   int
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List reviews, the most urgent first",
		Example: `  kbagent review list
  kbagent review list --overdue
  kbagent review list --status corrected --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			statuses, err := parseStatuses(status)
			if err != nil {
				return err
			}
			if limit < 0 {
				return &usageError{fmt.Errorf("--limit is at least 0, not %d", limit)}
			}
			return withReviews(cmd.Context(), g, std, func(r *reviews) error {
				f := review.Filter{Statuses: statuses, Limit: limit}
				if overdue {
					f.OverdueAt = r.queue.Now()
				}
				lines, err := r.list(cmd.Context(), f)
				if err != nil {
					return err
				}
				if *asJSON {
					return printJSON(std.out, struct {
						Reviews []reviewLine `json:"reviews"`
					}{lines})
				}
				return printReviews(std.out, lines, r.queue.Now())
			})
		},
	}
	cmd.Flags().StringVar(&status, "status", "open", "open, all, pending, in_review, approved, corrected or rejected")
	cmd.Flags().BoolVar(&overdue, "overdue", false, "only those whose deadline has passed")
	cmd.Flags().IntVar(&limit, "limit", 0, "at most so many (default all)")
	return cmd
}

// parseStatuses reads --status.
func parseStatuses(name string) ([]review.Status, error) {
	switch name {
	case "all":
		return nil, nil
	case "", "open":
		return []review.Status{review.Pending, review.InReview}, nil
	}
	names := []string{"open", "all"}
	for _, s := range review.Statuses() {
		if names = append(names, string(s)); name == string(s) {
			return []review.Status{s}, nil
		}
	}
	hint := ""
	if n := near.Nearest(name, names, 3); n != "" {
		hint = fmt.Sprintf("; did you mean %q?", n)
	}
	return nil, &usageError{fmt.Errorf("--status is %s, not %q%s", strings.Join(names, ", "), name, hint)}
}

func (r *reviews) list(ctx context.Context, f review.Filter) ([]reviewLine, error) {
	lines := []reviewLine{}
	for e, err := range r.queue.List(ctx, f) {
		if err != nil && !errors.Is(err, review.ErrDamaged) {
			return nil, err
		}
		line := reviewLine{Entry: masked(e), URL: r.queue.URL(e.ID), Overdue: e.Overdue(r.queue.Now())}
		if err != nil {
			line = reviewLine{Entry: review.Entry{ID: e.ID}, Error: err.Error()}
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func printReviews(w io.Writer, lines []reviewLine, now time.Time) error {
	if len(lines) == 0 {
		_, err := fmt.Fprintln(w, "no reviews")
		return err
	}
	t := newTable("ID", "PRIORITY", "STATUS", "DUE", "CONFIDENCE", "QUESTION")
	for _, l := range lines {
		if l.Error != "" {
			t.row(l.ID, "", "damaged", "", "", shorten(l.Error, 60))
			continue
		}
		status := string(l.Status)
		if l.Status == review.InReview {
			status += " by " + l.Reviewer
		}
		t.row(l.ID, string(l.Priority), status, due(l.Entry, now), confidenceOf(l.Entry), shorten(l.Question, 60))
	}
	return t.print(w)
}

// due says how much time is left, or whether there was enough.
func due(e review.Entry, now time.Time) string {
	left := e.Deadline.Sub(now).Round(time.Minute)
	switch {
	case e.SLAMet != nil && *e.SLAMet:
		return "in time"
	case e.SLAMet != nil:
		return "too late"
	case e.Overdue(now):
		return "overdue by " + short(-left)
	default:
		return "in " + short(left)
	}
}

// short is a duration of whole minutes without its seconds.
func short(d time.Duration) string { return strings.TrimSuffix(d.String(), "0s") + zero(d) }

func zero(d time.Duration) string {
	if d == 0 {
		return "0m"
	}
	return ""
}

func confidenceOf(e review.Entry) string {
	if !e.HasConfidence {
		return "-"
	}
	return fmt.Sprintf("%.2f", e.Confidence)
}

// reviewDetails is what `review show --json` prints.
type reviewDetails struct {
	reviewLine
	Notices []review.Notice `json:"notices"`
}

func newReviewShow(g *global, std streams, asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "Show one review with all about it",
		Example: "  kbagent review show k3x7",
		Args:    exactArgs("the id of a review"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withReviews(cmd.Context(), g, std, func(r *reviews) error {
				e, err := r.find(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				notices, err := r.queue.Notices(cmd.Context(), e.ID)
				if err != nil {
					return err
				}
				d := reviewDetails{
					reviewLine{Entry: masked(e), URL: r.queue.URL(e.ID), Overdue: e.Overdue(r.queue.Now())}, append([]review.Notice{}, notices...),
				}
				if *asJSON {
					return printJSON(std.out, d)
				}
				return d.print(std.out, r.queue.Now())
			})
		},
	}
}

func (d reviewDetails) print(w io.Writer, now time.Time) error {
	var b strings.Builder
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-12s %s\n", name+":", mask.TerminalLine(value))
		}
	}
	status := string(d.Status)
	if d.Reviewer != "" {
		status += " by " + d.Reviewer
	}
	field("review", d.ID)
	field("status", status)
	field("due", d.Deadline.Format(time.RFC3339)+", "+due(d.Entry, now))
	field("priority", string(d.Priority))
	field("mode", string(d.Mode))
	field("confidence", confidenceOf(d.Entry))
	field("category", d.Category)
	field("thread", d.Thread)
	if strings.HasPrefix(d.URL, "http") {
		field("address", d.URL)
	}
	for _, n := range d.Notices {
		field("notice", noticeText(n))
	}
	section := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s\n  %s\n", name, strings.ReplaceAll(strings.TrimSpace(mask.Terminal(text)), "\n", "\n  "))
		}
	}
	section("Question", d.Question)
	section("Answer", d.Answer)
	var sources []string
	for _, s := range d.Sources {
		sources = append(sources, s.String())
	}
	section("Sources", strings.Join(sources, "\n"))
	section("Concerns", strings.Join(d.Concerns, "\n"))
	section("Corrected answer", d.Corrected)
	section("Notes", d.Notes)
	_, err := io.WriteString(w, b.String())
	return err
}

func noticeText(n review.Notice) string {
	switch {
	case !n.SentAt.IsZero():
		return fmt.Sprintf("%s sent at %s", n.Channel, n.SentAt.Format(time.RFC3339))
	case n.Dropped != "":
		return fmt.Sprintf("%s not sent: %s", n.Channel, n.Dropped)
	case n.LastError != "":
		return fmt.Sprintf("%s failed %d times, again from %s: %s", n.Channel, n.Attempts, n.Due.Format(time.RFC3339), n.LastError)
	default:
		return n.Channel + " waits"
	}
}
