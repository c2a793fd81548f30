package index

import (
	"context"
	"fmt"
)

// DocFreq is in how many passages each of terms occurs, as package text makes them, and how many passages there are.
// Terms beyond the first 256 different ones are left out.
func (x *Index) DocFreq(ctx context.Context, terms []string) (freq map[string]int, passages int, err error) {
	counter, ok := x.store.(TermCounter)
	if !ok {
		return nil, 0, fmt.Errorf("index: this store does not count terms")
	}
	freq, passages, err = counter.DocFreq(ctx, distinct(terms, maxQueryTerms))
	if err != nil {
		return nil, 0, fmt.Errorf("count terms: %w", err)
	}
	return freq, passages, nil
}

// TermCounter is the part of a store that counts terms.
type TermCounter interface {
	// DocFreq returns in how many passages each term occurs, and the number of passages.
	DocFreq(ctx context.Context, terms []string) (map[string]int, int, error)
}
