package graph_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
)

// Looking back costs O(log): the time per checkpoint stays, however long the thread is. Each update has 700 bytes.
// A fork is one At and one commit.
func BenchmarkThePast(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		thread := chain(b, nil, "a").Thread("t")
		_, err := thread.Invoke(b.Context(), step{})
		require.NoError(b, err)
		value := fmt.Sprintf("%0700d", n)
		for range n {
			_, err := thread.UpdateState(b.Context(), step{Value: graph.To(value)})
			require.NoError(b, err)
		}
		b.Run(fmt.Sprintf("history/checkpoints=%d", n), func(b *testing.B) {
			for b.Loop() {
				for _, err := range thread.History(b.Context()) {
					require.NoError(b, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/checkpoint")
		})
		b.Run(fmt.Sprintf("at/checkpoints=%d", n), func(b *testing.B) {
			for b.Loop() {
				_, _, err := thread.At(b.Context(), int64(n))
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/checkpoint")
		})
	}
}
