package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/internal/near"
	"github.com/kbagent/kbagent/review"
)

// reviewHelp is what /review takes.
const reviewHelp = `/review                    what is open
/review ID                 one review with all about it
/review claim ID           take it, so that nobody else decides it; release gives it back
/review approve ID [NOTES] the answer is right
/review correct ID ANSWER  give the right answer, which becomes part of the knowledge base
/review reject ID NOTES    the answer is wrong; the notes say why`

// Review implements repl.Host: what `kbagent review` does, in the words of a chat.
func (h *chatHost) Review(ctx context.Context, words []string) (string, error) {
	r := &reviews{h.with.base, h.with.queue}
	verb := ""
	if len(words) > 0 {
		verb = words[0]
	}
	switch {
	case verb == "":
		return r.open(ctx)
	case verb == "help":
		return reviewHelp, nil
	case len(words) == 1 && !slices.Contains(reviewVerbs, verb):
		return r.shown(ctx, verb, notVerb(verb))
	case verb == "show" && len(words) == 2:
		return r.shown(ctx, words[1], "")
	case len(words) < 2 || !slices.Contains(reviewVerbs, verb) || verb == "show":
		return "", fmt.Errorf("/review %s is not understood; /review help tells what is", strings.Join(words, " "))
	}
	return h.decide(ctx, r, verb, words[1], strings.Join(words[2:], " "))
}

// reviewVerbs are what /review does with a review.
var reviewVerbs = []string{"show", "claim", "release", "approve", "correct", "reject"}

// notVerb says what may have been meant by a word that is taken for an id.
func notVerb(word string) string {
	if meant := near.Nearest(word, append(reviewVerbs, "help"), 2); meant != "" {
		return fmt.Sprintf("; or did you mean /review %s?", meant)
	}
	return ""
}

// open lists the reviews that wait for a decision.
func (r *reviews) open(ctx context.Context) (string, error) {
	lines, err := r.list(ctx, review.Filter{Statuses: []review.Status{review.Pending, review.InReview}})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = printReviews(&b, lines, r.queue.Now())
	return strings.TrimRight(b.String(), "\n"), err
}

// shown is one review; hint is what to add when there is none of that id.
func (r *reviews) shown(ctx context.Context, id, hint string) (string, error) {
	e, err := r.find(ctx, id)
	if err != nil {
		return "", fmt.Errorf("%w%s", err, hint)
	}
	d := reviewDetails{reviewLine: reviewLine{Entry: masked(e), URL: r.queue.URL(e.ID), Overdue: e.Overdue(r.queue.Now())}}
	if d.Notices, err = r.queue.Notices(ctx, e.ID); err != nil {
		return "", err
	}
	var b strings.Builder
	err = d.print(&b, r.queue.Now())
	return strings.TrimRight(b.String(), "\n"), err
}

// decide changes a review in the name of the reviewer of the settings, and lets happen what follows.
func (h *chatHost) decide(ctx context.Context, r *reviews, verb, typed, text string) (string, error) {
	reviewer := h.with.cfg.Review.Reviewer
	if reviewer == "" {
		var err error
		if reviewer, err = defaultReviewer(); err != nil {
			return "", err
		}
	}
	e, err := r.find(ctx, typed)
	if err != nil {
		return "", err
	}
	if e, err = r.change(ctx, verb, e.ID, reviewer, text); err != nil {
		return "", err
	}
	told := decided(e)
	if !e.Status.Final() {
		return told, nil
	}
	if err := settleReviews(ctx, r.base, r.queue); err != nil {
		return "", fmt.Errorf("the decision is stored, but not everything that follows is done; the next review command tries again: %w", err)
	}
	return told, nil
}

func (r *reviews) change(ctx context.Context, verb, id, reviewer, text string) (review.Entry, error) {
	d := review.Decision{Reviewer: reviewer}
	switch verb {
	case "claim":
		return r.queue.Claim(ctx, id, reviewer)
	case "release":
		return r.queue.Release(ctx, id, reviewer)
	case "approve":
		d.Status, d.Notes = review.Approved, text
	case "correct":
		d.Status, d.Corrected = review.Corrected, text
	default:
		d.Status, d.Notes = review.Rejected, text
	}
	return r.queue.Decide(ctx, id, d)
}
