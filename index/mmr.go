package index

import (
	"math"

	"github.com/kbagent/kbagent/index/text"
)

// MMR returns k of hits, chosen by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): one after the other, the
// hit with the highest lambda·relevance − (1−lambda)·similarity, where relevance is its score divided by the best one, and
// similarity, 0 to 1, that to the most similar hit chosen before. lambda is 0 to 1: 1 keeps the order of the scores, less
// prefers what is new. Ties keep the order of hits. Hits keep their scores, which therefore need not fall; hits is not
// changed. It asks for len(hits)·k similarities at most.
func MMR(hits []Hit, lambda float64, k int, similarity func(a, b int) float64) []Hit {
	left := make([]int, len(hits))
	nearest := make([]float64, len(hits)) // the highest similarity to a chosen hit
	best := 0.0
	for i, h := range hits {
		left[i] = i
		best = max(best, h.Score)
	}
	chosen := make([]Hit, 0, max(0, min(k, len(hits))))
	for len(chosen) < cap(chosen) {
		pick, top := 0, math.Inf(-1)
		for at, i := range left {
			relevance := 1.0
			if best > 0 {
				relevance = hits[i].Score / best
			}
			if value := lambda*relevance - (1-lambda)*nearest[i]; value > top {
				pick, top = at, value
			}
		}
		taken := left[pick]
		left = append(left[:pick], left[pick+1:]...)
		chosen = append(chosen, hits[taken])
		for _, i := range left {
			nearest[i] = max(nearest[i], similarity(i, taken))
		}
	}
	return chosen
}

// wordSimilarity is the cosine of the counts of terms of two hits: 1 for equal texts, 0 for texts without a common term.
func wordSimilarity(hits []Hit) func(a, b int) float64 {
	counts, length := make([]map[string]float64, len(hits)), make([]float64, len(hits))
	for i, h := range hits {
		counts[i] = map[string]float64{}
		for _, t := range text.Terms(h.Content) {
			counts[i][t]++
		}
		for _, n := range counts[i] {
			length[i] += n * n
		}
	}
	return func(a, b int) float64 {
		if len(counts[a]) > len(counts[b]) {
			a, b = b, a
		}
		sum := 0.0
		for t, n := range counts[a] {
			sum += n * counts[b][t]
		}
		if sum == 0 {
			return 0
		}
		return sum / math.Sqrt(length[a]*length[b])
	}
}
