package main

import (
	"context"
	"path/filepath"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"

	"github.com/kbagent/kbagent/internal/eval"
)

// bleveIndex is an index of bleve with its default store (scorch), the English analyzer and BM25, in batches of 1,000.
type bleveIndex struct{ x bleve.Index }

const bleveBatch = 1000

func (b *bleveIndex) prepare(string, []eval.Passage) error { return nil }

func (b *bleveIndex) index(_ context.Context, dir string, passages []eval.Passage) error {
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = en.AnalyzerName
	mapping.ScoringModel = "bm25"
	x, err := bleve.New(filepath.Join(dir, "bleve"), mapping)
	if err != nil {
		return err
	}
	batch := x.NewBatch()
	for i, p := range passages {
		if err := batch.Index(p.ID, map[string]string{"title": p.Title, "heading": p.Heading, "body": p.Text}); err != nil {
			return err
		}
		if batch.Size() == bleveBatch || i == len(passages)-1 {
			if err := x.Batch(batch); err != nil {
				return err
			}
			batch.Reset()
		}
	}
	return x.Close()
}

func (b *bleveIndex) open(_ context.Context, dir string) (err error) {
	b.x, err = bleve.Open(filepath.Join(dir, "bleve"))
	return err
}

func (b *bleveIndex) search(ctx context.Context, query string) ([]string, error) {
	request := bleve.NewSearchRequestOptions(bleve.NewMatchQuery(query), 10, 0, false)
	request.Fields = []string{"body"}
	result, err := b.x.SearchInContext(ctx, request)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(result.Hits))
	for i, h := range result.Hits {
		ids[i] = h.ID
	}
	return ids, nil
}

func (b *bleveIndex) close() error { return b.x.Close() }
