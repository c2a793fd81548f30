package metrics

import (
	"fmt"
	"math"

	dto "github.com/prometheus/client_model/go"
)

// Distribution sums up the observations of a histogram.
type Distribution struct {
	Count int     `json:"count"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"` // estimated from buckets, at most the last edge
	P95   float64 `json:"p95"`
}

// view looks into gathered metrics.
type view map[string][]*dto.Metric

func newView(families []*dto.MetricFamily) view {
	v := view{}
	for _, f := range families {
		v[f.GetName()] = f.GetMetric()
	}
	return v
}

// metrics calls yield for those of a family that have the labels, given as names and values in turn.
func (v view) metrics(name string, where []string, yield func(labels map[string]string, m *dto.Metric)) {
	for _, m := range v[name] {
		labels := map[string]string{}
		for _, pair := range m.GetLabel() {
			labels[pair.GetName()] = pair.GetValue()
		}
		fits := true
		for i := 0; i < len(where); i += 2 {
			fits = fits && labels[where[i]] == where[i+1]
		}
		if fits {
			yield(labels, m)
		}
	}
}

// total is the sum of a counter.
func (v view) total(name string, where ...string) int {
	sum := 0.0
	v.metrics(name, where, func(_ map[string]string, m *dto.Metric) { sum += m.GetCounter().GetValue() })
	return int(math.Round(sum))
}

// counts is the sums of a counter by the values of a label.
func (v view) counts(name, label string, where ...string) Counts {
	c := Counts{}
	v.metrics(name, where, func(labels map[string]string, m *dto.Metric) {
		c[labels[label]] += int(math.Round(m.GetCounter().GetValue()))
	})
	return c
}

// distribution sums up a histogram over all labels but those given.
func (v view) distribution(name string, where ...string) Distribution {
	var h histogram
	v.metrics(name, where, func(_ map[string]string, m *dto.Metric) { h.add(m.GetHistogram()) })
	return h.distribution()
}

// distributions sums up a histogram by the values of a label.
func (v view) distributions(name, label string, where ...string) map[string]Distribution {
	all := map[string]*histogram{}
	v.metrics(name, where, func(labels map[string]string, m *dto.Metric) {
		value := labels[label]
		if all[value] == nil {
			all[value] = &histogram{}
		}
		all[value].add(m.GetHistogram())
	})
	out := map[string]Distribution{}
	for value, h := range all {
		out[value] = h.distribution()
	}
	return out
}

// steps is the counts of a histogram of whole numbers, of which each up to the last edge has a bucket of its own.
func (v view) steps(name string) Counts {
	var h histogram
	v.metrics(name, nil, func(_ map[string]string, m *dto.Metric) { h.add(m.GetHistogram()) })
	c, below := Counts{}, 0.0
	for i, edge := range h.edges {
		if n := h.cumulative[i] - below; n > 0 {
			c[fmt.Sprint(edge)] = int(n)
		}
		below = h.cumulative[i]
	}
	if n := h.count - below; n > 0 {
		c["more"] = int(n)
	}
	return c
}

// histogram is the sum of histograms with the same edges.
type histogram struct {
	edges      []float64
	cumulative []float64
	count, sum float64
}

func (h *histogram) add(other *dto.Histogram) {
	for i, b := range other.GetBucket() {
		if len(h.edges) <= i {
			h.edges, h.cumulative = append(h.edges, b.GetUpperBound()), append(h.cumulative, 0)
		}
		h.cumulative[i] += float64(b.GetCumulativeCount())
	}
	h.count += float64(other.GetSampleCount())
	h.sum += other.GetSampleSum()
}

func (h *histogram) distribution() Distribution {
	if h.count == 0 {
		return Distribution{}
	}
	return Distribution{Count: int(h.count), Mean: h.sum / h.count, P50: h.quantile(.5), P95: h.quantile(.95)}
}

// quantile takes the observations of a bucket to be spread evenly over it, as histogram_quantile of Prometheus does: those
// of the first bucket from 0, if its edge is above; those beyond the last edge lie on it.
func (h *histogram) quantile(q float64) float64 {
	rank, below := q*h.count, 0.0
	for i, upper := range h.edges {
		inside := h.cumulative[i] - below
		if h.cumulative[i] < rank || inside == 0 {
			below = h.cumulative[i]
			continue
		}
		lower := math.Min(0, upper)
		if i > 0 {
			lower = h.edges[i-1]
		}
		return lower + (upper-lower)*(rank-below)/inside
	}
	return h.edges[len(h.edges)-1]
}
