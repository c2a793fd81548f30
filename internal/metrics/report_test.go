package metrics

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/nodes"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got, "run with -update after you have looked at the change")
}

// everything is a collector that has seen the lines of all cases, each case a run of its own.
func everything(t testing.TB) *Collector {
	c := New(Options{})
	for _, example := range cases {
		for _, l := range example.lines {
			l.Run = example.name
			require.NoError(t, c.Record(l))
		}
	}
	return c
}

func TestTheExpositionIsStable(t *testing.T) {
	golden(t, "exposition.txt", exposition(t, everything(t)))
}

func TestTheReportIsStable(t *testing.T) {
	r, err := everything(t).Report()
	require.NoError(t, err)
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(r))
	golden(t, "report.json", text.String())

	text.Reset()
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, table := range r.Tables() {
		for _, cells := range append([][]string{table.Heads}, table.Rows...) {
			assert.Len(t, cells, len(table.Heads), "%s", cells)
			_, err := w.Write([]byte(strings.Join(cells, "\t") + "\n"))
			require.NoError(t, err)
		}
		_, err := w.Write([]byte("\n"))
		require.NoError(t, err)
	}
	require.NoError(t, w.Flush())
	golden(t, "report.txt", text.String())
}

func TestAnEmptyReportIsAboutNoRuns(t *testing.T) {
	r, err := told(t).Report()
	require.NoError(t, err)
	assert.Equal(t, []Table{{[]string{"RUNS", "COUNT"}, [][]string{{"started", "0"}, {"finished", "0"}}}}, r.Tables())
	text, err := json.Marshal(r)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"tools":[]`)
	assert.Contains(t, string(text), `"fast_path_share":null`)
	assert.NotContains(t, string(text), `"from"`)
}

func TestQuantilesAreThoseOfPrometheus(t *testing.T) {
	c := told(t)
	for range 10 {
		for _, ms := range []int64{60, 200} { // (0.05, 0.07] and (0.1, 0.25]
			_ = c.Record(said(nodes.AuditToolCall, "name", "grep", "duration_ms", ms))
		}
	}
	r, err := c.Report()
	require.NoError(t, err)
	d := r.Tools[0].Seconds
	assert.InDelta(t, 0.07, d.P50, 1e-9)
	assert.InDelta(t, 0.235, d.P95, 1e-9)
	assert.InDelta(t, 0.13, d.Mean, 1e-9)
	assert.Equal(t, 20, d.Count)
	_ = c.Record(said(nodes.AuditToolCall, "name", "read_file", "duration_ms", int64(1e9)))
	r, err = c.Report()
	require.NoError(t, err)
	assert.InDelta(t, 120, r.Tools[1].Seconds.P50, 1e-9, "beyond the last edge")
}

func TestRoundsAreCountedOneByOne(t *testing.T) {
	c := told(t)
	for _, rounds := range []int{0, 1, 1, 3, 10, 12} {
		_ = c.Record(said(nodes.AuditRunEnd, "status", "PASS", "stop_reason", "sufficient", "iteration", rounds))
	}
	r, err := c.Report()
	require.NoError(t, err)
	assert.Equal(t, Counts{"0": 1, "1": 2, "3": 1, "10": 1, "more": 1}, r.Runs.Rounds)
	assert.InDelta(t, 4.5, r.Runs.MeanRounds, 1e-9)
}

func TestSharesAreWhatTheTableOfVerdictsSays(t *testing.T) {
	c := told(t)
	runs := 0
	verdict := func(n int, status string, confidence any) {
		for range n {
			l := said(nodes.AuditReview, "review", "v", "mode", "provisional", "review_status", status, "confidence", confidence)
			runs++
			l.Run = strconv.Itoa(runs)
			_ = c.Record(l)
		}
	}
	verdict(9, "approved", 0.85)
	verdict(1, "rejected", 0.8499999999999999) // as good as 0.85
	verdict(1, "approved", 0.3)
	verdict(3, "corrected", 0.3)
	verdict(5, "rejected", nil)
	r, err := c.Report()
	require.NoError(t, err)
	assert.InDelta(t, 0.1, *r.Reviews.FalsePositiveShare, 1e-9)
	assert.InDelta(t, 0.25, *r.Reviews.FalseNegativeShare, 1e-9)
	require.Len(t, r.Reviews.Accuracy, 3)
	assert.Equal(t, "0.85-1", r.Reviews.Accuracy[0].Confidence)
	assert.InDelta(t, 0.9, *r.Reviews.Accuracy[0].Accuracy, 1e-9)
	assert.InDelta(t, 0.25, *r.Reviews.Accuracy[1].Accuracy, 1e-9)
	assert.Equal(t, "unknown", r.Reviews.Accuracy[2].Confidence)
}
