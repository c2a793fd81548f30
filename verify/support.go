package verify

import "math"

// Support is how far passage carries claim, 0–1, by words alone. idf weighs the terms, as package text makes them; nil weighs
// them by how many sentences of the passage hold them. Of a claim of several sentences the mean counts; at most the first 64
// are read. A claim without content words, and a passage that holds none of them, give 0.
//
// From 0.5 on support is likelier than not on the data that the weights come from; see supportWeights.
func Support(claim, passage string, idf func(term string) float64) float64 {
	v := newVocabulary()
	statements := v.read(claim)
	statements = statements[:min(len(statements), maxClaimStatements)]
	p := v.passage(passage, idf)
	sum, n := 0.0, 0
	for _, st := range statements {
		if w := weigh(st, p.weight); len(w.terms) > 0 {
			s, _ := p.signals(w)
			sum += s.support()
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// maxClaimStatements is how many sentences of a claim are read.
const maxClaimStatements = 64

// support is the score that the signals give, 0–1.
func (s Signals) support() float64 {
	if s.All == 0 {
		return 0
	}
	z := supportWeights[0]
	for i, x := range s.Features() {
		z += supportWeights[i+1] * x
	}
	return 1 / (1 + math.Exp(-z))
}

// FeatureNames are the names of [Signals.Features], in their order.
var FeatureNames = [...]string{"three", "distant", "numbers", "names", "against"}

// Features are the signals that the score of [Support] is made of. The others carried nothing more on the development data.
func (s Signals) Features() [len(FeatureNames)]float64 {
	return [...]float64{s.Three, s.Distant, s.Numbers, s.Names, s.Clash.Against}
}
