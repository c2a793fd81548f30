package eval

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/kbagent/kbagent/index/text"
)

// An lsa is latent semantic analysis (Deerwester et al., JASIS 1990): an embedder made of a corpus itself, without a model.
// Texts are vectors of (1+log tf)·idf, of length 1; their space is that of the leading right singular vectors of the corpus,
// found by subspace iteration. Cosines do not depend on which basis of it is taken, so none is singled out.
type lsa struct {
	dim   int
	term  map[string]int
	idf   []float64
	basis []float64 // a row of dim values for each term
}

// lsaIterations is how often the subspace is multiplied by the corpus.
const lsaIterations = 6

// sparse is a vector of few terms.
type sparse struct {
	term  []int
	value []float64
}

// newLSA learns dim dimensions, or fewer where the corpus has fewer terms.
func newLSA(texts []string, dim int) *lsa {
	e := &lsa{term: map[string]int{}}
	var freq []float64
	for _, s := range texts {
		seen := map[string]bool{}
		for _, t := range text.Terms(s) {
			if seen[t] {
				continue
			}
			seen[t] = true
			i, ok := e.term[t]
			if !ok {
				i = len(freq)
				e.term[t], freq = i, append(freq, 0)
			}
			freq[i]++
		}
	}
	for _, n := range freq {
		e.idf = append(e.idf, math.Log(float64(len(texts)+1)/n))
	}
	rows := make([]sparse, len(texts))
	for i, s := range texts {
		rows[i] = e.sparse(s)
	}
	e.dim = min(dim, len(freq), len(texts))
	e.basis = make([]float64, len(freq)*e.dim)
	random := rand.New(rand.NewPCG(7, 8))
	for i := range e.basis {
		e.basis[i] = random.NormFloat64()
	}
	for range lsaIterations {
		orthonormal(e.basis, e.dim)
		e.multiply(rows)
	}
	orthonormal(e.basis, e.dim)
	return e
}

// sparse is a text as the corpus sees it; terms that it does not hold are left out.
func (e *lsa) sparse(s string) sparse {
	count := map[int]float64{}
	var v sparse
	for _, t := range text.Terms(s) {
		if i, ok := e.term[t]; ok {
			if count[i] == 0 {
				v.term = append(v.term, i)
			}
			count[i]++
		}
	}
	sum := 0.0
	for _, i := range v.term {
		x := (1 + math.Log(count[i])) * e.idf[i]
		v.value = append(v.value, x)
		sum += x * x
	}
	for i := range v.value {
		v.value[i] /= math.Sqrt(sum)
	}
	return v
}

// project is v in the subspace.
func (e *lsa) project(v sparse) []float64 {
	out := make([]float64, e.dim)
	for i, t := range v.term {
		for d, b := range e.basis[t*e.dim : (t+1)*e.dim] {
			out[d] += v.value[i] * b
		}
	}
	return out
}

// multiply makes the basis AᵀA times itself, the rows of A being rows.
func (e *lsa) multiply(rows []sparse) {
	next := make([]float64, len(e.basis))
	for _, v := range rows {
		p := e.project(v)
		for i, t := range v.term {
			for d, x := range p {
				next[t*e.dim+d] += v.value[i] * x
			}
		}
	}
	e.basis = next
}

// orthonormal makes the dim columns of m so, by Gram and Schmidt.
func orthonormal(m []float64, dim int) {
	rows := len(m) / dim
	columns := make([][]float64, dim)
	for d := range columns {
		columns[d] = make([]float64, rows)
		for r := range rows {
			columns[d][r] = m[r*dim+d]
		}
		for range 2 { // once is not enough for rounding
			for _, c := range columns[:d] {
				s := inner(c, columns[d])
				for r := range c {
					columns[d][r] -= s * c[r]
				}
			}
		}
		length := math.Sqrt(inner(columns[d], columns[d]))
		for r := range rows {
			columns[d][r] /= length
			m[r*dim+d] = columns[d][r]
		}
	}
}

func inner(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// Model implements index.Embedder.
func (e *lsa) Model() string { return "lsa" }

// Embed implements index.Embedder. A text without a known term is near nothing.
func (e *lsa) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = make([]float32, e.dim+1)
		for d, x := range e.project(e.sparse(s)) {
			out[i][d] = float32(x)
		}
		out[i][e.dim] = 1e-6 // so that every vector has a direction
	}
	return out, nil
}
