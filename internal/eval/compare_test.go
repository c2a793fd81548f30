package eval_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/eval"
)

// shifted are n cases of one set whose value is by more than at the case's own level.
func shifted(n int, more func(int) float64) []eval.Case {
	var list []eval.Case
	for i := range n {
		list = append(list, eval.Case{Task: "retrieval", Set: "s", Part: "dev", ID: fmt.Sprint(i), Values: map[string]float64{"ndcg@10": float64(i%7)/10 + more(i)}})
	}
	return list
}

func TestAPairedComparisonSeesASmallSteadyDifference(t *testing.T) {
	base := shifted(100, func(int) float64 { return 0 })
	d := eval.Compare(base, shifted(100, func(i int) float64 { return 0.01 + 0.001*float64(i%2) }))
	require.Len(t, d, 1)
	assert.Equal(t, "ndcg@10", d[0].Metric)
	assert.Equal(t, 100, d[0].N)
	assert.InDelta(t, 0.0105, d[0].Delta, 1e-9)
	assert.True(t, d[0].Significant(), "though the cases differ among themselves by far more")
	assert.InDelta(t, 0.001, d[0].P, 1e-12)
}

func TestNoDifferenceIsNotSignificant(t *testing.T) {
	base := shifted(100, func(int) float64 { return 0 })
	for name, more := range map[string]func(int) float64{
		"the same":             func(int) float64 { return 0 },
		"as much up as down":   func(i int) float64 { return []float64{0.1, -0.1}[i%2] },
		"one case in hundreds": func(i int) float64 { return map[bool]float64{true: 0.3}[i == 5] },
	} {
		d := eval.Compare(base, shifted(100, more))
		require.Len(t, d, 1, name)
		assert.False(t, d[0].Significant(), name)
		assert.Greater(t, d[0].P, 0.05, name)
	}
}

func TestOnlyCasesOfBothSidesAreCompared(t *testing.T) {
	base, now := shifted(10, func(int) float64 { return 0 }), shifted(12, func(int) float64 { return 0 })
	d := eval.Compare(base, now[4:])
	require.Len(t, d, 1)
	assert.Equal(t, 6, d[0].N)
	assert.Empty(t, eval.Compare(base[:3], now[5:]))
}

func TestScoresAreComparedByTheirOrder(t *testing.T) {
	side := func(score func(int) float64) []eval.Case {
		var list []eval.Case
		for i := range 60 {
			list = append(list, eval.Case{Task: "grading", Set: "s", ID: fmt.Sprint(i), Score: new(score(i)), Positive: new(i%2 == 0)})
		}
		return list
	}
	blind := side(func(i int) float64 { return float64(i%5) / 5 })
	sharp := side(func(i int) float64 { return float64((i+1)%2) / 100 })
	d := eval.Compare(blind, sharp)
	require.Len(t, d, 1)
	assert.Equal(t, "auc", d[0].Metric)
	assert.InDelta(t, 1, d[0].Now, 1e-12)
	assert.True(t, d[0].Significant())
}

func TestCasesSurviveTheirFile(t *testing.T) {
	r := one(t, "sufficiency", "clapnq")
	require.NotEmpty(t, r.Cases)
	path := filepath.Join(t.TempDir(), "cases.jsonl")
	var b bytes.Buffer
	require.NoError(t, eval.WriteCases(&b, r.Cases))
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	got, err := eval.ReadCases(path)
	require.NoError(t, err)
	assert.Equal(t, r.Cases, got)
	for _, d := range eval.Compare(got, r.Cases) {
		assert.Zero(t, d.Delta, d.Metric)
	}
}

func TestAFileThatHoldsNoCasesIsRefusedAsABaseline(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"metrics":{"auc":1}}`+"\n"), 0o600))
	_, err := eval.ReadCases(path)
	assert.ErrorContains(t, err, "line 1 is no case of a set")
	_, err = eval.ReadCases(path + ".gone")
	assert.ErrorContains(t, err, "there is no ")
}

func TestEveryTaskTellsItsCases(t *testing.T) {
	for _, task := range []string{"retrieval", "splitting", "extraction", "abstention", "sufficiency", "grading", "grounding"} {
		for set, r := range run(t, eval.Config{Task: task, Data: withClassics(t), Part: "dev"}) {
			assert.NotEmpty(t, r.Cases, "%s %s", task, set)
			seen := map[string]bool{}
			for _, c := range r.Cases {
				assert.False(t, seen[c.ID], "%s %s: %s is there twice", task, set, c.ID)
				seen[c.ID] = true
			}
		}
	}
}

// withClassics is the small data with all sets of retrieval.
func withClassics(t *testing.T) string {
	dir := small(t)
	for _, set := range []string{"go_docs", "cranfield", "vaswani"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, set, "dev"), 0o700))
		overwrite(t, dir, set+"/corpus.jsonl", object{"id": "1", "text": "Wings lift."})
		overwrite(t, dir, set+"/dev/queries.jsonl", object{"id": "q", "query": "wings", "relevant": object{"1": 2}})
	}
	overwrite(t, dir, "go_docs/dev/faq_queries.jsonl", object{"id": "q", "query": "wings", "relevant": object{"1": 1}})
	overwrite(t, dir, "xquad/corpus_zh.jsonl", object{"id": "p1", "text": "日志保留七天。"})
	overwrite(t, dir, "xquad/dev/queries_zh.jsonl", object{"id": "q", "query": "日志保留几天？", "relevant": object{"p1": 1}})
	return dir
}

func TestAReportHoldsFiguresDifferencesAndPlotsThatAreXML(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "report")
	graded, ranked := one(t, "grading", "xquad_en"), one(t, "retrieval", "clapnq")
	require.NoError(t, eval.WriteReport(dir, []eval.Result{graded, ranked}, eval.Compare(ranked.Cases, ranked.Cases)))
	report, err := os.ReadFile(filepath.Join(dir, "report.md"))
	require.NoError(t, err)
	for _, want := range []string{"## grading: xquad_en (dev, 2 cases)", "| auc | 1.000 |", "| positives | 1 |", "## Compared with the baseline", "| retrieval | clapnq | mrr@10 | 1 |"} {
		assert.Contains(t, string(report), want)
	}
	for _, name := range []string{"grading-xquad_en-reliability.svg", "grading-xquad_en-scores.svg", "retrieval-clapnq-recall.svg"} {
		assert.Contains(t, string(report), "]("+name+")")
		f, err := os.Open(filepath.Join(dir, name))
		require.NoError(t, err)
		d := xml.NewDecoder(f)
		for err == nil {
			_, err = d.Token()
		}
		assert.True(t, errors.Is(err, io.EOF), "%s: %v", name, err)
		require.NoError(t, f.Close())
	}
}
