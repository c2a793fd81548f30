package indextest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kbagent/kbagent/index"
)

// testBM25 compares the sums with BM25 by its definition while files come, change and go.
func testBM25(t *testing.T, s index.Store) {
	const seed = 20261121
	random := rand.New(rand.NewPCG(seed, 0))
	model := map[string]index.Document{}
	for range 40 {
		apply(t, s, randomChange(random, model))
		for range 3 {
			terms, half := randomTerms(random, 1+random.IntN(5)), randomTerms(random, random.IntN(3))
			half = slices.DeleteFunc(half, func(t string) bool { return slices.Contains(terms, t) })
			q := index.KeywordQuery{Terms: terms, Half: half, K: 1 + random.IntN(30)}
			compareBM25(t, must(s.Keyword(t.Context(), q))(t), model, q)
			freq, passages, err := s.DocFreq(t.Context(), terms)
			if err != nil {
				t.Fatal(err)
			}
			_, wantFreq, wantPassages := bm25(model, q)
			want(t, "passages", passages, wantPassages)
			for _, term := range terms {
				want(t, "passages with "+term, freq[term], wantFreq[term])
			}
		}
		if t.Failed() {
			t.Fatalf("with the seed %d", seed)
		}
	}
}

// randomChange puts and removes a few files, in model too.
func randomChange(random *rand.Rand, model map[string]index.Document) (c index.Change) {
	path := func() string { return fmt.Sprintf("f%02d.md", random.IntN(60)) }
	for range random.IntN(5) {
		name := path()
		c.Remove = append(c.Remove, index.FileKey{Root: "/r", Path: name})
		delete(model, name)
	}
	for range random.IntN(12) {
		contents := make([]string, random.IntN(6))
		for i := range contents {
			contents[i] = strings.Join(randomTerms(random, 1+random.IntN(20)), " ")
		}
		doc := document("/r", path(), contents...)
		c.Put = append(c.Put, doc) // now and then twice the same file: the last one counts
		model[doc.Path] = doc
	}
	return c
}

func randomTerms(random *rand.Rand, n int) []string {
	terms := make([]string, n)
	for i := range terms {
		terms[i] = fmt.Sprintf("w%d", int(40*random.Float64()*random.Float64()))
	}
	return terms
}

// bm25 are the sums of the passages of model by their IDs, how many passages hold each term, and how many there are.
func bm25(model map[string]index.Document, q index.KeywordQuery) (sums map[string]float64, freq map[string]int, passages int) {
	counts := map[string]map[string]int{} // by passage and term
	freq, sums = map[string]int{}, map[string]float64{}
	length, total := map[string]int{}, 0
	for _, doc := range model {
		for _, p := range doc.Passages {
			counts[p.ID] = map[string]int{}
			for _, term := range slices.Concat(p.Terms.Title, p.Terms.Section, p.Terms.Body) {
				counts[p.ID][term]++
				length[p.ID]++
				total++
			}
			for term := range counts[p.ID] {
				freq[term]++
			}
		}
	}
	n := float64(len(counts))
	add := func(id, term string, weight float64) {
		tf, df := float64(counts[id][term]), float64(freq[term])
		if tf == 0 {
			return
		}
		idf := math.Max(math.Log((n-df+0.5)/(df+0.5)), 1e-6)
		sums[id] += weight * idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*float64(length[id])*n/float64(total)))
	}
	for id := range counts {
		for i, term := range q.Terms {
			if !slices.Contains(q.Terms[:i], term) {
				add(id, term, 1)
			}
		}
		for i, term := range q.Half {
			if !slices.Contains(q.Half[:i], term) {
				add(id, term, 0.5)
			}
		}
	}
	return sums, freq, len(counts)
}

// compareBM25 checks got, the sum of each match and that no better one was left out. Sums may differ by what rounding does.
func compareBM25(t *testing.T, got []index.Match, model map[string]index.Document, q index.KeywordQuery) {
	t.Helper()
	sums, _, _ := bm25(model, q)
	best := make([]float64, 0, len(sums))
	for _, sum := range sums {
		best = append(best, sum)
	}
	slices.SortFunc(best, func(a, b float64) int { return sign(b - a) })
	want(t, "matches", len(got), min(q.K, len(best)))
	for i, m := range got[:min(len(got), len(best))] {
		const rounding = 1e-9
		if math.Abs(m.Score-sums[m.Passage.ID]) > rounding {
			t.Errorf("%+v: the sum of %q is %v, want %v", q, m.Passage.Content, m.Score, sums[m.Passage.ID])
		}
		if math.Abs(m.Score-best[i]) > rounding {
			t.Errorf("%+v: match %d has %v, want %v", q, i, m.Score, best[i])
		}
	}
}
