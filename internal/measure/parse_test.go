package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample is what `go test -bench . -benchmem -count 3` prints for two packages, shortened.
const sample = `goos: linux
goarch: amd64
pkg: github.com/kbagent/kbagent/graph
cpu: AMD EPYC
BenchmarkLoop/floor-2         	  300	      3000 ns/op	         3.0 ns/step	       0 B/op	       0 allocs/op
BenchmarkLoop/floor-2         	  300	      9000 ns/op	         9.0 ns/step	       0 B/op	       0 allocs/op
BenchmarkLoop/floor-2         	  300	      4000 ns/op	         4.0 ns/step	       0 B/op	       0 allocs/op
BenchmarkLoop/floor-pure-2    	  300	     58000 ns/op	        58.0 ns/step	       0 B/op	       0 allocs/op
BenchmarkLoop/graph-2         	  300	    142000 ns/op	       142.0 ns/step	   16000 B/op	    1030 allocs/op
BenchmarkLoop/graph-700B-2    	  300	    287000 ns/op	       287.0 ns/step	   16000 B/op	    1030 allocs/op
BenchmarkFanOut/floor-2       	  300	     20000 ns/op	   16000 B/op	    30 allocs/op
BenchmarkFanOut/graph-2       	  300	     40000 ns/op	   16000 B/op	    30 allocs/op
PASS
ok  	github.com/kbagent/kbagent/graph	3.2s
pkg: github.com/kbagent/kbagent/store/postgres
BenchmarkCommit/durable/floor-2       	  300	   5900 commits/s	 16 B/op
BenchmarkCommit/durable/store-2       	  300	   4720 commits/s	 16 B/op
BenchmarkAlone-2              	  300	      2.5e+06 ns/op	   88.50 MB/s
PASS
`

func parsed(t *testing.T, text string) *results {
	t.Helper()
	r, err := parse(strings.NewReader(text))
	require.NoError(t, err)
	return r
}

func TestTheOutputOfGoTestIsReadWithAllItsMetrics(t *testing.T) {
	r := parsed(t, sample)
	require.NoError(t, r.err())
	assert.Equal(t, []string{"linux", "amd64", "AMD EPYC"}, r.machine)
	require.Len(t, r.list, 9)
	floor := r.list[0]
	assert.Equal(t, []string{"graph", "Loop/floor", "Loop", "floor"}, []string{floor.pkg, floor.name, floor.group(), floor.sub()})
	assert.Equal(t, []float64{3, 9, 4}, floor.values["ns/step"], "all runs of one benchmark come together")
	assert.Equal(t, "Loop/graph-700B", r.list[3].name, "only the number of processors is cut off")
	alone := r.list[8]
	assert.Equal(t, []string{"store/postgres", "Alone", "", "Alone"}, []string{alone.pkg, alone.name, alone.group(), alone.sub()})
	assert.InDelta(t, 2.5e6, alone.median("ns/op"), 0)
	assert.InDelta(t, 88.5, alone.median("MB/s"), 0)
}

func TestTheMedianIsTheMiddleAndTheSpreadHalfTheRange(t *testing.T) {
	b := &result{values: map[string][]float64{"odd": {9, 1, 2}, "even": {4, 1, 3, 2}}}
	assert.InDelta(t, 2, b.median("odd"), 0)
	assert.InDelta(t, 2.5, b.median("even"), 0)
	assert.InDelta(t, 2, b.spread("odd"), 0, "(9-1)/2 of 2")
	assert.Zero(t, b.median("none"))
	assert.Zero(t, b.spread("none"))
}

func TestANameEndsInTheProcessorsOnlyWhenAllNamesDo(t *testing.T) {
	r := parsed(t, "BenchmarkA/graph-700 \t 1\t 5 ns/op\nBenchmarkA/floor \t 1\t 5 ns/op\n")
	assert.Equal(t, "A/graph-700", r.list[0].name)
	r = parsed(t, "BenchmarkA/graph-700-4 \t 1\t 5 ns/op\nBenchmarkA/floor-4 \t 1\t 5 ns/op\n")
	assert.Equal(t, "A/graph-700", r.list[0].name)
}

func TestEachPackageHasItsOwnNumberOfProcessors(t *testing.T) {
	r := parsed(t, `pkg: a
BenchmarkA/graph-2 	 1 	 5 ns/op
pkg: b
BenchmarkA/other 	 1 	 5 ns/op
BenchmarkA/another-2 	 1 	 5 ns/op
BenchmarkA/third-2 	 1 	 5 ns/op
`)
	var names []string
	for _, b := range r.list {
		names = append(names, b.name)
	}
	assert.Equal(t, []string{"A/graph", "A/other", "A/another-2", "A/third-2"}, names)
}

func TestFailuresAreNotedAndForeignLinesSkipped(t *testing.T) {
	r := parsed(t, `BenchmarkBroken
BenchmarkBroken prints something
--- FAIL: BenchmarkBroken
    a_test.go:3: broken
BenchmarkWhole-2 	 1 	 5 ns/op
FAIL
`)
	require.Len(t, r.list, 1)
	assert.ErrorContains(t, r.err(), "--- FAIL: BenchmarkBroken")

	assert.ErrorContains(t, parsed(t, "PASS\nok a 0.1s\n").err(), "no benchmark has run")
}

func TestALineWhoseFiguresCannotBeReadIsAnErrorWithItsNumber(t *testing.T) {
	for text, want := range map[string]string{
		"PASS\nBenchmarkA-2 \t 10 \t 5\n":       "line 2: cut short",
		"BenchmarkA-2 \t 10 \t 5 ns/op 7\n":     "line 1: cut short",
		"BenchmarkA-2 \t 10 \t five ns/op\n":    "invalid syntax",
		"BenchmarkA-2 \t 10 \t 5 ns/op x MB/s ": "invalid syntax",
	} {
		_, err := parse(strings.NewReader(text))
		assert.ErrorContains(t, err, want, text)
	}
}
