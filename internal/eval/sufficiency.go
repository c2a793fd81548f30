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
	sets:  sufficiencyTasks(),
}

// judgedSet is the retrievals of one set.
type judgedSet struct {
	fill func(context.Context, *knowledge) error // makes the knowledge base
	// list calls found with each retrieval.
	list func(ctx context.Context, k *knowledge, found func(judgedCase)) error
}

// sufficiencySets are the sets of the task and how each is read.
var sufficiencySets = []struct {
	name string
	load func(source) (judgedSet, error)
}{
	{"clapnq", loadClapnq},
	{"clapnq_kb", func(s source) (judgedSet, error) {
		return loadJudged(s, "clapnq", "queries", func(question) bool { return true })
	}},
	{"xquad_en", loadPresence},
	{"mtrag_un", func(s source) (judgedSet, error) {
		return loadJudged(s, "mtrag_un", "tasks", func(q question) bool { return q.Answerability != "UNDERSPECIFIED" })
	}},
}

// judgedCase is one retrieval with its truth.
type judgedCase struct {
	id, query string
	positive  bool
	items     []state.Evidence
	stats     rules.TermStats
}

// enoughFrom is the score from which a retrieval is good enough to answer from.
const enoughFrom = 0.7

func sufficiencyTasks() []taskSet {
	var sets []taskSet
	for _, set := range sufficiencySets {
		sets = append(sets, taskSet{set.name, func(s source) (measure, error) {
			data, err := set.load(s)
			return data.measure(), err
		}})
	}
	return sets
}

// measure judges all retrievals.
func (d judgedSet) measure() measure {
	return over(func(ctx context.Context, k *knowledge) error { return d.fill(ctx, k) }, func(ctx context.Context, k *knowledge) (Result, error) {
		var list []scored
		var ids []string
		err := d.list(ctx, k, func(r judgedCase) {
			list = append(list, scored{rules.Sufficiency(r.query, r.items, r.stats), r.positive})
			ids = append(ids, r.id)
		})
		r := classified(list, enoughFrom, map[string]string{"score": "rules.Sufficiency", "hits": fmt.Sprint(tools.DefaultK)})
		r.Cases = scoredCases(list, ids)
		return r, err
	})
}

// each calls f with every retrieval of the set.
func (d judgedSet) each(ctx context.Context, f func(judgedCase)) error {
	_, err := over(d.fill, func(ctx context.Context, k *knowledge) (Result, error) { return Result{}, d.list(ctx, k, f) })(ctx)
	return err
}

func loadClapnq(s source) (judgedSet, error) {
	b, err := loadBase(s, "clapnq", "corpus")
	if err != nil {
		return judgedSet{}, err
	}
	questions, err := loadQuestions(s, "clapnq", "queries")
	if err != nil {
		return judgedSet{}, err
	}
	for _, q := range questions {
		if _, ok := b.items[q.Passage]; !ok {
			return judgedSet{}, fmt.Errorf("clapnq: the corpus has no passage %s of query %s", q.Passage, q.ID)
		}
	}
	return judgedSet{
		fill: func(context.Context, *knowledge) error { return nil },
		list: func(ctx context.Context, _ *knowledge, found func(judgedCase)) error {
			for _, q := range questions {
				found(judgedCase{q.ID, q.Query, q.answerable(), []state.Evidence{b.items[q.Passage]}, b.stats})
			}
			return ctx.Err()
		},
	}, nil
}

// answerable is the truth of a question of clapnq or mtrag_un.
func (q question) answerable() bool {
	return q.Answerable != nil && *q.Answerable || q.Answerability == "ANSWERABLE" || q.Answerability == "PARTIAL"
}

// loadJudged searches for the questions that count.
func loadJudged(s source, set, name string, counts func(question) bool) (judgedSet, error) {
	list, err := corpus[corpusRow](s, set, "corpus")
	if err != nil {
		return judgedSet{}, err
	}
	questions, err := loadQuestions(s, set, name)
	return judgedSet{
		fill: func(ctx context.Context, k *knowledge) error { return k.rows(ctx, list) },
		list: func(ctx context.Context, k *knowledge, found func(judgedCase)) error {
			for _, q := range questions {
				if !counts(q) {
					continue
				}
				r, err := k.first(ctx, q, q.ID, q.answerable())
				if err != nil {
					return err
				}
				found(r)
			}
			return nil
		},
	}, err
}

// loadPresence searches with and without the passage of each question.
func loadPresence(s source) (judgedSet, error) {
	docs, list, err := loadDocuments(s, "xquad", "corpus_en")
	if err != nil {
		return judgedSet{}, err
	}
	questions, err := loadQuestions(s, "xquad", "queries_en")
	return judgedSet{
		fill: func(ctx context.Context, k *knowledge) error { return k.rows(ctx, list) },
		list: func(ctx context.Context, k *knowledge, found func(judgedCase)) error {
			for _, q := range questions {
				present, err := k.first(ctx, q, q.ID+" present", true)
				if err != nil {
					return err
				}
				found(present)
				err = k.withoutRelevant(ctx, q, docs, func() error {
					absent, err := k.first(ctx, q, q.ID+" removed", false)
					if err == nil {
						found(absent)
					}
					return err
				})
				if err != nil {
					return err
				}
			}
			return nil
		},
	}, err
}

// first is what the agent's first search finds for a question.
func (k *knowledge) first(ctx context.Context, q question, id string, positive bool) (judgedCase, error) {
	d := q.understood()
	items, stats, err := k.found(ctx, d, tools.DefaultK)
	return judgedCase{id, d.Query, positive, items, stats}, err
}
