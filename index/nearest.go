package index

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
)

// A scoredRow is a row of a matrix with its cosine.
type scoredRow struct {
	row int
	key int64
	cos float32
}

// better orders rows: the higher cosine first, then the older passage, whatever the order of the rows.
func (s scoredRow) better(o scoredRow) int {
	return cmp.Or(cmp.Compare(o.cos, s.cos), cmp.Compare(s.key, o.key))
}

const (
	// rowsPerCheck is how many rows are scored between two looks at the context: about a millisecond.
	rowsPerCheck = 4096
	// valuesPerWorker is how many values make a further goroutine worth its start.
	valuesPerWorker = 1 << 20
)

// topRows returns the k rows of within nearest to query with a cosine above 0, best first, ties by key. A large matrix is shared
// out to the processors. It returns the context's error when that is done first.
func topRows(ctx context.Context, m *Vectors, within *KeySet, query []float32, k int) ([]scoredRow, error) {
	workers := max(1, min(runtime.GOMAXPROCS(0), len(m.Values)/valuesPerWorker))
	parts := make([][]scoredRow, workers)
	var all sync.WaitGroup
	for w := range workers {
		from, to := w*len(m.Keys)/workers, (w+1)*len(m.Keys)/workers
		if w == workers-1 {
			parts[w] = topOf(ctx, m, within, query, k, from, to)
			break
		}
		all.Go(func() { parts[w] = topOf(ctx, m, within, query, k, from, to) })
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	best := slices.Concat(parts...)
	slices.SortFunc(best, scoredRow.better)
	return best[:min(k, len(best))], nil
}

// topOf is topRows for the rows [from:to).
func topOf(ctx context.Context, m *Vectors, within *KeySet, query []float32, k, from, to int) []scoredRow {
	best := make([]scoredRow, 0, min(k, to-from)+1)
	floor := float32(0)
	for row := from; row < to; row++ {
		if (row-from)%rowsPerCheck == 0 && ctx.Err() != nil {
			return nil
		}
		cos := dot(query, m.Values[row*m.Dim:(row+1)*m.Dim])
		if cos <= 0 || cos < floor || !within.Has(m.Keys[row]) {
			continue
		}
		s := scoredRow{row, m.Keys[row], cos}
		at, _ := slices.BinarySearchFunc(best, s, scoredRow.better)
		best = slices.Insert(best, at, s)
		if len(best) > k {
			best = best[:k]
		}
		if len(best) == k {
			floor = best[k-1].cos
		}
	}
	return best
}
