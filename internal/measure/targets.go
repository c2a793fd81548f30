package main

// A target is what a workload of the cost table has to reach. Either most or ratio is set.
type target struct {
	pkg, name string  // of our side
	unit      string  // what is measured
	per       float64 // divides it, and
	perUnit   string  // is this many of those; 0 = nothing to divide
	most      float64 // of it, 0 = no such limit
	ratio     float64 // to the floor: at most for a cost, at least for a rate; 0 = no such limit
}

// targets is the cost table of the runtime, with the floors that its benchmarks name.
var targets = []target{
	{pkg: "graph", name: "Loop/graph", unit: "ns/step", most: 150},
	{pkg: "graph", name: "Loop/graph", unit: "allocs/op", per: 1000, perUnit: "allocs/step", most: 1},
	{pkg: "graph", name: "FanOut/graph", unit: "ns/op", ratio: 1.5},
	{pkg: "graph", name: "History/graph", unit: "ns/step", ratio: 1.5},
	{pkg: "store/sqlite", name: "Step/graph", unit: "ns/step", ratio: 1.5},
	{pkg: "store/sqlite", name: "Pending/graph", unit: "ns/write", ratio: 1.5},
	{pkg: "store/sqlite", name: "GroupCommit/store", unit: "commits/s", ratio: 0.7},
	{pkg: "store/postgres", name: "Commit/durable/store", unit: "commits/s", ratio: 0.7},
	{pkg: "store/postgres", name: "Commit/no_fsync/store", unit: "commits/s", ratio: 0.7},
}

// title names the workload of a target.
func (t *target) title() string { return t.pkg + " " + t.name }

// text is the target for people.
func (t *target) text() string {
	switch {
	case t.most > 0:
		return "≤ " + amount(t.most, t.shownUnit())
	case isRate(t.unit):
		return "≥ " + figure(t.ratio) + " × floor"
	default:
		return "≤ " + figure(t.ratio) + " × floor"
	}
}

func (t *target) shownUnit() string {
	if t.per > 0 {
		return t.perUnit
	}
	return t.unit
}

// fits reports whether the target is about a comparison.
func (t *target) fits(c *comparison) bool {
	return t.pkg == c.ours.pkg && t.name == c.ours.name
}

// met reports whether a measured value and its ratio to the floor reach the target.
func (t *target) met(value, ratio float64) bool {
	switch {
	case t.most > 0:
		return value <= t.most
	case isRate(t.unit):
		return ratio >= t.ratio
	default:
		return ratio <= t.ratio
	}
}
