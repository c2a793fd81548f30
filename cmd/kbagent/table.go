package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/kbagent/kbagent/internal/mask"
)

// table is rows of columns under a heading; its cells cannot steer a terminal.
type table struct{ rows [][]string }

func newTable(heads ...string) *table { return &table{[][]string{heads}} }

func (t *table) row(cells ...string) {
	for i := range cells {
		cells[i] = mask.TerminalLine(cells[i])
	}
	t.rows = append(t.rows, cells)
}

func (t *table) print(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, cells := range t.rows {
		if _, err := fmt.Fprintln(tw, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return tw.Flush()
}
