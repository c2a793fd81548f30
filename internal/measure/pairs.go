package main

import (
	"maps"
	"slices"
	"strings"
)

// A comparison is a workload, its floor and who is measured against it.
type comparison struct {
	ours  *result
	floor *result // nil = nobody has written one
	unit  string
}

// compare pairs all benchmarks with their floors, in the order in which they ran.
func (r *results) compare() []comparison {
	var list []comparison
	for _, b := range r.list {
		if isFloor(b) {
			continue
		}
		floors := r.floorsOf(b)
		if len(floors) == 0 {
			list = append(list, comparison{ours: b, unit: units(b, b)[0]})
		}
		for _, f := range floors {
			for _, unit := range units(b, f) {
				list = append(list, comparison{b, f, unit})
			}
		}
	}
	return list
}

func isFloor(b *result) bool {
	base, _ := cutSuffix(b.sub())
	return b.group() != "" && base == "floor"
}

// cutSuffix splits "graph-700B" and "floor=fts5" into name and suffix.
func cutSuffix(sub string) (name, suffix string) {
	if i := strings.IndexAny(sub, "-="); i > 0 {
		return sub[:i], sub[i+1:]
	}
	return sub, ""
}

// floorsOf lists the floors of a benchmark: that with its own suffix and, for one without, those whose suffix nobody has.
func (r *results) floorsOf(b *result) []*result {
	_, suffix := cutSuffix(b.sub())
	var floors []*result
	for _, f := range r.list {
		if f.pkg != b.pkg || f.group() != b.group() || !isFloor(f) {
			continue
		}
		_, of := cutSuffix(f.sub())
		if of == suffix || suffix == "" && !r.pairs(f, of) {
			floors = append(floors, f)
		}
	}
	return floors
}

// pairs reports whether a benchmark beside the floor f has its suffix.
func (r *results) pairs(f *result, suffix string) bool {
	return slices.ContainsFunc(r.list, func(b *result) bool {
		_, s := cutSuffix(b.sub())
		return b.pkg == f.pkg && b.group() == f.group() && !isFloor(b) && s == suffix
	})
}

// units lists what a and b are compared by: the metrics of their own that both have, else ns/op.
func units(a, b *result) []string {
	var own []string
	for _, unit := range slices.Sorted(maps.Keys(a.values)) {
		switch unit {
		case "ns/op", "B/op", "allocs/op":
		default:
			if b.values[unit] != nil {
				own = append(own, unit)
			}
		}
	}
	if len(own) > 0 {
		return own
	}
	return []string{"ns/op"}
}

// isRate reports whether more of a unit is better.
func isRate(unit string) bool { return strings.HasSuffix(unit, "/s") }
