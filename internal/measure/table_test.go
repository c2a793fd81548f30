package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheTableHoldsEachWorkloadBesideItsFloorAndItsTarget(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bench.txt")
	require.NoError(t, os.WriteFile(file, []byte(sample), 0o600))
	var out, progress strings.Builder
	require.NoError(t, run(t.Context(), []string{"floors", "-read", file}, &out, &progress), "a missed target is no error")
	assert.Equal(t, `linux, amd64, AMD EPYC

| workload                             | floor             | measured         | ±   | ratio | target          |              |
|--------------------------------------|-------------------|------------------|-----|-------|-----------------|--------------|
| graph Loop/graph                     | 4 ns/step         | 142 ns/step      | 0 % | 35.5  | ≤ 150 ns/step   | met          |
| graph Loop/graph                     | –                 | 1.03 allocs/step | 0 % | –     | ≤ 1 allocs/step | MISSED       |
| graph Loop/graph                     | 58 ns/step (pure) | 142 ns/step      | 0 % | 2.45  |                 |              |
| graph Loop/graph-700B                | –                 | 287 ns/step      | 0 % | –     |                 |              |
| graph FanOut/graph                   | 20 µs             | 40 µs            | 0 % | 2     | ≤ 1.5 × floor   | MISSED       |
| store/postgres Commit/durable/store  | 5900 commits/s    | 4720 commits/s   | 0 % | 0.8   | ≥ 0.7 × floor   | met          |
| store/postgres Alone                 | –                 | 88.5 MB/s        | 0 % | –     |                 |              |
| graph History/graph                  |                   |                  |     |       | ≤ 1.5 × floor   | not measured |
| store/sqlite Step/graph              |                   |                  |     |       | ≤ 1.5 × floor   | not measured |
| store/sqlite Pending/graph           |                   |                  |     |       | ≤ 1.5 × floor   | not measured |
| store/sqlite GroupCommit/store       |                   |                  |     |       | ≥ 0.7 × floor   | not measured |
| store/postgres Commit/no_fsync/store |                   |                  |     |       | ≥ 0.7 × floor   | not measured |
`, out.String())
}

func TestARateIsMetFromAboveAndACostFromBelow(t *testing.T) {
	cost, rate, limit := target{unit: "ns/op", ratio: 1.5}, target{unit: "commits/s", ratio: 0.7}, target{unit: "ns/step", most: 150}
	assert.True(t, cost.met(1, 1.5))
	assert.False(t, cost.met(1, 1.51))
	assert.True(t, rate.met(1, 0.7))
	assert.False(t, rate.met(1, 0.69))
	assert.True(t, limit.met(150, 0))
	assert.False(t, limit.met(151, 0))
}

func TestATargetAgainstAFloorThatIsMissingIsNotMet(t *testing.T) {
	r := parsed(t, "pkg: github.com/kbagent/kbagent/graph\nBenchmarkFanOut/graph-2 \t 1 \t 5 ns/op\n")
	assert.Equal(t, "no floor measured", floorRows(r)[1][6])
}

func TestAFloorWithASuffixBelongsToWhoHasTheSame(t *testing.T) {
	r := parsed(t, `BenchmarkA/floor-small-2 	 1 	 1 ns/op
BenchmarkA/floor-2 	 1 	 2 ns/op
BenchmarkA/floor=raw-2 	 1 	 3 ns/op
BenchmarkA/ours-2 	 1 	 4 ns/op
BenchmarkA/ours-small-2 	 1 	 5 ns/op
BenchmarkB/floor-2 	 1 	 6 ns/op
`)
	var got []string
	for _, c := range r.compare() {
		got = append(got, c.ours.name+" "+c.floor.name)
	}
	assert.Equal(t, []string{"A/ours A/floor", "A/ours A/floor=raw", "A/ours-small A/floor-small"}, got)
}

func TestMetricsThatBothSidesReportStandForTheWorkload(t *testing.T) {
	a := &result{values: map[string][]float64{"ns/op": {1}, "p50-µs": {1}, "p99-µs": {1}, "B/op": {1}, "only-a": {1}}}
	b := &result{values: map[string][]float64{"ns/op": {1}, "p50-µs": {1}, "p99-µs": {1}, "B/op": {1}}}
	assert.Equal(t, []string{"p50-µs", "p99-µs"}, units(a, b))
	assert.Equal(t, []string{"ns/op"}, units(a, &result{values: map[string][]float64{"ns/op": {1}}}))
}

func TestAmountsReadWell(t *testing.T) {
	for want, got := range map[string]string{
		"3 ns/step":       amount(3.0, "ns/step"),
		"23.9 µs/step":    amount(23_900, "ns/step"),
		"2.5 ms":          amount(2.5e6, "ns/op"),
		"4 s":             amount(4e9, "ns/op"),
		"35500 commits/s": amount(35_500.4, "commits/s"),
		"0.123 x":         amount(0.1234, "x"),
	} {
		assert.Equal(t, want, got)
	}
}

func TestPeersAreRowsAndWorkloadsColumns(t *testing.T) {
	r := parsed(t, `BenchmarkLoop/kbagent-2 	 1 	 150000 ns/op 150 ns/step
BenchmarkLoop/other-2 	 1 	 3000000 ns/op 3000 ns/step
BenchmarkFanOut/kbagent-2 	 1 	 30000 ns/op
`)
	assert.Equal(t, [][]string{{"", "Loop", "FanOut"}, {"kbagent", "150 ns/step", "30 µs"}, {"other", "3 µs/step", "–"}}, peerRows(r))
}

func TestWhatCannotBeDoneIsAnError(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.txt")
	for name, args := range map[string][]string{
		"no command":         nil,
		"an unknown command": {"floor"},
		"an unknown flag":    {"floors", "-colour"},
		"no run at all":      {"floors", "-count", "0"},
		"no ref":             {"compare"},
		"no benchstat":       {"compare", "-ref", "HEAD", "-benchstat", missing},
		"a missing file":     {"floors", "-read", missing},
	} {
		var out, progress strings.Builder
		require.Error(t, run(t.Context(), args, &out, &progress), name)
		assert.Empty(t, out.String(), name)
	}
}
