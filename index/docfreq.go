package index

import (
	"context"
	"fmt"
)

// DocFreq is in how many passages each of terms occurs, as package text makes them, and how many passages there are.
// Terms beyond the first 256 different ones are left out.
func (x *Index) DocFreq(ctx context.Context, terms []string) (freq map[string]int, passages int, err error) {
	freq, passages, err = x.store.DocFreq(ctx, distinct(terms))
	if err != nil {
		return nil, 0, fmt.Errorf("count terms: %w", err)
	}
	return freq, passages, nil
}
