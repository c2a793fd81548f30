package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
)

// runPeers runs the benchmarks of bench/peers, a module of its own, and then those in JavaScript, which print the same
// lines. Both are run even when one fails.
func runPeers(ctx context.Context, b bench, js string) ([]byte, error) {
	root := b.dir
	b.dir, b.packages = filepath.Join(root, "bench", "peers"), []string{"."}
	text, err := b.run(ctx)
	if js == "" {
		return text, err
	}
	more, jsErr := output(ctx, filepath.Join(root, filepath.FromSlash(js)), b.progress, "node", "bench.mjs", "--count", strconv.Itoa(b.count))
	return append(append(text, '\n'), more...), errors.Join(err, jsErr)
}

// peerRows has a row for each runtime and a column for each workload.
func peerRows(r *results) [][]string {
	var workloads, peers []string
	for _, b := range r.list {
		if !slices.Contains(workloads, b.group()) {
			workloads = append(workloads, b.group())
		}
		if !slices.Contains(peers, b.sub()) {
			peers = append(peers, b.sub())
		}
	}
	rows := [][]string{append([]string{""}, workloads...)}
	for _, peer := range peers {
		row := []string{peer}
		for _, w := range workloads {
			cell := "–"
			for _, b := range r.list {
				if b.group() == w && b.sub() == peer {
					unit := units(b, b)[0]
					cell = amount(b.median(unit), unit)
				}
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows
}
