package index

import (
	"context"
	"errors"
	"fmt"
)

// Options tunes an Index. The zero value is the default.
type Options struct {
	// Split sets the size of passages. Changing it makes the next Update split every file anew.
	Split SplitOptions
	// MaxFileBytes is the size above which a file is refused, as it is and as text. Default 16 MiB, with a Loader 64 MiB.
	MaxFileBytes int64
	// Loader turns files into text, and says which files a folder's walk takes. Default nil: UTF-8 text only, of the
	// extensions that Update names.
	Loader Loader
	// EmbedBatch is how many texts one call of the embedder gets. Default 64.
	EmbedBatch int
	// VectorFile is a file beside the store that keeps a copy of the vectors, so that a process reads them in one go instead of
	// row by row. Searches, and updates that embed a tenth of the passages or more, keep it up to date; it may be deleted at any time. Several processes may share it, and
	// several stores by turns. Default "": no file.
	VectorFile string
	// VectorFileFailed is told why VectorFile could not be read or written though it should have been; the search or update that
	// needed it goes on without it. It may be called concurrently. Default nil: nobody is told.
	VectorFileFailed func(error)
	// Fusion says how Hybrid merges what words and what vectors found. Default: by reciprocal rank.
	Fusion Fusion
	// MMRLambda, between 0 and 1, makes searches prefer passages that are unlike the better ones: see [MMR]. Similarity is that
	// of words. 0 (default) and 1: off.
	MMRLambda float64
	// Reranker orders the best hits of every search anew. Default nil: the order of the search.
	Reranker Reranker
	// RerankFailed is told why the Reranker failed; the order of the search stays. It may be called concurrently.
	// Default nil: the search returns that error instead.
	RerankFailed func(error)
	// Degraded is told why a Hybrid search had to answer from keywords alone though there is an embedder
	// (unreachable, no vectors yet, model changed). It may be called concurrently.
	// Default nil: Hybrid returns that error instead.
	Degraded func(error)
}

func (o Options) withDefaults() (Options, error) {
	var err error
	if o.Split, err = o.Split.withDefaults(); err != nil {
		return o, err
	}
	if o.Fusion, err = o.Fusion.withDefaults(); err != nil {
		return o, err
	}
	if !(o.MMRLambda >= 0 && o.MMRLambda <= 1) {
		return o, fmt.Errorf("index: MMRLambda, %v, is not from 0 to 1", o.MMRLambda)
	}
	if o.MaxFileBytes < 0 || o.EmbedBatch < 0 {
		return o, fmt.Errorf("index: MaxFileBytes (%d) and EmbedBatch (%d) must not be negative", o.MaxFileBytes, o.EmbedBatch)
	}
	if o.MaxFileBytes == 0 {
		o.MaxFileBytes = 16 << 20
		if o.Loader != nil {
			o.MaxFileBytes = 64 << 20
		}
	}
	if o.EmbedBatch == 0 {
		o.EmbedBatch = 64
	}
	return o, nil
}

// An Index searches the passages in a Store. It is safe for concurrent use.
type Index struct {
	store    Store
	embedder Embedder // nil: no vector search
	opts     Options
	vectors  *matrixCache
	filter   Filter       // of a view
	chosen   *chosenCache // what filters take
}

// Open returns an index over store. embedder may be nil: then Vector returns ErrNoEmbedder and Hybrid uses keywords alone.
// Open reads nothing but the store's version, so that a damaged store is reported here.
func Open(ctx context.Context, store Store, embedder Embedder, opts Options) (*Index, error) {
	if store == nil {
		return nil, errors.New("index: Open needs a store")
	}
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if _, err := store.Version(ctx); err != nil {
		return nil, fmt.Errorf("open the index: %w", err)
	}
	return &Index{store: store, embedder: embedder, opts: opts, chosen: new(chosenCache), vectors: newMatrixCache(vectorFile{opts.VectorFile, opts.VectorFileFailed})}, nil
}

// Version grows with every change that commits, also one by another process.
func (x *Index) Version(ctx context.Context) (int64, error) { return x.store.Version(ctx) }

// Roots returns the folders that were indexed as folders, absolute, sorted.
// A single file that was indexed by name outside of them brings no root: it opens no folder to readers (see [Index.Files]).
func (x *Index) Roots(ctx context.Context) ([]string, error) { return x.store.Roots(ctx) }

// Stats counts what the index holds.
func (x *Index) Stats(ctx context.Context) (Stats, error) {
	c, err := x.store.Counts(ctx)
	if err != nil {
		return Stats{}, err
	}
	s := Stats{Files: c.Files, Passages: c.Passages, Bytes: c.Bytes, Version: c.Version}
	if x.embedder != nil {
		s.EmbeddingModel = x.embedder.Model()
	} else {
		s.EmbeddingModel = mostUsed(c.Vectors)
	}
	s.Vectors = c.Vectors[s.EmbeddingModel].Passages
	return s, nil
}

// mostUsed is the model with most vectors, the first by name where several have as many.
func mostUsed(vectors map[string]VectorCount) string {
	best := ""
	for model, n := range vectors {
		if best == "" || n.Passages > vectors[best].Passages || n.Passages == vectors[best].Passages && model < best {
			best = model
		}
	}
	return best
}
