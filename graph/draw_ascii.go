package graph

import (
	"fmt"
	"slices"
	"strings"
)

// ASCII lists every node with the ways that leave it, in the order of declaration, in plain ASCII:
//
//	writer
//	START --> write
//	write --> judge
//	judge -+-(again)-> write
//	       +-(good)--> END
//
// Highlighted edges end in "=>" instead of "->". A deferred node is marked with "(deferred)", the target of a join with
// "(join)". The text is the same for the same topology.
func (t Topology) ASCII() string {
	var b strings.Builder
	b.WriteString(t.Name + "\n")
	for _, n := range slices.Concat([]string{startName}, t.Nodes) {
		var ways []Edge
		for _, e := range t.Edges {
			if e.From == n {
				ways = append(ways, e)
			}
		}
		t.asciiNode(&b, n, ways)
	}
	return b.String()
}

func (t Topology) asciiNode(b *strings.Builder, name string, ways []Edge) {
	width := 0
	for _, e := range ways {
		width = max(width, runes(asciiLabel(e)))
	}
	for i, e := range ways {
		line := "-"
		if t.took(e) {
			line = "="
		}
		lead, fork := name, " "+line
		switch {
		case i > 0:
			lead, fork = strings.Repeat(" ", runes(name)), "  +"+line
		case len(ways) > 1:
			fork = " -+" + line
		}
		label := asciiLabel(e)
		fmt.Fprintf(b, "%s%s%s%s> %s%s\n", lead, fork, label, strings.Repeat(line, width-runes(label)+1), e.To, t.asciiMark(e.To))
	}
}

func (t Topology) asciiMark(node string) string {
	mark := ""
	if slices.Contains(t.Joins, node) {
		mark += " (join)"
	}
	if slices.Contains(t.Deferred, node) {
		mark += " (deferred)"
	}
	return mark
}

func asciiLabel(e Edge) string {
	if e.Label == "" {
		return ""
	}
	return "(" + e.Label + ")"
}

func runes(s string) int { return len([]rune(s)) }
