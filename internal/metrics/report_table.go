package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Table is a part of a report: rows of cells under their heads.
type Table struct {
	Heads []string
	Rows  [][]string
}

// Tables is the report for people. Tables without rows are left out, but for the first, which is about runs.
func (r Report) Tables() []Table {
	all := []Table{
		{[]string{"RUNS", "COUNT"}, [][]string{{"started", whole(r.Runs.Started)}, {"finished", whole(r.Runs.Finished)}}},
		countTable("ROUTE", r.Runs.Routes),
		countTable("STATUS", r.Runs.Statuses),
		countTable("STOPPED BY", r.Runs.StopReasons),
		countTable("ROUNDS", r.Runs.Rounds),
		countTable("DECISION", r.Retrieval.Decisions),
		countTable("JUDGED BY", r.Retrieval.GradedBy),
		countTable("FAST PATH", r.Retrieval.FastPath),
		r.Retrieval.correctionTable(),
		r.Retrieval.latencyTable(),
		countTable("VERIFICATION", r.Answers.Outcomes),
		countTable("CLAIM", r.Answers.Claims),
		countTable("ACTION", r.Answers.Actions),
		r.distributionTable(),
		r.troubleTable(),
		toolTable(r.Tools),
		modelTable(r.Models),
		countTable("REVIEW", r.Reviews.Statuses),
		r.Reviews.table(),
	}
	first := true
	return slices.DeleteFunc(all, func(t Table) bool {
		keep := first || len(t.Rows) > 0
		first = false
		return !keep
	})
}

// countTable shows counts, the greatest first, with their shares.
func countTable(head string, c Counts) Table {
	t := Table{Heads: []string{head, "COUNT", "SHARE"}}
	names := sorted(c)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(c[b], c[a]) })
	for _, name := range names {
		t.Rows = append(t.Rows, []string{name, whole(c[name]), percent(share(c[name], c.total()))})
	}
	return t
}

func (r RetrievalReport) correctionTable() Table {
	t := Table{Heads: []string{"CORRECTION", "COUNT", "IMPROVED", "UNCHANGED", "WORSE", "NOT JUDGED", "SUCCESS", "MEAN GAIN"}}
	for _, c := range r.Corrections {
		gain := "-"
		if c.Improvement.Count > 0 {
			gain = fmt.Sprintf("%+.2f", c.Improvement.Mean)
		}
		t.Rows = append(t.Rows, []string{
			c.Strategy, whole(c.Count), whole(c.Results[resultImproved]), whole(c.Results[resultUnchanged]), whole(c.Results[resultWorse]),
			whole(c.Results[resultUnknown] + c.Results[resultAbandoned]), percent(c.ImprovedShare), gain,
		})
	}
	return t
}

func (r RetrievalReport) latencyTable() Table {
	t := Table{Heads: []string{"RETRIEVAL", "CORRECTED BY", "COUNT", "MEAN", "~P50", "~P95"}}
	for _, l := range r.Latency {
		t.Rows = append(t.Rows, append([]string{l.Decision, l.Strategy}, times(l.Seconds)...))
	}
	return t
}

// distributionTable shows everything that has a distribution and is no time.
func (r Report) distributionTable() Table {
	t := Table{Heads: []string{"DISTRIBUTION", "COUNT", "MEAN", "~P50", "~P95"}}
	add := func(name string, d Distribution) {
		if d.Count > 0 {
			t.Rows = append(t.Rows, []string{name, whole(d.Count), score(d.Mean), score(d.P50), score(d.P95)})
		}
	}
	for _, source := range sorted(r.Retrieval.Relevance) {
		add("relevance by "+source, r.Retrieval.Relevance[source])
	}
	for _, source := range sorted(r.Retrieval.Scores) {
		add("passages by "+source, r.Retrieval.Scores[source])
	}
	add("verification confidence", r.Answers.Grounding)
	add("answer confidence", r.Answers.Confidence)
	if d := r.Runs.Seconds; d.Count > 0 {
		t.Rows = append(t.Rows, append([]string{"time of a run"}, times(d)...))
	}
	return t
}

// troubleTable shows what should not happen often, as far as it did.
func (r Report) troubleTable() Table {
	t := Table{Heads: []string{"ALSO", "COUNT"}}
	for _, row := range []struct {
		name  string
		count int
	}{
		{"passages graded too low", r.Retrieval.Removed},
		{"gradings from the cache", r.Retrieval.CacheHits},
		{"grades that could not be read", r.Retrieval.ParseFailures},
		{"times that the grader without a model took over", r.Retrieval.Degradations},
		{"citations that cited nothing", r.Answers.CitationsRemoved},
	} {
		if row.count > 0 {
			t.Rows = append(t.Rows, []string{row.name, whole(row.count)})
		}
	}
	return t
}

func toolTable(tools []ToolReport) Table {
	t := Table{Heads: []string{"TOOL", "CALLS", "EMPTY", "ERRORS", "MEAN", "~P50", "~P95"}}
	for _, tool := range tools {
		errors := whole(tool.Errors.total())
		if len(tool.Errors) > 0 {
			errors += " (" + strings.Join(sorted(tool.Errors), ", ") + ")"
		}
		t.Rows = append(t.Rows, append([]string{tool.Tool, whole(tool.Calls), whole(tool.Empty), errors}, times(tool.Seconds)[1:]...))
	}
	return t
}

func modelTable(models []ModelReport) Table {
	t := Table{Heads: []string{"MODEL IN", "CALLS", "ERRORS", "FELL BACK", "PROMPT TOKENS", "COMPLETION TOKENS", "MEAN", "~P95"}}
	for _, m := range models {
		took := times(m.Seconds)
		t.Rows = append(t.Rows, []string{
			m.Node, whole(m.Calls), whole(m.Errors), whole(m.Fallbacks), whole(m.PromptTokens), whole(m.CompletionTokens), took[1], took[3],
		})
	}
	return t
}

func (r ReviewReport) table() Table {
	t := Table{Heads: []string{"CONFIDENCE", "VERDICTS", "APPROVED", "ACCURACY"}}
	for _, a := range r.Accuracy {
		t.Rows = append(t.Rows, []string{a.Confidence, whole(a.Verdicts.total()), whole(a.Verdicts["approved"]), percent(a.Accuracy)})
	}
	if r.FalsePositiveShare != nil {
		t.Rows = append(t.Rows, []string{"passed, but wrong", "", "", percent(r.FalsePositiveShare)})
	}
	if r.FalseNegativeShare != nil {
		t.Rows = append(t.Rows, []string{"doubted, but right", "", "", percent(r.FalseNegativeShare)})
	}
	return t
}

// times is the cells of a distribution of seconds: count, mean, median, 95th percentile.
func times(d Distribution) []string {
	if d.Count == 0 {
		return []string{"0", "-", "-", "-"}
	}
	return []string{whole(d.Count), seconds(d.Mean), seconds(d.P50), seconds(d.P95)}
}

func whole(n int) string { return strconv.Itoa(n) }

func score(x float64) string { return fmt.Sprintf("%.2f", x) }

func percent(p *float64) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100**p)
}

// seconds is a time for people: milliseconds below 10 s.
func seconds(s float64) string {
	if s < 10 {
		return fmt.Sprintf("%.0fms", s*1000)
	}
	return time.Duration(s * float64(time.Second)).Round(100 * time.Millisecond).String()
}
