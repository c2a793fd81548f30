package verify

import "math"

// Support is how far passage carries claim, 0–1, by words alone. idf weighs the terms, as package text makes them; nil
// weighs them by how many sentences of the passage hold them. A claim without content words, and a passage that holds none
// of them, give 0. At most the first 64 sentences of the claim are read.
//
// The score is logistic in the features of [Measure], with weights that were fitted; see supportWeights. It orders claims
// well and is no exact probability.
func Support(claim, passage string, idf func(term string) float64) float64 {
	return Measure(claim, passage, idf).support()
}

// support is the score that the signals give, 0–1.
func (s Signals) support() float64 {
	if s.Held == 0 {
		return 0
	}
	z := supportWeights[0]
	for i, x := range s.Features() {
		z += supportWeights[i+1] * x
	}
	return 1 / (1 + math.Exp(-z))
}
