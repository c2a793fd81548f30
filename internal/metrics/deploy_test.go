package metrics

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// family is a metric as a collector describes it.
type family struct {
	labels    []string
	histogram bool
}

var descPattern = regexp.MustCompile(`fqName: "([^"]+)", help: "[^"]+",(?: unit: "[^"]*",)? constLabels: {}, variableLabels: {([^}]*)}`)

// described are the families of a collector, by name.
func described(t *testing.T) map[string]family {
	t.Helper()
	out := map[string]family{}
	for _, f := range newFamilies().all {
		ch := make(chan *prometheus.Desc, 1)
		f.Describe(ch)
		parts := descPattern.FindStringSubmatch((<-ch).String())
		require.NotNil(t, parts)
		_, histogram := f.(*prometheus.HistogramVec)
		out[parts[1]] = family{strings.FieldsFunc(parts[2], func(r rune) bool { return r == ',' }), histogram}
	}
	return out
}

func TestNamesFollowTheConventions(t *testing.T) {
	for name, f := range described(t) {
		assert.Regexp(t, `^(crag|kbagent)_[a-z_]+$`, name)
		if !f.histogram {
			assert.Regexp(t, `_total$`, name)
			continue
		}
		if !slices.Contains([]string{"crag_relevance_score", "kbagent_run_rounds"}, name) { // the name of the design; a plain number
			assert.Regexp(t, `_(seconds|ratio)$`, name)
		}
	}
	for _, name := range []string{"crag_decisions_total", "crag_corrections_total", "crag_retrieval_latency_seconds", "crag_relevance_score"} {
		assert.Contains(t, described(t), name, "the names of the design")
	}
}

// expressions are those of the board and of the alerts, by what they belong to.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ RefID, Expr string }
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "grafana", "kbagent.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &board))
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			out["panel "+p.Title+" "+target.RefID] = target.Expr
		}
	}
	var alerts struct {
		Groups []struct {
			Rules []struct {
				Alert       string
				Expr        string
				For         string
				Labels      map[string]string
				Annotations map[string]string
			}
		}
	}
	text, err = os.ReadFile(filepath.Join("..", "..", "deploy", "prometheus", "kbagent-alerts.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &alerts))
	for _, g := range alerts.Groups {
		for _, r := range g.Rules {
			assert.NotEmpty(t, r.Annotations["summary"], r.Alert)
			assert.Contains(t, []string{"critical", "warning", "info"}, r.Labels["severity"], r.Alert)
			out["alert "+r.Alert] = r.Expr
		}
	}
	require.Greater(t, len(out), 50)
	return out
}

var (
	wordPattern     = regexp.MustCompile(`[a-zA-Z_][a-zA-Z0-9_]*`)
	stringPattern   = regexp.MustCompile(`"[^"]*"`)
	rangePattern    = regexp.MustCompile(`\[[^\]]*\]`)
	selectorPattern = regexp.MustCompile(`([a-z_]+)\{([^}]*)\}`)
	matcherPattern  = regexp.MustCompile(`([a-z_]+)(?:=~|!=|=)"([^"]*)"`)
	words           = strings.Fields(`sum by rate increase histogram_quantile and or ignoring group_left up le job instance`)
)

// labelValues are the values of the labels that the expressions compare with.
var labelValues = map[string]set{
	"status": setOf(append(slices.Collect(maps.Keys(statuses)), append(slices.Collect(maps.Keys(reviewed)), statusUnqueued)...)...),
	"source": sources, "tool": setOf(builtInTools...), "category": setOf("RELEVANT", "PARTIAL", "IRRELEVANT"), "decision": setOf("RELEVANT", "PARTIAL", "IRRELEVANT"),
	"route": routes, "result": setOf(resultImproved, resultUnchanged, resultWorse), "action": setOf("REVIEW", other),
	"predicted": setOf(predictedPass, predictedDoubt), "actual": setOf(actuallyRight, actuallyWrong), "correction_strategy": setOf(none),
	"verdict": setOf("approved"),
}

func TestTheBoardAndTheAlertsNameOnlyWhatIsExported(t *testing.T) {
	families := described(t)
	known := map[string]bool{}
	for _, w := range words {
		known[w] = true
	}
	for _, f := range families {
		for _, l := range f.labels {
			known[l] = true
		}
	}
	used := map[string]bool{}
	for where, expr := range expressions(t) {
		assert.Equal(t, strings.Count(expr, "("), strings.Count(expr, ")"), where)
		plain := rangePattern.ReplaceAllString(stringPattern.ReplaceAllString(expr, ""), "")
		for _, word := range wordPattern.FindAllString(plain, -1) {
			name, f, ok := familyOf(families, word)
			if ok {
				used[name] = true
				assert.Equal(t, f.histogram, name != word, "%s: %s is no series", where, word)
			}
			assert.True(t, ok || known[word], "%s: nothing exports %s", where, word)
		}
		for _, selector := range selectorPattern.FindAllStringSubmatch(expr, -1) {
			_, f, _ := familyOf(families, selector[1])
			for _, m := range matcherPattern.FindAllStringSubmatch(selector[2], -1) {
				if m[1] == "job" {
					continue
				}
				assert.Contains(t, f.labels, m[1], "%s: %s has no such label", where, selector[1])
				for _, value := range strings.Split(m[2], "|") {
					assert.True(t, labelValues[m[1]][value], "%s: the label %s is never %s", where, m[1], value)
				}
			}
		}
	}
	for name := range families {
		assert.True(t, used[name], "neither the board nor an alert shows %s", name)
	}
}

// familyOf is the family of a series.
func familyOf(families map[string]family, series string) (string, family, bool) {
	if f, ok := families[series]; ok {
		return series, f, true
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		if name, cut := strings.CutSuffix(series, suffix); cut && families[name].histogram {
			return name, families[name], true
		}
	}
	return "", family{}, false
}

func TestTheManualDescribesEveryMetric(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "metrics.md"))
	require.NoError(t, err)
	manual := string(text)
	families := described(t)
	for name, f := range families {
		labels := ""
		if len(f.labels) > 0 {
			labels = strings.Join(f.labels, ", ")
		}
		row := regexp.MustCompile("(?m)^\\| `" + name + "` \\| " + regexp.QuoteMeta(labels) + " ?\\| \\S.* \\|$")
		assert.Regexp(t, row, manual, "docs/metrics.md needs a row | `%s` | %s | what it is |", name, labels)
	}
	for _, named := range regexp.MustCompile("`((?:crag|kbagent)_[a-z_]+)").FindAllStringSubmatch(manual, -1) {
		_, _, ok := familyOf(families, named[1])
		assert.True(t, ok, "the manual names %s", named[1])
	}
}
