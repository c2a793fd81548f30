package index

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/viterin/vek/vek32"
)

// randomMatrix is rows vectors of 384 values of length about 1.
func randomMatrix(rows int) *Vectors {
	random := rand.New(rand.NewPCG(5, 6))
	m := &Vectors{Stamp: "s", Dim: 384, Keys: make([]int64, rows), Values: make([]float32, rows*384)}
	for i := range m.Keys {
		m.Keys[i] = int64(i)
	}
	for i := range m.Values {
		m.Values[i] = (random.Float32() - 0.5) / 5.7
	}
	return m
}

// BenchmarkNearest takes the best 10 of so many vectors of 384 values; its floor reads each value once, on one processor.
func BenchmarkNearest(b *testing.B) {
	for _, rows := range []int{20_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			if rows > 100_000 && testing.Short() {
				b.Skip("1.5 GB")
			}
			m := randomMatrix(rows)
			b.Run("index", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					query := m.Values[i%rows*384 : (i%rows+1)*384]
					got, err := topRows(b.Context(), m, nil, query, 10)
					require.NoError(b, err)
					require.Equal(b, i%rows, got[0].row)
				}
			})
			b.Run("one-processor", func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				for b.Loop() {
					_, err := topRows(b.Context(), m, nil, m.Values[:384], 10)
					require.NoError(b, err)
				}
			})
			b.Run("floor=read", func(b *testing.B) {
				var sum float32
				for b.Loop() {
					sum += vek32.Sum(m.Values)
				}
				runtime.KeepAlive(sum)
			})
		})
	}
}

// BenchmarkVectorFile reads and writes the copy of 20,000 and of 100,000 vectors.
func BenchmarkVectorFile(b *testing.B) {
	for _, rows := range []int{20_000, 100_000} {
		m := randomMatrix(rows)
		path := filepath.Join(b.TempDir(), "vectors.bin")
		b.Run(fmt.Sprintf("rows=%d/write", rows), func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, writeVectors(path, m, "m"))
			}
		})
		b.Run(fmt.Sprintf("rows=%d/read", rows), func(b *testing.B) {
			for b.Loop() {
				got, err := readVectors(path, "s", "m")
				require.NoError(b, err)
				require.Len(b, got.Keys, rows)
			}
		})
	}
}
