package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
)

// Difference is how much better or worse a metric is than in a baseline, on the same cases.
type Difference struct {
	Task     string     `json:"task"`
	Set      string     `json:"set"`
	Part     string     `json:"part"`
	Metric   string     `json:"metric"`
	N        int        `json:"n"` // cases that both have
	Baseline float64    `json:"baseline"`
	Now      float64    `json:"now"`
	Delta    float64    `json:"delta"`    // Now − Baseline
	Interval [2]float64 `json:"interval"` // 95 % of Delta by 1,000 paired bootstrap resamples of the cases, with a fixed seed
	// P is the two-sided p-value of that bootstrap: twice the smaller share of resamples on one side of zero, at least
	// 1/1000 and at most 1.
	P float64 `json:"p"`
}

// Significant says whether the interval leaves zero out.
func (d Difference) Significant() bool { return d.Interval[0] > 0 || d.Interval[1] < 0 }

// pair is one case in both configurations.
type pair struct{ base, now Case }

// Compare compares each metric that is made of cases, set by set, in the order of now. Cases that only one side has are left
// out; sets and metrics of which nothing is left are not listed.
func Compare(baseline, now []Case) []Difference {
	var out []Difference
	for _, set := range paired(baseline, now) {
		for _, metric := range metricsOf(set) {
			out = append(out, difference(set, metric))
		}
	}
	return out
}

// paired are the cases that both sides have, set by set.
func paired(baseline, now []Case) (sets [][]pair) {
	type key struct{ task, set, part string }
	known := make(map[caseKey]Case, len(baseline))
	for _, c := range baseline {
		known[c.key()] = c
	}
	at := map[key]int{}
	for _, c := range now {
		base, ok := known[c.key()]
		if !ok {
			continue
		}
		k := key{c.Task, c.Set, c.Part}
		i, ok := at[k]
		if !ok {
			i = len(sets)
			at[k], sets = i, append(sets, nil)
		}
		sets[i] = append(sets[i], pair{base, c})
	}
	return sets
}

// caseKey names a case across runs.
type caseKey struct{ task, set, part, id string }

func (c Case) key() caseKey { return caseKey{c.Task, c.Set, c.Part, c.ID} }

// pairMetric is a metric with how it comes from the cases of one side.
type pairMetric struct {
	name string
	of   func([]Case) float64
}

// metricsOf are the metrics that can be made of both sides.
func metricsOf(set []pair) []pairMetric {
	base, now := sides(set)
	var list []pairMetric
	has := valueNames(base)
	for _, name := range valueNames(now) {
		if slices.Contains(has, name) {
			list = append(list, pairMetric{name, func(cases []Case) float64 { return meanOf(cases, name) }})
		}
	}
	if len(scoredOf(base)) == len(set) && len(scoredOf(now)) == len(set) {
		list = append(list, pairMetric{"auc", func(cases []Case) float64 { return auc(scoredOf(cases)) }})
	}
	return list
}

func sides(set []pair) (base, now []Case) {
	for _, p := range set {
		base, now = append(base, p.base), append(now, p.now)
	}
	return base, now
}

// difference compares one metric.
func difference(set []pair, metric pairMetric) Difference {
	base, now := sides(set)
	first := now[0]
	d := Difference{Task: first.Task, Set: first.Set, Part: first.Part, Metric: metric.name, N: len(set), Baseline: metric.of(base), Now: metric.of(now)}
	d.Delta = d.Now - d.Baseline
	rng := rand.New(rand.NewPCG(resampleSeed1, resampleSeed2))
	deltas := make([]float64, resamples)
	sampleBase, sampleNow := make([]Case, len(set)), make([]Case, len(set))
	for i := range deltas {
		for j := range set {
			n := rng.IntN(len(set))
			sampleBase[j], sampleNow[j] = base[n], now[n]
		}
		deltas[i] = metric.of(sampleNow) - metric.of(sampleBase)
	}
	slices.Sort(deltas)
	d.Interval = [2]float64{deltas[resamples*25/1000], deltas[resamples*975/1000-1]}
	d.P = twoSided(deltas)
	return d
}

// twoSided is the p-value of sorted differences.
func twoSided(deltas []float64) float64 {
	notAbove, _ := slices.BinarySearchFunc(deltas, 0.0, func(x, t float64) int { return cmp.Or(cmp.Compare(x, t), -1) })
	below, _ := slices.BinarySearch(deltas, 0)
	tail := min(notAbove, len(deltas)-below)
	return min(1, max(2*float64(tail), 1)/float64(len(deltas)))
}

// WriteCases writes cases as JSON lines, which ReadCases reads.
func WriteCases(w io.Writer, list []Case) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, c := range list {
		if err := e.Encode(c); err != nil {
			return fmt.Errorf("write the cases: %w", err)
		}
	}
	return nil
}

// ReadCases reads the file that `kbagent eval --json-cases` wrote. A file that does not exist is a *UsageError.
func ReadCases(path string) ([]Case, error) {
	list, err := rows[Case](path)
	for i, c := range list {
		if c.Task == "" || c.Set == "" {
			return nil, usagef("%s line %d is no case of a set: --baseline is a file that --json-cases wrote", path, i+1)
		}
	}
	return list, err
}
