package main

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/internal/near"
	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/review/notify"
)

// deliverLimit is how long a command that does something else sends notifications.
const deliverLimit = 3 * time.Second

func newReview(g *global, std streams) *cobra.Command {
	var asJSON bool
	list := newReviewList(g, std, &asJSON)
	cmd := &cobra.Command{
		Use:   "review",
		Short: "Look at doubtful answers and decide on them",
		Long: `review works on the queue of answers that a person is to look at (KB_AGENT_REVIEW). Ids may be cut short as long as they
are unique. A corrected answer becomes part of the knowledge base. Without a subcommand it lists what is open.`,
		Example: `  kbagent review list --overdue
  kbagent review show k3x7
  kbagent review claim k3x7
  kbagent review correct k3x7 --answer "Logs are kept for nine days."`,
		Args: noArgs,
		RunE: list.RunE,
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(
		list, newReviewShow(g, std, &asJSON), newReviewClaim(g, std, &asJSON), newReviewRelease(g, std, &asJSON),
		newReviewApprove(g, std, &asJSON), newReviewCorrect(g, std, &asJSON), newReviewReject(g, std, &asJSON),
		newReviewStats(g, std, &asJSON), newReviewNotify(g, std, &asJSON),
	)
	return cmd
}

// reviews is a base with its review queue.
type reviews struct {
	*base
	queue *review.Queue
}

// notifier is a way to tell people of reviews, which can be tried without telling anything.
type notifier interface {
	review.Notifier
	Check(ctx context.Context) error
}

// notifiers are those that the settings name.
func notifiers(cfg config.Config) (list []notifier, err error) {
	if url := cfg.Review.WebhookURL; url != "" {
		n, err := notify.NewWebhook(notify.WebhookConfig{URL: url, Mask: mask.Cards})
		if err != nil {
			return nil, fmt.Errorf("KB_AGENT_REVIEW_WEBHOOK_URL: %w", err)
		}
		list = append(list, n)
	}
	if m := cfg.SMTP; m.Host != "" {
		n, err := notify.NewSMTP(notify.SMTPConfig{
			Host: m.Host, Port: m.Port, User: m.User, Password: m.Password, From: m.From, To: m.To, Mask: mask.Cards,
		})
		if err != nil {
			return nil, fmt.Errorf("KB_AGENT_SMTP_*: %w", err)
		}
		list = append(list, n)
	}
	return list, nil
}

// reviewQueue is the queue that the settings describe.
func reviewQueue(b *base) (*review.Queue, error) {
	opts := review.Options{SLA: b.cfg.Review.SLA, BaseURL: b.cfg.Review.BaseURL}
	list, err := notifiers(b.cfg)
	if err != nil {
		return nil, err
	}
	if b.traffic.replays() {
		list = nil
	}
	for _, n := range list {
		opts.Notifiers = append(opts.Notifiers, n)
	}
	return review.New(b.reviews(), opts)
}

// withReviews opens the queue for as long as do runs. Before that it makes up for what a process that was killed has left
// behind, and after it sends what is due; neither keeps do from its work.
func withReviews(ctx context.Context, g *global, std streams, do func(*reviews) error) error {
	b, err := openBase(ctx, g, std)
	if err != nil {
		return err
	}
	q, err := reviewQueue(b)
	if err != nil {
		return errors.Join(err, b.close())
	}
	if err := settleReviews(ctx, b, q); err != nil {
		b.log.Warn("review_not_settled", "error", err)
	}
	err = do(&reviews{b, q})
	deliverReviews(ctx, b, q)
	return errors.Join(err, b.close())
}

// deliverReviews sends the notifications that are due, within a short time. What fails waits in the outbox.
func deliverReviews(ctx context.Context, b *base, q *review.Queue) {
	ctx, cancel := context.WithTimeout(ctx, deliverLimit)
	defer cancel()
	d, err := q.Deliver(ctx)
	if err != nil {
		b.log.Warn("review_outbox", "error", err)
	}
	for _, n := range d.Failures {
		b.log.Warn("review_notification_failed", "review", n.Entry, "channel", n.Channel, "attempt", n.Attempts, "again_at", n.Due, "error", n.LastError)
	}
}

// send sends what is due beside what else happens: a conversation may go on for hours after its review was queued.
func (a *assistant) send(ctx context.Context) {
	a.sending.Go(func() { deliverReviews(context.WithoutCancel(ctx), a.base, a.queue) })
}

// find is the entry whose id is, or begins with, what a person has typed; the error for none says what was meant.
func (r *reviews) find(ctx context.Context, typed string) (review.Entry, error) {
	prefix := strings.ToLower(strings.TrimSpace(typed))
	if prefix == "" {
		return review.Entry{}, &usageError{errors.New("the id of a review is not empty")}
	}
	e, err := r.queue.Get(ctx, prefix)
	if !errors.Is(err, review.ErrNotFound) {
		return e, err
	}
	var all, fits []string
	for e, err := range r.queue.List(ctx, review.Filter{}) {
		if err != nil && !errors.Is(err, review.ErrDamaged) {
			return review.Entry{}, err
		}
		if all = append(all, e.ID); strings.HasPrefix(e.ID, prefix) {
			fits = append(fits, e.ID)
		}
	}
	switch {
	case len(fits) == 1:
		return r.queue.Get(ctx, fits[0])
	case len(fits) > 1:
		return review.Entry{}, fmt.Errorf("%q could be %s", prefix, strings.Join(fits, ", "))
	}
	hint := "`kbagent review list --status all` lists them"
	if n := near.Nearest(prefix, all, 2); n != "" {
		hint = fmt.Sprintf("did you mean %q?", n)
	}
	return review.Entry{}, fmt.Errorf("%w; %s", err, hint)
}

// defaultReviewer is who decides when nobody is named: the user of this machine.
func defaultReviewer() (string, error) {
	u, err := user.Current()
	if err != nil {
		return "", &usageError{fmt.Errorf("who reviews? name somebody with --as: %w", err)}
	}
	return u.Username, nil
}

// usageOf makes what the queue does not take a wrong usage.
func usageOf(err error) error {
	if errors.Is(err, review.ErrInvalid) {
		return &usageError{err}
	}
	return err
}

// masked is e as it is shown: without card numbers.
func masked(e review.Entry) review.Entry {
	for _, text := range []*string{&e.Question, &e.Answer, &e.Corrected, &e.Notes} {
		*text = mask.Cards(*text)
	}
	e.Concerns = slices.Clone(e.Concerns)
	for i := range e.Concerns {
		e.Concerns[i] = mask.Cards(e.Concerns[i])
	}
	sources := make([]review.Source, len(e.Sources))
	for i, s := range e.Sources {
		s.Quote = mask.Cards(s.Quote)
		sources[i] = s
	}
	e.Sources = sources
	return e
}
