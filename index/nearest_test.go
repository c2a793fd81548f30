package index

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTheFastDotIsTheSumOfProducts(t *testing.T) {
	for name, dot := range map[string]func(a, b []float32) float32{"fastest": dot, "plain": plainDot} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			n := rapid.IntRange(1, 70).Draw(t, "length")
			values := rapid.SliceOfN(rapid.Float32Range(-1, 1), n, n)
			a, b := values.Draw(t, "a"), values.Draw(t, "b")
			sum := 0.0
			for i := range a {
				sum += float64(a[i]) * float64(b[i])
			}
			if got := dot(a, b); float64(got) < sum-1e-5 || float64(got) > sum+1e-5 {
				t.Errorf("dot = %v, want %v", got, sum)
			}
		}))
	}
}

// everyRow is topRows by sorting all rows.
func everyRow(m *Vectors, query []float32, k int) []scoredRow {
	var all []scoredRow
	for row, key := range m.Keys {
		if cos := dot(query, m.Values[row*m.Dim:(row+1)*m.Dim]); cos > 0 {
			all = append(all, scoredRow{row, key, cos})
		}
	}
	slices.SortFunc(all, scoredRow.better)
	return all[:min(k, len(all))]
}

func TestTheNearestRowsAreThoseOfSortingAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim, rows := rapid.IntRange(1, 5).Draw(t, "dim"), rapid.IntRange(0, 60).Draw(t, "rows")
		few := rapid.SampledFrom([]float32{-1, 0, 0.25, 0.5, 1}) // many ties
		m := &Vectors{Dim: dim, Values: rapid.SliceOfN(few, rows*dim, rows*dim).Draw(t, "values")}
		for row := range rows {
			m.Keys = append(m.Keys, int64(1000-row))
		}
		query := rapid.SliceOfN(few, dim, dim).Draw(t, "query")
		k := rapid.IntRange(1, 70).Draw(t, "k")
		got, err := topRows(context.Background(), m, nil, query, k)
		require.NoError(t, err)
		want := everyRow(m, query, k)
		if len(want)+len(got) > 0 && !slices.Equal(want, got) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// largeMatrix is so large that several goroutines share it.
func largeMatrix() (*Vectors, []float32) {
	random := rand.New(rand.NewPCG(3, 4))
	m := &Vectors{Dim: 16, Values: make([]float32, 4*valuesPerWorker)}
	for _, key := range random.Perm(len(m.Values) / m.Dim) {
		m.Keys = append(m.Keys, int64(key))
	}
	for i := range m.Values {
		m.Values[i] = random.Float32() - 0.5
	}
	return m, m.Values[:16]
}

func TestALargeMatrixIsSearchedAsOne(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	m, query := largeMatrix()
	got, err := topRows(t.Context(), m, nil, query, 25)
	require.NoError(t, err)
	assert.Equal(t, everyRow(m, query, 25), got)
}

func TestASearchOfALargeMatrixEndsWithItsContext(t *testing.T) {
	m, query := largeMatrix()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := topRows(ctx, m, nil, query, 25)
	require.ErrorIs(t, err, context.Canceled)
}
