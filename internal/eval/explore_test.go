package eval

import (
	"fmt"
	"os"
	"testing"

	"github.com/kbagent/kbagent/verify"
)

func feats(s verify.Signals) ([]string, []float64) {
	return []string{"all", "best", "three", "pairs", "missing", "rarest", "numbers", "names", "against", "for", "neg", "number", "swap"},
		[]float64{s.All, s.Best, s.Three, s.Pairs, s.Missing, s.Rarest, s.Numbers, s.Names, s.Clash.Against, s.Clash.For, s.Clash.Negation, s.Clash.Number, s.Clash.Swap}
}

func TestExplore(t *testing.T) {
	dir := os.Getenv("EVALDIR")
	if dir == "" {
		t.Skip()
	}
	for _, g := range groundingSets {
		set, err := g.load(source{dir, "dev"})
		if err != nil {
			t.Fatal(err)
		}
		var cols [][]scored
		var names []string
		for _, c := range set.cases {
			n, f := feats(verify.Measure(c.claim, c.passage, set.idf))
			names = n
			if cols == nil {
				cols = make([][]scored, len(f))
			}
			for i, x := range f {
				cols[i] = append(cols[i], scored{x, c.positive})
			}
		}
		fmt.Print(g.name, len(set.cases))
		for i, n := range names {
			fmt.Printf("  %s %.3f", n, auc(cols[i]))
		}
		fmt.Println()
	}
}
