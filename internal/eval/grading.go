package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// grading measures how well the lexical grader, rules.Relevance, tells relevant items from others.
//
//   - auc, accuracy, balanced_accuracy, ece as for grounding, with the threshold of the corrective machine, 0.3;
//   - kept_relevant and kept_irrelevant, the shares of items that stay in the context at 0.3.
var grading = task{
	name:  "grading",
	about: "items that answer a question against others",
	sets: []taskSet{
		{"xquad_en", func(s source) (measure, error) {
			return loadGraded(s, "xquad", "corpus_en", "queries_en", "negatives_en")
		}},
		{"scifact", func(s source) (measure, error) { return loadGraded(s, "scifact", "corpus", "queries", "negatives") }},
		{"rgb_en", func(s source) (measure, error) { return loadSnippets(s, "en_fact") }},
		{"rgb_zh", func(s source) (measure, error) { return loadSnippets(s, "zh_refine") }},
	},
}

// keptFrom is the grade from which an item stays.
const keptFrom = 0.3

// gradeCase is a question with items of which the first ones are relevant.
type gradeCase struct {
	id       string
	query    string
	items    []state.Evidence
	relevant int
	stats    rules.TermStats
}

// loadGraded reads questions with their relevant passages and the ids of others.
func loadGraded(s source, set, corpusName, queries, negatives string) (measure, error) {
	list, err := loadGradeCases(s, set, corpusName, queries, negatives)
	return graded(list), err
}

func loadGradeCases(s source, set, corpusName, queries, negatives string) ([]gradeCase, error) {
	b, err := loadBase(s, set, corpusName)
	if err != nil {
		return nil, err
	}
	questions, err := cases[struct {
		ID, Query string
		Relevant  map[string]float64
	}](s, set, queries)
	if err != nil {
		return nil, err
	}
	others, err := cases[struct {
		ID        string
		Negatives []string
	}](s, set, negatives)
	if err != nil {
		return nil, err
	}
	negative := make(map[string][]string, len(others))
	for _, o := range others {
		negative[o.ID] = o.Negatives
	}
	var list []gradeCase
	for _, q := range questions {
		wrong, ok := negative[q.ID]
		if !ok {
			continue
		}
		var right []string
		for id := range q.Relevant {
			right = append(right, id)
		}
		slices.Sort(right)
		c := gradeCase{id: q.ID, query: q.Query, relevant: len(right), stats: b.stats}
		for _, id := range append(right, wrong...) {
			item, ok := b.items[id]
			if !ok {
				return nil, fmt.Errorf("%s: the corpus has no passage %s of query %s", set, id, q.ID)
			}
			c.items = append(c.items, item)
		}
		list = append(list, c)
	}
	return list, nil
}

// loadSnippets reads questions that bring their snippets along. All snippets of the set are the knowledge base.
func loadSnippets(s source, name string) (measure, error) {
	questions, err := cases[struct {
		ID, Query          string
		Positive, Negative []string
	}](s, "rgb", name)
	if err != nil {
		return nil, err
	}
	var all []state.Evidence
	list := make([]gradeCase, len(questions))
	for i, q := range questions {
		for _, text := range slices.Concat(q.Positive, q.Negative) {
			list[i].items = append(list[i].items, state.Evidence{Content: text})
		}
		list[i].id, list[i].query, list[i].relevant = q.ID, q.Query, len(q.Positive)
		all = append(all, list[i].items...)
	}
	stats := newBase(all).stats
	for i := range list {
		list[i].stats = stats
	}
	return graded(list), nil
}

// graded grades the items of all cases.
func graded(list []gradeCase) measure {
	return func(ctx context.Context) (Result, error) {
		var all []scored
		var ids []string
		for _, c := range list {
			if err := ctx.Err(); err != nil {
				return Result{}, err
			}
			for i, score := range rules.Relevance(c.query, c.items, c.stats) {
				all = append(all, scored{score, i < c.relevant})
				ids = append(ids, fmt.Sprintf("%s %d", c.id, i))
			}
		}
		r := classified(all, keptFrom, map[string]string{"grader": "lexical", "score": "rules.Relevance"})
		r.Cases = scoredCases(all, ids)
		r.Metrics["kept_relevant"] = kept(all, true)
		r.Metrics["kept_irrelevant"] = kept(all, false)
		return r, nil
	}
}

// kept is the share of the positive, or the negative, cases that stay.
func kept(list []scored, positive bool) float64 {
	n, of := 0, 0
	for _, c := range list {
		if c.positive == positive {
			of++
			if rules.AtLeast(c.score, keptFrom) {
				n++
			}
		}
	}
	return ratio(n, of)
}
