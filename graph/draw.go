package graph

import (
	"fmt"
	"slices"
	"strings"
)

// Mermaid draws the graph as a Mermaid flowchart. Highlighted edges are thick and their nodes green; deferred nodes are
// hexagons, joins have a double border. The text is the same for the same topology.
func (t Topology) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	fmt.Fprintf(&b, "  %s([START])\n", startName)
	for i, n := range t.Nodes {
		open, end := "[", "]"
		switch {
		case slices.Contains(t.Deferred, n):
			open, end = "{{", "}}"
		case slices.Contains(t.Joins, n):
			open, end = "[[", "]]"
		}
		fmt.Fprintf(&b, "  n%d%s\"%s\"%s\n", i, open, mermaidText(n), end)
	}
	fmt.Fprintf(&b, "  %s([END])\n", endName)
	for _, e := range t.Edges {
		b.WriteString("  " + t.mermaidID(e.From) + " " + mermaidArrow(e.Label, t.took(e)) + " " + t.mermaidID(e.To) + "\n")
	}
	var visited []string
	for _, n := range slices.Concat([]string{startName}, t.Nodes, []string{endName}) {
		if t.visited(n) {
			visited = append(visited, t.mermaidID(n))
		}
	}
	if len(visited) > 0 {
		b.WriteString("  classDef taken stroke:#2a2,stroke-width:3px\n")
		b.WriteString("  class " + strings.Join(visited, ",") + " taken\n")
	}
	return b.String()
}

// mermaidID numbers the nodes, since Mermaid has reserved words.
func (t Topology) mermaidID(name string) string {
	if i := slices.Index(t.Nodes, name); i >= 0 {
		return fmt.Sprintf("n%d", i)
	}
	return name
}

func mermaidArrow(label string, taken bool) string {
	arrow := "-->"
	switch {
	case taken:
		arrow = "==>"
	case label == gotoLabel, label == sendLabel, label == errorLabel:
		arrow = "-.->"
	}
	if label == "" {
		return arrow
	}
	return arrow + `|"` + mermaidText(label) + `"|`
}

func mermaidText(s string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "\n", " ").Replace(s)
}

// DOT draws the graph in the language of Graphviz. Highlighted edges and their nodes are bold and green; deferred nodes
// are hexagons, joins have a double border. The text is the same for the same topology.
func (t Topology) DOT() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %q {\n  rankdir=TB;\n  node [shape=box];\n", t.Name)
	for _, n := range slices.Concat([]string{startName}, t.Nodes, []string{endName}) {
		var attrs []string
		switch {
		case n == startName, n == endName:
			attrs = append(attrs, "shape=oval")
		case slices.Contains(t.Deferred, n):
			attrs = append(attrs, "shape=hexagon")
		case slices.Contains(t.Joins, n):
			attrs = append(attrs, "peripheries=2")
		}
		if t.visited(n) {
			attrs = append(attrs, "color=green", "penwidth=2")
		}
		fmt.Fprintf(&b, "  %q%s;\n", n, dotAttrs(attrs))
	}
	for _, e := range t.Edges {
		var attrs []string
		if e.Label != "" {
			attrs = append(attrs, fmt.Sprintf("label=%q", e.Label))
		}
		if e.Label == gotoLabel || e.Label == sendLabel || e.Label == errorLabel {
			attrs = append(attrs, "style=dashed")
		}
		if t.took(e) {
			attrs = append(attrs, "color=green", "penwidth=2")
		}
		fmt.Fprintf(&b, "  %q -> %q%s;\n", e.From, e.To, dotAttrs(attrs))
	}
	b.WriteString("}\n")
	return b.String()
}

func dotAttrs(attrs []string) string {
	if len(attrs) == 0 {
		return ""
	}
	return " [" + strings.Join(attrs, ", ") + "]"
}
