package eval

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// sufficiency measures how well rules.Sufficiency tells retrievals that answer their question from others. auc, accuracy,
// balanced_accuracy and ece are those of grounding, with the threshold of the corrective machine for an answer, 0.7.
//
//   - clapnq: the passage that the data give for a question is all that was found;
//   - clapnq_kb: what the agent's first search finds in the whole corpus;
//   - xquad_en: that of each question twice, with the passage that answers it and without;
//   - mtrag_un: that of each last turn but the underspecified ones; answerable and partly answerable ones are positive.
var sufficiency = task{
	name:  "sufficiency",
	about: "retrievals that answer the question against others",
	sets: []taskSet{
		{"clapnq", loadClapnq}, {"clapnq_kb", loadClapnqBase}, {"xquad_en", loadPresence}, {"mtrag_un", loadAnswerability},
	},
}

// enoughFrom is the score from which a retrieval is good enough to answer from.
const enoughFrom = 0.7

// judged is the result of scores with the ids of their cases.
func judged(list []scored, ids []string) Result {
	r := classified(list, enoughFrom, map[string]string{"score": "rules.Sufficiency", "hits": fmt.Sprint(tools.DefaultK)})
	r.Cases = scoredCases(list, ids)
	return r
}

func loadClapnq(s source) (measure, error) {
	b, err := loadBase(s, "clapnq", "corpus")
	if err != nil {
		return nil, err
	}
	questions, err := loadQuestions(s, "clapnq", "queries")
	if err != nil {
		return nil, err
	}
	for _, q := range questions {
		if _, ok := b.items[q.Passage]; !ok {
			return nil, fmt.Errorf("clapnq: the corpus has no passage %s of query %s", q.Passage, q.ID)
		}
	}
	return func(ctx context.Context) (Result, error) {
		var list []scored
		var ids []string
		for _, q := range questions {
			if err := ctx.Err(); err != nil {
				return Result{}, err
			}
			items := []state.Evidence{b.items[q.Passage]}
			list = append(list, scored{rules.Sufficiency(q.Query, items, b.stats), q.answerable()})
			ids = append(ids, q.ID)
		}
		return judged(list, ids), nil
	}, nil
}

// answerable is the truth of a question of clapnq or mtrag_un.
func (q question) answerable() bool {
	return q.Answerable != nil && *q.Answerable || q.Answerability == "ANSWERABLE" || q.Answerability == "PARTIAL"
}

func loadClapnqBase(s source) (measure, error) {
	return loadJudged(s, "clapnq", "queries", func(question) bool { return true })
}

func loadAnswerability(s source) (measure, error) {
	return loadJudged(s, "mtrag_un", "tasks", func(q question) bool { return q.Answerability != "UNDERSPECIFIED" })
}

// loadJudged judges what is found for the questions that count.
func loadJudged(s source, set, name string, counts func(question) bool) (measure, error) {
	list, err := corpus[corpusRow](s, set, "corpus")
	if err != nil {
		return nil, err
	}
	questions, err := loadQuestions(s, set, name)
	if err != nil {
		return nil, err
	}
	return over(
		func(ctx context.Context, k *knowledge) error { return k.rows(ctx, list) },
		func(ctx context.Context, k *knowledge) (Result, error) {
			var list []scored
			var ids []string
			for _, q := range questions {
				if !counts(q) {
					continue
				}
				score, err := k.sufficiency(ctx, q)
				if err != nil {
					return Result{}, err
				}
				list, ids = append(list, scored{score, q.answerable()}), append(ids, q.ID)
			}
			return judged(list, ids), nil
		}), nil
}

// loadPresence judges what is found with and without the passage of each question.
func loadPresence(s source) (measure, error) {
	docs, list, err := loadDocuments(s, "xquad", "corpus_en")
	if err != nil {
		return nil, err
	}
	questions, err := loadQuestions(s, "xquad", "queries_en")
	if err != nil {
		return nil, err
	}
	return over(
		func(ctx context.Context, k *knowledge) error { return k.rows(ctx, list) },
		func(ctx context.Context, k *knowledge) (Result, error) {
			var list []scored
			var ids []string
			for _, q := range questions {
				var present, absent float64
				var err error
				if present, err = k.sufficiency(ctx, q); err != nil {
					return Result{}, err
				}
				err = k.withoutRelevant(ctx, q, docs, func() error { absent, err = k.sufficiency(ctx, q); return err })
				if err != nil {
					return Result{}, err
				}
				list = append(list, scored{present, true}, scored{absent, false})
				ids = append(ids, q.ID+" present", q.ID+" removed")
			}
			return judged(list, ids), nil
		}), nil
}

// sufficiency is the score of what the agent's first search finds.
func (k *knowledge) sufficiency(ctx context.Context, q question) (float64, error) {
	d := q.understood()
	items, stats, err := k.found(ctx, d, tools.DefaultK)
	if err != nil {
		return 0, err
	}
	return rules.Sufficiency(d.Query, items, stats), nil
}
