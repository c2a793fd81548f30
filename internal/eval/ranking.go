package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// recallAt are the depths at which recall is measured.
var recallAt = []int{1, 5, 10, 20}

// rankedDepth is where mrr and ndcg end.
const rankedDepth = 10

// ranking measures one ranked list of names, best first, each once. gains are those of the relevant ones, above 0.
func ranking(names []string, gains map[string]float64) map[string]float64 {
	values := map[string]float64{"mrr@10": 0, "ndcg@10": 0}
	dcg, hits := 0.0, 0
	for _, k := range recallAt {
		values[recallName(k)] = 0
	}
	for i, name := range names {
		gain, ok := gains[name]
		if !ok {
			continue
		}
		hits++
		if i < rankedDepth {
			dcg += gain / math.Log2(float64(i+2))
			if values["mrr@10"] == 0 {
				values["mrr@10"] = 1 / float64(i+1)
			}
		}
		for _, k := range recallAt {
			if i < k {
				values[recallName(k)] = ratio(hits, len(gains))
			}
		}
	}
	values["ndcg@10"] = dcg / idealGain(gains)
	return values
}

func recallName(k int) string { return fmt.Sprintf("recall@%d", k) }

// idealGain is the discounted gain of the best possible first ten.
func idealGain(gains map[string]float64) float64 {
	sorted := slices.SortedFunc(maps.Values(gains), func(a, b float64) int { return cmp.Compare(b, a) })
	sum := 0.0
	for i, gain := range sorted[:min(len(sorted), rankedDepth)] {
		sum += gain / math.Log2(float64(i+2))
	}
	return sum
}

// unmarshalAnswer reads {"text", "start"} or a bare string.
func unmarshalAnswer(data []byte, a *answer) error {
	if len(data) > 0 && data[0] == '"' {
		a.Start = -1
		return json.Unmarshal(data, &a.Text)
	}
	type span answer
	return json.Unmarshal(data, (*span)(a))
}
