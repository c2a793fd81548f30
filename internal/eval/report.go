package eval

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The colors of plots.
const (
	colorBlue   = "#2563eb"
	colorOrange = "#d97706"
)

// WriteReport writes report.md into dir, which is made when it is missing, with the figures of all results, the differences
// from a baseline when there are any, and plots beside it as SVG: a recall curve for retrievals, a reliability diagram and
// a histogram of scores for what has scores. Files of the same name are replaced.
func WriteReport(dir string, results []Result, differences []Difference) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of the report: %w", err)
	}
	var b strings.Builder
	b.WriteString("# Evaluation\n\nIntervals are 95 %, by 1,000 bootstrap resamples of the cases with a fixed seed.\n")
	for _, r := range results {
		fmt.Fprintf(&b, "\n## %s: %s (%s, %d cases)\n\n", r.Task, r.Set, r.Part, r.N)
		b.WriteString(settings(r.Config))
		b.WriteString(figures(r))
		for _, p := range plots(r) {
			name := fmt.Sprintf("%s-%s-%s.svg", r.Task, r.Set, p.kind)
			if err := os.WriteFile(filepath.Join(dir, name), []byte(p.svg()), 0o644); err != nil {
				return fmt.Errorf("write a plot: %w", err)
			}
			fmt.Fprintf(&b, "\n![%s](%s)\n", p.title, name)
		}
	}
	b.WriteString(comparison(differences))
	if err := os.WriteFile(filepath.Join(dir, "report.md"), []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func settings(config map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(config)) {
		list = append(list, name+" "+config[name])
	}
	return "Measured: " + strings.Join(list, ", ") + ".\n\n"
}

func figures(r Result) string {
	var b strings.Builder
	b.WriteString("| metric | value | 95 % |\n|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(r.Metrics)) {
		within := ""
		if i, ok := r.Intervals[name]; ok {
			within = fmt.Sprintf("%.3f–%.3f", i[0], i[1])
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, Figure(name, r.Metrics[name]), within)
	}
	return b.String()
}

// Figure writes counts as whole numbers and shares with three decimals.
func Figure(metric string, x float64) string {
	if IsCount(metric) {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

func comparison(list []Difference) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n## Compared with the baseline\n\nPaired by case; an interval that holds zero is no difference.\n\n")
	b.WriteString("| task | set | metric | cases | baseline | now | difference | 95 % | p |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, d := range list {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %.3f | %.3f | %+.3f | %+.3f to %+.3f | %.3f |\n",
			d.Task, d.Set, d.Metric, d.N, d.Baseline, d.Now, d.Delta, d.Interval[0], d.Interval[1], d.P)
	}
	return b.String()
}

// namedPlot is a plot with the part of its file's name that tells its kind.
type namedPlot struct {
	kind string
	*plot
}

// plots are the drawings that a result can give.
func plots(r Result) []namedPlot {
	var list []namedPlot
	if _, ok := r.Metrics[recallName(recallAt[0])]; ok {
		list = append(list, namedPlot{"recall", recallCurve(r)})
	}
	if s := scoredOf(r.Cases); len(s) > 0 {
		list = append(list, namedPlot{"reliability", reliability(r, s)}, namedPlot{"scores", histogram(r, s)})
	}
	return list
}

func recallCurve(r Result) *plot {
	p := &plot{title: r.Task + ", " + r.Set + ": recall", xAxis: "hits", yAxis: "share of the relevant passages"}
	var points []point
	for i, k := range recallAt {
		p.xs = append(p.xs, strconv.Itoa(k))
		points = append(points, point{float64(i) / float64(len(recallAt)-1), r.Metrics[recallName(k)]})
	}
	p.line(colorBlue, "recall", points)
	return p
}

// reliability is the share of positive cases over the mean score, in ten bins of equal width.
func reliability(r Result, list []scored) *plot {
	p := &plot{title: r.Task + ", " + r.Set + ": reliability", xAxis: "mean score of the bin", yAxis: "share of positive cases"}
	p.diagonal()
	var points []point
	for _, bin := range binned(list) {
		if n := len(bin); n > 0 {
			sum := 0.0
			for _, c := range bin {
				sum += c.score
			}
			points = append(points, point{sum / float64(n), ratio(positives(bin), n)})
		}
	}
	p.line(colorBlue, "positive", points)
	return p
}

// histogram is the share of each class in ten bins of the score.
func histogram(r Result, list []scored) *plot {
	p := &plot{title: r.Task + ", " + r.Set + ": scores", xAxis: "score", yAxis: "share of the class"}
	p.legend(0, colorBlue, "positive")
	p.legend(1, colorOrange, "negative")
	all := positives(list)
	for i, bin := range binned(list) {
		from, to, n := float64(i)/calibrationBins, float64(i+1)/calibrationBins, positives(bin)
		p.bar(colorBlue, "positive", from, to, ratio(n, all))
		p.bar(colorOrange, "negative", from, to, ratio(len(bin)-n, len(list)-all))
	}
	return p
}

func binned(list []scored) [][]scored {
	bins := make([][]scored, calibrationBins)
	for _, c := range list {
		b := min(max(int(c.score*calibrationBins), 0), calibrationBins-1)
		bins[b] = append(bins[b], c)
	}
	return bins
}
