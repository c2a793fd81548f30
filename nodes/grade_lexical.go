package nodes

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/index/text"
	"github.com/kbagent/kbagent/rules"
)

// lexicalGrader grades by words; see rules.Relevance.
type lexicalGrader struct{ lib Library }

func (g lexicalGrader) Grade(ctx context.Context, q GradeRequest) (Grades, error) {
	stats, err := termStats(ctx, g.lib, q.Query)
	if err != nil {
		return Grades{}, err
	}
	return Grades{Scores: rules.Relevance(q.Query, q.Items, stats)}, nil
}

// termStats is how common the terms of a query are in the knowledge base.
func termStats(ctx context.Context, lib Library, query string) (rules.TermStats, error) {
	freq, passages, err := lib.DocFreq(ctx, text.Terms(query))
	if err != nil {
		return rules.TermStats{}, fmt.Errorf("count the words of the question in the index: %w", err)
	}
	return rules.TermStats{Passages: passages, DocFreq: freq}, nil
}
