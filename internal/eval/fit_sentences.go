package eval

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// choice is one question whose answer is to be chosen among sentences.
type choice struct {
	x     [][]float64 // features by sentence
	right []bool      // whether the sentence holds an answer
	fold  int         // that of the document with the answer
}

// sentencesPenalty is the L2 penalty of the weights of sentences.
const sentencesPenalty = 2e-3

// fitSentences makes the weights of rules.AnswerSentences.
func fitSentences(ctx context.Context, s source) (string, error) {
	sets := make([][]choice, len(extractionSets))
	for i, set := range extractionSets {
		data, err := set.load(s)
		if err != nil {
			return "", err
		}
		if sets[i], err = data.choices(ctx); err != nil {
			return "", err
		}
	}
	w := choose(sets, -1)
	folds := make([][]float64, fitFolds)
	for k := range folds {
		folds[k] = choose(sets, k)
	}
	var b strings.Builder
	for i, set := range extractionSets {
		fitted := accurate(sets[i], func(choice) []float64 { return w })
		crossed := accurate(sets[i], func(c choice) []float64 { return folds[c.fold] })
		fmt.Fprintf(&b, "%-12s n %d  accuracy fitted %.3f  cross-validated %.3f\n", set.name, len(sets[i]), fitted, crossed)
	}
	fmt.Fprintf(&b, "features: %s\nvar answerWeights = [...]float64{", strings.Join(rules.AnswerFeatureNames(), ", "))
	for i, x := range w {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%.2f", x)
	}
	b.WriteString("}\n")
	return b.String(), nil
}

// choices are the questions of a set with the sentences of what is found for them.
func (e extractedSet) choices(ctx context.Context) (list []choice, err error) {
	_, err = e.over(func(ctx context.Context, k *knowledge) (Result, error) {
		return Result{}, e.each(ctx, k, func(q question, query string, items []state.Evidence, stats rules.TermStats) {
			sentences, x := rules.AnswerFeatures(query, items, stats)
			c := choice{x: x, fold: foldOf(strings.Join(slices.Sorted(maps.Keys(q.Relevant)), " "))}
			for _, s := range sentences {
				c.right = append(c.right, holdsAny(sentenceOf(items, s), q.Answers))
			}
			list = append(list, c)
		})
	})(ctx)
	return list, err
}

// choose fits weights by gradient descent with momentum on the likelihood that a right sentence is drawn, when each is drawn
// by the exponential of its weighed features. Sets count the same, questions without a right sentence do not count, nor do those
// of a fold; -1 leaves none out. Nothing in it is random.
func choose(sets [][]choice, without int) []float64 {
	const steps, rate, momentum = 150, 1, 0.9
	n := len(rules.AnswerFeatureNames())
	w, v := make([]float64, n), make([]float64, n)
	for range steps {
		g := make([]float64, n)
		for _, set := range sets {
			kept := 0
			sum := make([]float64, n)
			for _, c := range set {
				if c.fold != without {
					kept++
					c.gradient(w, sum)
				}
			}
			for i := range g {
				g[i] += sum[i] / float64(max(kept, 1)*len(sets))
			}
		}
		for i := range w {
			v[i] = momentum*v[i] - rate*(g[i]+sentencesPenalty*w[i])
			w[i] += v[i]
		}
	}
	return w
}

// gradient adds that of the loss of one question to g.
func (c choice) gradient(w, g []float64) {
	p, all, right := make([]float64, len(c.x)), 0.0, 0.0
	for i, x := range c.x {
		p[i] = math.Exp(dot(w, x))
		all += p[i]
		if c.right[i] {
			right += p[i]
		}
	}
	if right == 0 {
		return
	}
	for i, x := range c.x {
		d := p[i] / all
		if c.right[i] {
			d -= p[i] / right
		}
		for j := range x {
			g[j] += d * x[j]
		}
	}
}

func dot(w, x []float64) float64 {
	sum := 0.0
	for i := range x {
		sum += w[i] * x[i]
	}
	return sum
}

// accurate is the share of the questions whose best sentence, by the weights for each, is right.
func accurate(list []choice, weights func(choice) []float64) float64 {
	n := 0
	for _, c := range list {
		w, best, at := weights(c), math.Inf(-1), -1
		for i, x := range c.x {
			if z := dot(w, x); z > best {
				best, at = z, i
			}
		}
		if at >= 0 && c.right[at] {
			n++
		}
	}
	return ratio(n, len(list))
}
