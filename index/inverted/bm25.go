package inverted

import "math"

// BM25 as SQLite's FTS5 has it: k1 and b, and the idf of a term that more than half of the documents hold.
const (
	k1     = 1.2
	b      = 0.75
	minIDF = 1e-6
)

// unit is the score 1 as a whole number. A share is at most about 2.2·idf, so that sums of 256 terms stay far below 2⁶³.
const unit = 1 << 44

// idf is the weight of a term that df of docs documents hold.
func idf(docs, df int) float64 {
	v := math.Log((float64(docs) - float64(df) + 0.5) / (float64(df) + 0.5))
	if v <= 0 {
		return minIDF
	}
	return v
}

// A scorer gives what one term adds to the score of a document.
type scorer struct{ factor, base, slope float64 }

func newScorer(stats Stats, df int, weight float64) scorer {
	average := float64(stats.Tokens) / float64(max(stats.Docs, 1))
	return scorer{factor: weight * idf(stats.Docs, df) * (k1 + 1) * unit, base: k1 * (1 - b), slope: k1 * b / max(average, 1e-9)}
}

// share is for a document of length terms that holds the term tf times. It grows with tf and falls with length.
func (s scorer) share(tf, length uint32) int64 {
	f := float64(tf)
	return int64(s.factor * f / (f + s.base + s.slope*float64(length)))
}

// bound is at least the share of every document that holds the term at most tf times and is at least length long.
func (s scorer) bound(tf, length uint32) int64 { return s.share(tf, length) + 1 }
