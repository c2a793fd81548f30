package index

import (
	"context"
	"fmt"
)

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

// matrixCache keeps the vectors of one version in memory, and in a file.
type matrixCache struct {
	file vectorFile

	turn    chan struct{} // holds one token: who has it may read and write current
	current *Vectors
	model   string
}

func newMatrixCache(file vectorFile) *matrixCache {
	c := &matrixCache{file: file, turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

// get returns the vectors of model as they are in store now.
func (c *matrixCache) get(ctx context.Context, store Store, model string) (*Vectors, error) {
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	stamp, err := store.Stamp(ctx)
	if err != nil {
		return nil, err
	}
	if c.has(stamp, model) {
		return c.current, nil
	}
	c.current = nil // not two matrices at once
	fresh := c.file.read(stamp, model)
	if fresh == nil {
		stored, err := store.Vectors(ctx, model)
		if err != nil {
			return nil, err
		}
		fresh = &stored
		c.file.write(fresh, model)
	}
	c.current, c.model = fresh, model
	return fresh, nil
}

func (c *matrixCache) has(stamp, model string) bool {
	return c.current != nil && c.model == model && c.current.Stamp == stamp
}

// keep brings the file up to date, so that the first search of another process need not. Without a file it does nothing.
func (c *matrixCache) keep(ctx context.Context, store Store, model string) error {
	if c.file.path == "" {
		return nil
	}
	stamp, err := store.Stamp(ctx)
	if err != nil || c.file.holds(stamp, model) {
		return err
	}
	_, err = c.get(ctx, store, model)
	return err
}
