package eval

import (
	"maps"
	"slices"
	"strconv"
)

// Case is how one case of a set came out. Two configurations are compared case by case; see [Compare].
type Case struct {
	Task string `json:"task,omitempty"`
	Set  string `json:"set,omitempty"`
	Part string `json:"part,omitempty"`
	ID   string `json:"id"` // unique in its set
	// Values are the case's shares in the metrics that are means over the cases.
	Values map[string]float64 `json:"values,omitempty"`
	// Score and Positive are what metrics like auc are made of; nil where there are none.
	Score    *float64 `json:"score,omitempty"`
	Positive *bool    `json:"positive,omitempty"`
}

// averaged is the result of metrics that are means over the cases, with their intervals.
func averaged(list []Case, config map[string]string) Result {
	r := Result{N: len(list), Config: config, Metrics: map[string]float64{}, Intervals: map[string][2]float64{}, Cases: list}
	for _, name := range valueNames(list) {
		mean := func(cases []Case) float64 { return meanOf(cases, name) }
		r.Metrics[name], r.Intervals[name] = mean(list), interval(list, mean)
	}
	return r
}

// valueNames are the names of the values that the cases have, sorted.
func valueNames(list []Case) []string {
	names := map[string]bool{}
	for _, c := range list {
		for name := range c.Values {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// meanOf is the mean of a value over the cases that have it; 0 when none has.
func meanOf(list []Case, name string) float64 {
	sum, n := 0.0, 0
	for _, c := range list {
		if v, ok := c.Values[name]; ok {
			sum += v
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// scoredCases are the cases of a score, with ids, or with their place in the data where ids is nil.
func scoredCases(list []scored, ids []string) []Case {
	out := make([]Case, len(list))
	for i, s := range list {
		out[i] = Case{ID: strconv.Itoa(i), Score: new(s.score), Positive: new(s.positive)}
		if ids != nil {
			out[i].ID = ids[i]
		}
	}
	return out
}

// scoredOf are the scored cases among list.
func scoredOf(list []Case) []scored {
	var out []scored
	for _, c := range list {
		if c.Score != nil && c.Positive != nil {
			out = append(out, scored{*c.Score, *c.Positive})
		}
	}
	return out
}
