package eval

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/kbagent/kbagent/index/text"
)

func TestWice(t *testing.T) {
	dir := os.Getenv("EVALDIR")
	if dir == "" {
		t.Skip()
	}
	for _, set := range []string{"wice", "faithbench"} {
		var s claimSet
		if set == "wice" {
			s, _ = loadWice(source{dir, "dev"})
		} else {
			s, _ = loadFaithbench(source{dir, "dev"})
		}
		cols := map[string][]scored{}
		for _, c := range s.cases {
			add := func(n string, x float64) { cols[n] = append(cols[n], scored{x, c.positive}) }
			have := map[string]bool{}
			pt := text.Terms(c.passage)
			for _, x := range pt {
				have[x] = true
			}
			big := map[string]bool{}
			raw := strings.Fields(strings.ToLower(c.passage))
			rawset := map[string]bool{}
			for i := range raw {
				rawset[strings.Trim(raw[i], ".,;:()\"'")] = true
				if i > 0 {
					big[raw[i-1]+" "+raw[i]] = true
				}
			}
			ct := text.Terms(c.claim)
			n, miss, mi, ti := 0.0, 0.0, 0.0, 0.0
			for _, x := range ct {
				n++
				ti += s.idf(x)
				if !have[x] {
					miss++
					mi += s.idf(x)
				}
			}
			rc := strings.Fields(strings.ToLower(c.claim))
			rm := 0.0
			bm := 0.0
			for i, x := range rc {
				if !rawset[strings.Trim(x, ".,;:()\"'")] {
					rm++
				}
				if i > 0 && !big[rc[i-1]+" "+x] {
					bm++
				}
			}
			add("len", -n)
			add("missN", -miss)
			add("missShare", -miss/n)
			add("missIdf", -mi)
			add("missIdfShare", -mi/ti)
			add("rawmissN", -rm)
			add("rawmissShare", -rm/float64(len(rc)))
			add("bimissN", -bm)
			add("bimissShare", -bm/float64(len(rc)))
			add("evlen", float64(len(raw)))
			add("missN/sqrt", -miss/math.Sqrt(n))
		}
		fmt.Println(set)
		for k, v := range cols {
			fmt.Printf("  %s %.3f\n", k, auc(v))
		}
	}
}
