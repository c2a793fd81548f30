package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/eval"
	"github.com/kbagent/kbagent/store/sqlite"
)

// sources is the folder with the files that kbagent reads.
const sources = "kb"

// kbagent is package index over store/sqlite, with the settings of a fresh installation.
type kbagent struct {
	files bool // prepare wrote files
	db    *sqlite.DB
	x     *index.Index
}

func (k *kbagent) prepare(dir string, passages []eval.Passage) error {
	k.files = true
	_, _, err := eval.WriteMarkdown(filepath.Join(dir, sources), slices.Values(passages))
	return err
}

func (k *kbagent) index(ctx context.Context, dir string, passages []eval.Passage) (err error) {
	if err := k.open(ctx, dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.close()) }()
	if k.files {
		_, err = k.x.Update(ctx, []string{filepath.Join(dir, sources)}, index.UpdateOptions{})
		return err
	}
	records := make([]index.Record, len(passages)) // each a passage, whatever its length
	for i, p := range passages {
		records[i] = index.Record{Path: p.ID, Title: p.Title, Section: p.Heading, Text: p.Text}
	}
	_, err = k.x.Put(ctx, "corpus", records)
	return err
}

func (k *kbagent) open(ctx context.Context, dir string) (err error) {
	if k.db, err = sqlite.Open(ctx, filepath.Join(dir, "kbagent.db"), sqlite.Options{}); err != nil {
		return err
	}
	k.x, err = index.Open(ctx, k.db.Index(), nil, index.Options{})
	return err
}

func (k *kbagent) search(ctx context.Context, query string) ([]string, error) {
	hits, err := k.x.Keyword(ctx, query, 10)
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.Path
	}
	return ids, err
}

func (k *kbagent) close() error { return k.db.Close() }
