package eval

import (
	"context"
	"fmt"

	"github.com/kbagent/kbagent/index"
)

// fusion compares ways to search on the sets of retrieval, by nDCG@10 for the same questions: words alone (what a fresh
// installation does), words with various passages preferred (index.MMR), vectors alone, and both fused in several ways. The
// vectors are those of latent semantic analysis of the corpus itself: the best that there is without an embedding model.
var fusion = task{
	name:  "fusion",
	about: "words and vectors made of the corpus, alone and fused; variety",
	sets:  fusionSets(),
}

// lsaDimensions is how many dimensions the vectors have. With 100 and 300 the figures differ, the picture does not.
const lsaDimensions = 200

func fusionSets() (list []taskSet) {
	for _, f := range retrievalFiles {
		list = append(list, taskSet{f.name, func(s source) (measure, error) {
			rows, questions, err := loadSearched(s, f.folder, f.corpus, f.questions)
			return over(
				func(ctx context.Context, k *knowledge) error { return k.rows(ctx, rows) },
				func(ctx context.Context, k *knowledge) (Result, error) { return k.fusion(ctx, questions) },
			), err
		}})
	}
	return list
}

// variant is a way to search.
type variant struct {
	name    string
	vectors bool // only
	opts    index.Options
}

func variants() []variant {
	list := []variant{{name: "words"}, {name: "vectors", vectors: true}, {name: "rrf"}}
	for _, l := range []float64{0.9, 0.7, 0.5} {
		list = append(list, variant{name: fmt.Sprintf("mmr %.1f", l), opts: index.Options{MMRLambda: l}})
	}
	for _, method := range []index.FusionMethod{index.FusionMinMax, index.FusionScore} {
		for _, w := range []float64{0.1, 0.2, 0.3, 0.5} {
			list = append(list, variant{name: fmt.Sprintf("%s %.1f", method, w), opts: index.Options{Fusion: index.Fusion{Method: method, Vector: &w}}})
		}
	}
	return list
}

// fusion searches for all questions that have relevant passages in every way.
func (k *knowledge) fusion(ctx context.Context, questions []question) (Result, error) {
	embedder, err := k.lsa(ctx)
	if err != nil {
		return Result{}, err
	}
	cases := map[string]*Case{}
	var order []string
	for _, v := range variants() {
		x, err := k.open(ctx, embedder, v)
		if err != nil {
			return Result{}, err
		}
		for _, q := range questions {
			gains := q.relevant()
			if len(gains) == 0 {
				continue
			}
			names, err := v.search(ctx, x, q)
			if err != nil {
				return Result{}, err
			}
			if cases[q.ID] == nil {
				cases[q.ID] = &Case{ID: q.ID, Values: map[string]float64{}}
				order = append(order, q.ID)
			}
			cases[q.ID].Values["ndcg@10 "+v.name] = ranking(names, gains)["ndcg@10"]
		}
	}
	list := make([]Case, len(order))
	for i, id := range order {
		list[i] = *cases[id]
	}
	return averaged(list, map[string]string{"router": "heuristic", "embedder": fmt.Sprintf("LSA of the corpus, %d dimensions", embedder.dim)}), nil
}

// lsa learns from the passages and embeds them.
func (k *knowledge) lsa(ctx context.Context) (*lsa, error) {
	var texts []string
	for s, err := range k.db.Index().Sources(ctx) {
		if err != nil {
			return nil, err
		}
		for _, p := range s.Passages {
			p.Content = s.Text[p.StartByte:p.EndByte]
			texts = append(texts, index.EmbeddedText(p))
		}
	}
	e := newLSA(texts, lsaDimensions)
	x, err := index.Open(ctx, k.db.Index(), e, index.Options{})
	if err == nil {
		_, err = x.Update(ctx, nil, index.UpdateOptions{})
	}
	return e, err
}

// open is the knowledge base searched in one way. Without an embedder, words alone count.
func (k *knowledge) open(ctx context.Context, e *lsa, v variant) (*index.Index, error) {
	if v.name == "words" || v.opts.MMRLambda > 0 {
		return index.Open(ctx, k.db.Index(), nil, v.opts)
	}
	return index.Open(ctx, k.db.Index(), e, v.opts)
}

// search is the rows of the corpus that are found for a question, best first.
func (v variant) search(ctx context.Context, x *index.Index, q question) ([]string, error) {
	d := q.understood()
	var hits []index.Hit
	var err error
	if v.vectors {
		hits, err = x.Vector(ctx, d.Query, retrieved)
	} else {
		hits, err = x.Hybrid(ctx, d.Query, d.Keywords, retrieved)
	}
	names := make([]string, len(hits))
	for i, h := range hits {
		names[i] = h.Path
	}
	return names, err
}
