package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/review"
)

// A deciding is what the commands that change a review share: who does it, and how it is told.
type deciding struct {
	g      *global
	std    streams
	asJSON *bool
	as     string
	cmd    *cobra.Command // that has --as
}

// flag adds --as.
func (d *deciding) flag(cmd *cobra.Command) {
	d.cmd = cmd
	cmd.Flags().StringVar(&d.as, "as", "", "name of the reviewer (default KB_AGENT_REVIEWER, or the user of this machine)")
}

// run changes the review that a person has named, lets happen what follows, and prints the review.
func (d *deciding) run(ctx context.Context, typed string, change func(r *reviews, id, reviewer string) (review.Entry, error)) error {
	return withReviews(ctx, d.g, d.std, func(r *reviews) error {
		reviewer := d.as // an empty name is refused like any other that is none
		if !d.cmd.Flags().Changed("as") {
			reviewer = r.cfg.Review.Reviewer
		}
		if reviewer == "" && !d.cmd.Flags().Changed("as") {
			var err error
			if reviewer, err = defaultReviewer(); err != nil {
				return err
			}
		}
		e, err := r.find(ctx, typed)
		if err != nil {
			return err
		}
		if e, err = change(r, e.ID, reviewer); err != nil {
			return usageOf(err)
		}
		if err := d.print(e); err != nil {
			return err
		}
		if !e.Status.Final() {
			return nil
		}
		if err := settleReviews(ctx, r.base, r.queue); err != nil {
			return fmt.Errorf("the decision is stored, but not everything that follows is done; the next review command tries again: %w", err)
		}
		return nil
	})
}

func (d *deciding) print(e review.Entry) error {
	if *d.asJSON {
		return printJSON(d.std.out, masked(e))
	}
	_, err := fmt.Fprintln(d.std.out, mask.TerminalLine(decided(e)))
	return err
}

// decided is where a review stands, in one line.
func decided(e review.Entry) string {
	what := fmt.Sprintf("%s is %s", e.ID, e.Status)
	if e.Reviewer != "" {
		what += " by " + e.Reviewer
	}
	if e.SLAMet != nil && !*e.SLAMet {
		what += ", after the deadline"
	}
	return what
}

func newReviewClaim(g *global, std streams, asJSON *bool) *cobra.Command {
	d := &deciding{g: g, std: std, asJSON: asJSON}
	cmd := &cobra.Command{
		Use:     "claim ID",
		Short:   "Take a review, so that nobody else decides it",
		Example: "  kbagent review claim k3x7 --as ada",
		Args:    exactArgs("the id of a review"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.run(cmd.Context(), args[0], func(r *reviews, id, reviewer string) (review.Entry, error) {
				return r.queue.Claim(cmd.Context(), id, reviewer)
			})
		},
	}
	d.flag(cmd)
	return cmd
}

func newReviewRelease(g *global, std streams, asJSON *bool) *cobra.Command {
	d := &deciding{g: g, std: std, asJSON: asJSON}
	cmd := &cobra.Command{
		Use:     "release ID",
		Short:   "Give a review back that was claimed",
		Example: "  kbagent review release k3x7 --as ada",
		Args:    exactArgs("the id of a review"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.run(cmd.Context(), args[0], func(r *reviews, id, reviewer string) (review.Entry, error) {
				return r.queue.Release(cmd.Context(), id, reviewer)
			})
		},
	}
	d.flag(cmd)
	return cmd
}

func newReviewApprove(g *global, std streams, asJSON *bool) *cobra.Command {
	d := &deciding{g: g, std: std, asJSON: asJSON}
	decision := review.Decision{Status: review.Approved}
	cmd := &cobra.Command{
		Use:     "approve ID",
		Short:   "The answer is right",
		Example: "  kbagent review approve k3x7 --rating 5",
		Args:    exactArgs("the id of a review"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.decide(cmd, args[0], decision)
		},
	}
	d.decisionFlags(cmd, &decision)
	return cmd
}

func newReviewReject(g *global, std streams, asJSON *bool) *cobra.Command {
	d := &deciding{g: g, std: std, asJSON: asJSON}
	decision := review.Decision{Status: review.Rejected}
	cmd := &cobra.Command{
		Use:     "reject ID --notes TEXT",
		Short:   "The answer is wrong; the notes say why",
		Example: `  kbagent review reject k3x7 --notes "this is about the old version"`,
		Args:    exactArgs("the id of a review"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return d.decide(cmd, args[0], decision)
		},
	}
	d.decisionFlags(cmd, &decision)
	return cmd
}

func newReviewCorrect(g *global, std streams, asJSON *bool) *cobra.Command {
	d := &deciding{g: g, std: std, asJSON: asJSON}
	decision := review.Decision{Status: review.Corrected}
	var file string
	cmd := &cobra.Command{
		Use:   "correct ID --answer TEXT | --answer-file FILE",
		Short: "Give the right answer, which becomes part of the knowledge base",
		Example: `  kbagent review correct k3x7 --answer "Logs are kept for nine days."
  kbagent review correct k3x7 --answer-file - < answer.md`,
		Args: exactArgs("the id of a review"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if (decision.Corrected == "") == (file == "") {
				return &usageError{errors.New("correct takes either --answer or --answer-file")}
			}
			if file != "" {
				if decision.Corrected, err = readAnswerFile(std.in, file); err != nil {
					return err
				}
			}
			return d.decide(cmd, args[0], decision)
		},
	}
	cmd.Flags().StringVar(&decision.Corrected, "answer", "", "the right answer, as Markdown")
	cmd.Flags().StringVar(&file, "answer-file", "", "file with the right answer; - reads standard input")
	d.decisionFlags(cmd, &decision)
	return cmd
}

func (d *deciding) decisionFlags(cmd *cobra.Command, decision *review.Decision) {
	cmd.Flags().StringVar(&decision.Notes, "notes", "", "what whoever asked should know")
	cmd.Flags().IntVar(&decision.Rating, "rating", 0, "how good the answer was, 1 to 5 (default none)")
	d.flag(cmd)
}

func (d *deciding) decide(cmd *cobra.Command, typed string, decision review.Decision) error {
	if cmd.Flags().Changed("rating") && decision.Rating == 0 {
		return &usageError{errors.New("a rating is 1 to 5, not 0")}
	}
	return d.run(cmd.Context(), typed, func(r *reviews, id, reviewer string) (review.Entry, error) {
		decision.Reviewer = reviewer
		return r.queue.Decide(cmd.Context(), id, decision)
	})
}

// maxAnswerFile is how many bytes a corrected answer has at most.
const maxAnswerFile = 1 << 20

// readAnswerFile reads the corrected answer.
func readAnswerFile(stdin io.Reader, name string) (string, error) {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxAnswerFile+1))
	if err != nil {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	if len(data) > maxAnswerFile {
		return "", fmt.Errorf("the answer in %s is longer than a megabyte", name)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff")), nil
}
