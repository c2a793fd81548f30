package eval

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// sufficiency measures how well the score of a retrieval tells questions that it can answer from others. The score is the best
// grade of an item by rules.Relevance. auc, accuracy, balanced_accuracy and ece are those of grounding, with the threshold
// of the corrective machine for an answer, 0.7.
//
// The sets of the protocol that search a whole corpus need a retriever and are not here yet.
var sufficiency = task{
	name:  "sufficiency",
	about: "retrievals that answer the question against others",
	sets:  []taskSet{{"clapnq", loadClapnq}},
}

// enoughFrom is the score from which a retrieval is good enough to answer from.
const enoughFrom = 0.7

func loadClapnq(s source) (measure, error) {
	b, err := loadBase(s, "clapnq", "corpus")
	if err != nil {
		return nil, err
	}
	questions, err := cases[struct {
		ID, Query, Passage string
		Answerable         bool
	}](s, "clapnq", "queries")
	if err != nil {
		return nil, err
	}
	for _, q := range questions {
		if _, ok := b.items[q.Passage]; !ok {
			return nil, fmt.Errorf("clapnq: the corpus has no passage %s of query %s", q.Passage, q.ID)
		}
	}
	return func(ctx context.Context) (Result, error) {
		list := make([]scored, len(questions))
		for i, q := range questions {
			if err := ctx.Err(); err != nil {
				return Result{}, err
			}
			items := []state.Evidence{b.items[q.Passage]}
			list[i] = scored{rules.Relevance(q.Query, items, b.stats)[0], q.Answerable}
		}
		return classified(list, enoughFrom, map[string]string{"score": "best of rules.Relevance"}), nil
	}, nil
}
