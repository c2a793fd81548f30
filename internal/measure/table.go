package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// floorRows are the rows of the table of floors, with its heading.
func floorRows(r *results) [][]string {
	rows := [][]string{{"workload", "floor", "measured", "±", "ratio", "target", ""}}
	seen := make([]bool, len(targets))
	for _, c := range r.compare() {
		rows = append(rows, c.row(seen))
		for i := range targets {
			if t := &targets[i]; t.fits(&c) && !seen[i] && t.unit != c.unit && c.ours.values[t.unit] != nil {
				seen[i] = true
				rows = append(rows, comparison{ours: c.ours, unit: t.unit}.rowOf(t))
			}
		}
	}
	for i := range targets {
		if !seen[i] {
			rows = append(rows, []string{targets[i].title(), "", "", "", "", targets[i].text(), "not measured"})
		}
	}
	return rows
}

// row is the row of a comparison. It marks the target that it answers as seen.
func (c comparison) row(seen []bool) []string {
	for i := range targets {
		if t := &targets[i]; t.fits(&c) && t.unit == c.unit && (!seen[i] || t.ratio > 0) {
			seen[i] = true
			return c.rowOf(t)
		}
	}
	return c.rowOf(nil)
}

// rowOf is the row of a comparison with its target, which may be nil.
func (c comparison) rowOf(t *target) []string {
	value, unit := c.ours.median(c.unit), c.unit
	if t != nil && t.per > 0 {
		value, unit = value/t.per, t.perUnit
	}
	row := []string{c.ours.pkg + " " + c.ours.name, "–", amount(value, unit), percent(c.ours.spread(c.unit)), "–", "", ""}
	ratio := 0.0
	if c.floor != nil {
		low := c.floor.median(c.unit)
		row[1] = amount(low, unit)
		if _, suffix := cutSuffix(c.floor.sub()); suffix != "" {
			row[1] += " (" + suffix + ")"
		}
		if low > 0 {
			ratio = value / low
			row[4] = figure(ratio)
		}
	}
	if t == nil {
		return row
	}
	row[5], row[6] = t.text(), "MISSED"
	switch {
	case t.ratio > 0 && ratio == 0:
		row[6] = "no floor measured"
	case t.met(value, ratio):
		row[6] = "met"
	}
	return row
}

// printTable prints rows as a Markdown table with aligned columns. The first row is the heading.
func printTable(w io.Writer, rows [][]string) error {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for n, row := range rows {
		for i, cell := range row {
			b.WriteString("| " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+1))
		}
		b.WriteString("|\n")
		if n == 0 {
			for _, width := range widths {
				b.WriteString("|" + strings.Repeat("-", width+2))
			}
			b.WriteString("|\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// amount is a value with its unit, times in the unit of time that reads best.
func amount(v float64, unit string) string {
	per, isTime := strings.CutPrefix(unit, "ns/")
	if !isTime {
		return figure(v) + " " + unit
	}
	scale := "ns"
	for _, next := range []string{"µs", "ms", "s"} {
		if v < 1000 {
			break
		}
		v, scale = v/1000, next
	}
	if per == "op" {
		return figure(v) + " " + scale
	}
	return figure(v) + " " + scale + "/" + per
}

// figure is a number with three significant digits, whole from 100 on.
func figure(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", share*100) }
