package eval

import "context"

// A Collection is a retrieval set for programs that compare other searches with ours.
type Collection struct {
	Passages  []Passage // with the ids of the corpus
	Questions []Judged  // those with relevant passages
}

// A Judged question comes with the gains of its relevant passages, by id.
type Judged struct {
	ID, Query string // Query as the agent's router understands it
	Relevant  map[string]float64
}

// LoadCollection reads a set of the task retrieval. A set that does not exist is a *[UsageError].
func LoadCollection(dir, part, set string) (c Collection, err error) {
	for _, f := range retrievalFiles {
		if f.name != set {
			continue
		}
		rows, err := corpus[corpusRow](source{dir: dir}, f.folder, f.corpus)
		if err != nil {
			return c, err
		}
		for _, r := range rows {
			c.Passages = append(c.Passages, Passage{ID: r.ID, Title: r.Title, Heading: r.Heading, Text: r.body()})
		}
		questions, err := loadQuestions(source{dir, part}, f.folder, f.questions)
		for _, q := range questions {
			if gains := q.relevant(); len(gains) > 0 {
				c.Questions = append(c.Questions, Judged{q.ID, q.understood().Query, gains})
			}
		}
		return c, err
	}
	return c, usagef("retrieval has no set %q", set)
}

// NDCG is the mean nDCG@10 of the questions, search giving the ids of the first ten passages.
func (c Collection) NDCG(ctx context.Context, search func(ctx context.Context, query string) ([]string, error)) (float64, error) {
	sum := 0.0
	for _, q := range c.Questions {
		ids, err := search(ctx, q.Query)
		if err != nil {
			return 0, err
		}
		sum += ranking(ids, q.Relevant)["ndcg@10"]
	}
	return sum / float64(max(len(c.Questions), 1)), nil
}
