package index

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Vector returns the k passages whose embeddings are nearest to query's by cosine, best first, of kind KindCosine.
// The search is exact. Passages at a right angle or beyond are no hits; a blank query, or k ≤ 0, has none.
// The first search after a change reads all vectors into memory.
//
// It returns ErrNoEmbedder without an embedder, ErrNoVectors (or a *ModelChangedError) when there are passages but no
// vectors of this model, and the embedder's error when the query cannot be embedded.
func (x *Index) Vector(ctx context.Context, query string, k int) ([]Hit, error) {
	if x.embedder == nil {
		return nil, ErrNoEmbedder
	}
	if strings.TrimSpace(query) == "" || k <= 0 {
		return nil, nil
	}
	if m, err := x.matrix(ctx); err != nil || m == nil {
		return nil, err
	}
	vectors, err := embedNormal(ctx, x.embedder, []string{query})
	if err != nil {
		return nil, fmt.Errorf("embed the query: %w", err)
	}
	for {
		m, err := x.matrix(ctx)
		if err != nil || m == nil {
			return nil, err
		}
		hits, complete, err := x.nearest(ctx, m, vectors[0], k)
		if err != nil || complete {
			return hits, err
		}
	}
}

// nearest is complete unless a hit left the index after m was read and m is out of date.
func (x *Index) nearest(ctx context.Context, m *Vectors, query []float32, k int) (hits []Hit, complete bool, err error) {
	if len(query) != m.Dim {
		return nil, false, fmt.Errorf("vector search: the query's embedding has %d values, the index's have %d: update the index", len(query), m.Dim)
	}
	rows := topRows(m, query, k)
	keys := make([]int64, len(rows))
	for i, r := range rows {
		keys[i] = m.Keys[r.row]
	}
	passages, err := x.store.Passages(ctx, keys)
	if err != nil {
		return nil, false, fmt.Errorf("vector search: %w", err)
	}
	for i, r := range rows {
		if p, ok := passages[keys[i]]; ok {
			hits = append(hits, Hit{Passage: p, Score: min(1, float64(r.cos)), Kind: KindCosine})
		}
	}
	if len(hits) == len(rows) {
		return hits, true, nil
	}
	version, err := x.store.Version(ctx)
	return hits, version == m.Version, err
}

// matrix returns the vectors of the present version; nil when the index holds no passages at all.
func (x *Index) matrix(ctx context.Context) (*Vectors, error) {
	m, err := x.vectors.get(ctx, x.store, x.embedder.Model())
	if err != nil {
		return nil, fmt.Errorf("vector search: %w", err)
	}
	if m.Dim > 0 {
		return m, nil
	}
	counts, err := x.store.Counts(ctx)
	if err != nil {
		return nil, fmt.Errorf("vector search: %w", err)
	}
	switch have := mostUsed(counts.Vectors); {
	case counts.Passages == 0:
		return nil, nil
	case have != "" && have != x.embedder.Model():
		return nil, &ModelChangedError{Want: x.embedder.Model(), Have: have}
	default:
		return nil, ErrNoVectors
	}
}

// matrixCache keeps the vectors of one version in memory.
type matrixCache struct {
	turn    chan struct{} // holds one token: who has it may read and write current
	current *Vectors
	model   string
}

func newMatrixCache() *matrixCache {
	c := &matrixCache{turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

func (c *matrixCache) get(ctx context.Context, store Store, model string) (*Vectors, error) {
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	version, err := store.Version(ctx)
	if err != nil {
		return nil, err
	}
	if c.current != nil && c.model == model && c.current.Version == version {
		return c.current, nil
	}
	fresh, err := store.Vectors(ctx, model)
	if err != nil {
		return nil, err
	}
	c.current, c.model = &fresh, model
	return c.current, nil
}

type scoredRow struct {
	row int
	cos float32
}

// topRows returns the k rows nearest to query with a cosine above 0, best first, ties in order of row.
func topRows(m *Vectors, query []float32, k int) []scoredRow {
	best := make([]scoredRow, 0, min(k, len(m.Keys))+1)
	floor := float32(0)
	for row := range m.Keys {
		cos := dot(query, m.Values[row*m.Dim:(row+1)*m.Dim])
		if cos <= floor {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, cos, func(s scoredRow, cos float32) int {
			if s.cos >= cos {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, scoredRow{row, cos})
		if len(best) > k {
			best = best[:k]
		}
		if len(best) == k {
			floor = best[k-1].cos
		}
	}
	return best
}

// dot is unrolled: the compiler does not, and this loop is the whole cost of a vector search.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}
