package eval

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/nodes"
)

// retrieval measures the search that the agent begins with when it has no model: what its router makes of the question goes
// into index.Hybrid. A row of the corpus is a passage. For each question that has relevant passages, its first 20 hits give
//
//   - recall@1, @5, @10, @20: the share of the relevant passages among the first hits;
//   - mrr@10: one over the rank of the first relevant hit, 0 beyond the tenth;
//   - ndcg@10: gain = relevance, discount log2(rank+1), the ideal over all relevant passages.
//
// All are means over the questions.
var retrieval = task{
	name:  "retrieval",
	about: "relevant passages among the first hits",
	sets:  retrievalSets(),
}

type retrievalFile struct{ name, folder, corpus, questions string }

// retrievalFiles are the files of the sets: FOLDER/CORPUS.jsonl and FOLDER/PART/QUESTIONS.jsonl.
var retrievalFiles = []retrievalFile{
	{"go_docs", "go_docs", "corpus", "faq_queries"},
	{"xquad_en", "xquad", "corpus_en", "queries_en"},
	{"xquad_zh", "xquad", "corpus_zh", "queries_zh"},
	{"scifact", "scifact", "corpus", "queries"},
	{"mtrag_un", "mtrag_un", "corpus", "tasks"},
	{"clapnq", "clapnq", "corpus", "queries"},
	{"cranfield", "cranfield", "corpus", "queries"},
	{"vaswani", "vaswani", "corpus", "queries"},
}

func retrievalSets() (list []taskSet) {
	for _, f := range retrievalFiles {
		list = append(list, taskSet{f.name, func(s source) (measure, error) { return loadRetrieval(s, f.folder, f.corpus, f.questions) }})
	}
	return list
}

// retrieved is how many hits of a question count.
const retrieved = 20

// question is a row of any file of questions.
type question struct {
	ID, Query string
	Relevant  map[string]float64
	Answers   []answer
	History   []struct{ Speaker, Text string } // the conversation before, oldest first

	Split         string   `json:"beir_split"` // scifact: only the rows of test count
	Answerability string   // mtrag_un
	Contexts      []string // mtrag_un: the relevant passages
	Answerable    *bool    // clapnq
	Passage       string   // clapnq: the relevant passage of an answerable question
}

// answer is a span of a document. Start counts characters.
type answer struct {
	Text  string
	Start int
}

// UnmarshalJSON reads a span, or the text alone where the data give no place.
func (a *answer) UnmarshalJSON(data []byte) error { return unmarshalAnswer(data, a) }

// relevant is the gain of the relevant passages.
func (q question) relevant() map[string]float64 {
	if q.Relevant != nil {
		return q.Relevant
	}
	gains := map[string]float64{}
	for _, id := range q.Contexts {
		gains[id] = 1
	}
	if q.Answerable != nil && *q.Answerable {
		gains[q.Passage] = 1
	}
	return gains
}

// understood is what the router makes of the question, after it has seen the user's turns before it.
func (q question) understood() nodes.RouteDecision {
	topic := ""
	for _, turn := range q.History {
		if turn.Speaker == "user" {
			if d := nodes.Understand(turn.Text, topic); d.Topic != "" {
				topic = d.Topic
			}
		}
	}
	return nodes.Understand(q.Query, topic)
}

// loadQuestions reads a file of questions; those of scifact that are not of the test split are left out.
func loadQuestions(s source, set, name string) ([]question, error) {
	list, err := cases[question](s, set, name)
	return slices.DeleteFunc(list, func(q question) bool { return q.Split != "" && q.Split != "test" }), err
}

// loadRetrieval reads a corpus and questions about it.
func loadRetrieval(s source, set, corpusName, queries string) (measure, error) {
	list, questions, err := loadSearched(s, set, corpusName, queries)
	return over(
		func(ctx context.Context, k *knowledge) error { return k.rows(ctx, list) },
		func(ctx context.Context, k *knowledge) (Result, error) {
			return k.retrieval(ctx, questions, question.relevant, func(h index.Hit) string { return h.Path })
		}), err
}

// loadSearched reads a corpus and questions about it, whose relevant passages have to be in it.
func loadSearched(s source, set, corpusName, queries string) ([]corpusRow, []question, error) {
	list, err := corpus[corpusRow](s, set, corpusName)
	if err != nil {
		return nil, nil, err
	}
	questions, err := loadQuestions(s, set, queries)
	if err != nil {
		return nil, nil, err
	}
	known := map[string]bool{}
	for _, r := range list {
		known[r.ID] = true
	}
	for _, q := range questions {
		for _, id := range slices.Sorted(maps.Keys(q.relevant())) {
			if !known[id] {
				return nil, nil, fmt.Errorf("%s: the corpus has no passage %s of query %s", set, id, q.ID)
			}
		}
	}
	return list, questions, nil
}

// retrieval searches for all questions that have relevant passages. name is what relevant calls a hit.
func (k *knowledge) retrieval(ctx context.Context, questions []question, relevant func(question) map[string]float64, name func(index.Hit) string) (Result, error) {
	var list []Case
	for _, q := range questions {
		gains := relevant(q)
		if len(gains) == 0 {
			continue
		}
		hits, err := k.search(ctx, q.understood(), retrieved)
		if err != nil {
			return Result{}, err
		}
		names := make([]string, len(hits))
		for i, h := range hits {
			names[i] = name(h)
		}
		list = append(list, Case{ID: q.ID, Values: ranking(names, gains)})
	}
	return averaged(list, map[string]string{"search": "index.Hybrid", "router": "heuristic", "embedder": "none"}), nil
}
