package eval

import "math"

// example is one case of a regression.
type example struct {
	x        []float64
	positive bool
	weight   float64
	fold     int // that it is left out with in a cross-validation
}

// logistic fits the intercept and the weights of a logistic regression by gradient descent with momentum and an L2 penalty
// on the weights. Nothing in it is random.
func logistic(list []example, l2 float64) []float64 {
	const steps, rate, momentum = 3000, 0.5, 0.9
	n := len(list[0].x) + 1
	w, v := make([]float64, n), make([]float64, n)
	total := 0.0
	for _, e := range list {
		total += e.weight
	}
	for range steps {
		g := make([]float64, n)
		for _, e := range list {
			d := predict(w, e.x)
			if e.positive {
				d--
			}
			d *= e.weight / total
			g[0] += d
			for i, x := range e.x {
				g[i+1] += d * x
			}
		}
		for i := range w {
			if i > 0 {
				g[i] += l2 * w[i]
			}
			v[i] = momentum*v[i] - rate*g[i]
			w[i] += v[i]
		}
	}
	return w
}

// predict is the probability that weights, the intercept first, give x.
func predict(w, x []float64) float64 {
	z := w[0]
	for i, f := range x {
		z += w[i+1] * f
	}
	return 1 / (1 + math.Exp(-z))
}

// balance weighs the cases of a set so that both classes count the same, and the set as much as any other.
func balance(list []example) []example {
	var n [2]int
	for _, e := range list {
		n[class(e)]++
	}
	for i := range list {
		list[i].weight = 0.5 / float64(max(n[class(list[i])], 1))
	}
	return list
}

func class(e example) int {
	if e.positive {
		return 1
	}
	return 0
}
