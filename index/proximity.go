package index

import (
	"slices"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index/text"
)

// BM25 does not see where words stand. A sum s becomes s·(1+c), c from 0 to nearWeight being the mean, over the pairs of query
// terms that follow each other or have one term between them (which count half), of 1/(1+d), where d is their smallest
// distance in the passage, 0 beyond proximityWindow terms. (A light form of the sequential dependence model, Metzler and Croft, SIGIR
// 2005.) Measured as nDCG@10: passages of covidqa .689 → .718. Pairs of characters are left out: there a term already is a pair of
// neighbours.
const (
	nearWeight      = 1.5
	skipWeight      = 0.5
	proximityWindow = 10
)

// termPair is two terms that should stand near each other.
type termPair struct {
	a, b   string
	weight float64
}

// nearness gives the factor for the i-th passage, places being where the terms stand in each.
func nearness(terms []string, places []map[string][]int) func(i int) float64 {
	found := map[string]bool{} // terms that no candidate holds make no pair
	for _, p := range places {
		for t := range p {
			found[t] = true
		}
	}
	pairs, total := neighbours(terms, found)
	return func(i int) float64 {
		sum := 0.0
		for _, p := range pairs {
			if d := distance(places[i][p.a], places[i][p.b]); d <= proximityWindow {
				sum += p.weight / float64(1+d)
			}
		}
		return 1 + nearWeight*sum/max(total, skipWeight)
	}
}

// placesOf returns where each of terms stands in s.
func placesOf(s string, terms []string) map[string][]int {
	places := make(map[string][]int, len(terms))
	for i, t := range text.Terms(s) {
		if slices.Contains(terms, t) {
			places[t] = append(places[t], i)
		}
	}
	return places
}

// neighbours are the pairs of terms that are near each other in the query, without pairs of characters, and the sum of their weights.
func neighbours(terms []string, found map[string]bool) (pairs []termPair, total float64) {
	for i := range terms {
		for back, weight := range []float64{0, 1, skipWeight} {
			if back == 0 || back > i {
				continue
			}
			a, b := terms[i-back], terms[i]
			if found[a] && found[b] && a[0] < utf8.RuneSelf && b[0] < utf8.RuneSelf {
				pairs = append(pairs, termPair{a, b, weight})
				total += weight
			}
		}
	}
	return pairs, total
}

// distance is the smallest distance between a place in a and one in b, both ascending; beyond proximityWindow when there is none.
func distance(a, b []int) int {
	best := proximityWindow + 1
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if a[i] < b[j] {
			best = min(best, b[j]-a[i])
			i++
		} else {
			best = min(best, a[i]-b[j])
			j++
		}
	}
	return best
}
