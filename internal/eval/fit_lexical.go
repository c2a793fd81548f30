package eval

import (
	"context"
	"fmt"
	"strings"

	"github.com/kbagent/kbagent/rules"
)

// fitRow is a case with its features, for a fit.
type fitRow struct {
	query    string // cases of one query are never on both sides of the cross-validation
	x        []float64
	positive bool
}

// lexicalFit is one regression over some sets.
type lexicalFit struct {
	name     string
	features []string
	penalty  float64
	sets     []fitRows
}

// fitRows are the cases of one set.
type fitRows struct {
	name string
	rows []fitRow
}

// FitLexical makes the weights of rules.Relevance (of is "grading"), rules.Sufficiency ("sufficiency") or
// rules.AnswerSentences ("extraction") from the development parts of the sets of that task which may be learned from, and
// reports them with how good they are on the cases that they come from, and how good weights are that have not seen the case:
// those of the other half of the queries, of extraction those of the other four fifths of the documents.
func FitLexical(ctx context.Context, data, of string) (string, error) {
	if data == "" {
		return "", usagef("--data is missing: the folder that holds one folder a set")
	}
	s := source{data, "dev"}
	var fits []lexicalFit
	var err error
	switch of {
	case "grading":
		fits, err = gradingFits(s)
	case "sufficiency":
		fits, err = sufficiencyFits(ctx, s)
	case "extraction":
		return fitSentences(ctx, s)
	default:
		err = usagef("there is no fit of %q; there are grounding, grading, sufficiency, extraction", of)
	}
	var b strings.Builder
	for _, f := range fits {
		f.report(&b)
	}
	return b.String(), err
}

// folded are the examples without a half (0 or 1; -1 leaves none out), each set and each class weighed the same.
func (f lexicalFit) folded(without int) []example {
	var all []example
	for _, s := range f.sets {
		var list []example
		for _, r := range s.rows {
			if half(r.query) != without {
				list = append(list, example{x: r.x, positive: r.positive})
			}
		}
		all = append(all, balance(list)...)
	}
	return all
}

// weights are those of all examples but a half; of none all weights are 0.
func (f lexicalFit) weights(without int) []float64 {
	list := f.folded(without)
	if len(list) == 0 {
		return make([]float64, 1+len(f.features))
	}
	return logistic(list, f.penalty)
}

func half(query string) int { return foldOf(query) % 2 }

func (f lexicalFit) report(b *strings.Builder) {
	w := f.weights(-1)
	halves := [2][]float64{f.weights(0), f.weights(1)}
	for _, s := range f.sets {
		var fitted, crossed []scored
		for _, r := range s.rows {
			fitted = append(fitted, scored{predict(w, r.x), r.positive})
			crossed = append(crossed, scored{predict(halves[half(r.query)], r.x), r.positive})
		}
		a, c := interval(fitted, auc), interval(crossed, auc)
		fmt.Fprintf(b, "%-12s n %d  AUC fitted %.3f [%.3f–%.3f]  cross-validated %.3f [%.3f–%.3f]\n",
			s.name, len(s.rows), auc(fitted), a[0], a[1], auc(crossed), c[0], c[1])
	}
	fmt.Fprintf(b, "features: intercept, %s\nvar %s = [...]float64{", strings.Join(f.features, ", "), f.name)
	for i, x := range w {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "%.2f", x)
	}
	b.WriteString("}\n")
}

func gradingFits(s source) ([]lexicalFit, error) {
	f := lexicalFit{name: "gradeWeights", features: rules.GradeFeatureNames(), penalty: 1e-4}
	for _, set := range []struct{ name, folder, corpus, queries, negatives string }{
		{"xquad_en", "xquad", "corpus_en", "queries_en", "negatives_en"}, {"scifact", "scifact", "corpus", "queries", "negatives"},
	} {
		list, err := loadGradeCases(s, set.folder, set.corpus, set.queries, set.negatives)
		if err != nil {
			return nil, err
		}
		rows := fitRows{name: set.name}
		for _, c := range list {
			for i, x := range rules.GradeFeatures(c.query, c.items, c.stats) {
				rows.rows = append(rows.rows, fitRow{c.id, x, i < c.relevant})
			}
		}
		f.sets = append(f.sets, rows)
	}
	return []lexicalFit{f}, nil
}

// sufficiencyFits are one for an item alone, and one for several: what an item is worth among others is another question.
func sufficiencyFits(ctx context.Context, s source) ([]lexicalFit, error) {
	alone := lexicalFit{name: "aloneWeights", features: rules.SufficiencyFeatureNames(), penalty: 1e-3}
	among := lexicalFit{name: "amongWeights", features: rules.SufficiencyFeatureNames(), penalty: 1e-4}
	for _, set := range sufficiencySets {
		data, err := set.load(s)
		if err != nil {
			return nil, err
		}
		rows := fitRows{name: set.name}
		err = data.each(ctx, func(c judgedCase) {
			if len(c.items) > 0 {
				rows.rows = append(rows.rows, fitRow{strings.Fields(c.id)[0], rules.SufficiencyFeatures(c.query, c.items, c.stats), c.positive})
			}
		})
		if err != nil {
			return nil, err
		}
		if set.name == "clapnq" {
			alone.sets = append(alone.sets, rows)
		} else {
			among.sets = append(among.sets, rows)
		}
	}
	return []lexicalFit{alone, among}, nil
}
