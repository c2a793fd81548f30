package verify

import (
	"math"
	"slices"
)

// Signals are what can be seen by words of how a claim stands to a passage. A weight is a sum of inverse document
// frequencies of terms, in units of that of a term that occurs nowhere. Of a claim of several sentences the signals are sums, so that each further sentence is a further
// chance to be wrong; those of Clash are the strongest.
type Signals struct {
	Held    float64 // weight of the claim's terms in the four sentences of the passage that together hold most
	Missed  float64 // weight of its other terms
	Numbers int     // numbers of the claim that do not stand in these sentences nor beside them
	Names   int     // names of the claim that do not stand in these sentences
	Against float64 // how much words of direction are contradicted: Clash.Against of each sentence
	Clash   Clash
}

// Measure measures claim against passage. idf weighs the terms, as package text makes them; nil weighs them by how many
// sentences of the passage hold them. At most the first 64 sentences of the claim are read.
func Measure(claim, passage string, idf func(term string) float64) Signals {
	v := newVocabulary()
	statements := v.read(claim)
	p := v.passage(passage, idf)
	var sum Signals
	for _, st := range statements[:min(len(statements), maxClaimStatements)] {
		s, _ := p.signals(weigh(st, p.weight))
		sum.add(s)
	}
	return sum
}

// maxClaimStatements is how many sentences of a claim are read.
const maxClaimStatements = 64

func (s *Signals) add(o Signals) {
	s.Held += o.Held
	s.Missed += o.Missed
	s.Numbers += o.Numbers
	s.Names += o.Names
	s.Against += o.Against
	s.Clash = s.Clash.strongest(o.Clash)
}

// FeatureNames are the names of [Signals.Features], in their order.
var FeatureNames = [...]string{"share", "missed", "numbers", "names", "against"}

// Features are what the score of [Support] is made of: Held/(Held+Missed), √Missed/2, ln(1+Numbers), ln(1+Names), Against.
func (s Signals) Features() [len(FeatureNames)]float64 {
	share := 0.0
	if s.Held > 0 {
		share = s.Held / (s.Held + s.Missed)
	}
	return [...]float64{share, math.Sqrt(s.Missed) / 2, math.Log1p(float64(s.Numbers)), math.Log1p(float64(s.Names)), s.Against}
}

// passage is a text prepared for many claims.
type passage struct {
	statements []statement
	weight     func(term int32) float64
}

func (v *vocabulary) passage(s string, idf func(term string) float64) passage {
	p := passage{statements: v.read(s)}
	if idf == nil {
		p.weight = ownIDF(v, p.statements)
	} else {
		p.weight = v.scaledIDF(idf)
	}
	return p
}

// signals measures one sentence of a claim against a passage, and gives the sentences that hold most of it, best first.
func (p passage) signals(w weighed) (Signals, []candidate) {
	masks := w.masks(p.statements)
	top := w.top(masks)
	best := w.together(masks)
	var held uint64
	for _, i := range best {
		held |= masks[i]
	}
	s := Signals{Held: w.share(held) * w.total, Numbers: p.absentNumbers(w.quantities, best), Names: w.absentNames(held)}
	s.Missed = w.total - s.Held
	s.Clash = p.clash(w, top)
	s.Against = s.Clash.Against
	return s, top
}

// absentNumbers counts the numbers that stand neither in the statements chosen nor right before or behind them.
func (p passage) absentNumbers(claimed []quantity, chosen []int) int {
	absent := 0
	for _, q := range claimed {
		found := slices.ContainsFunc(chosen, func(i int) bool {
			for _, st := range p.statements[max(i-1, 0):min(i+2, len(p.statements))] {
				if slices.ContainsFunc(st.quantities, q.same) {
					return true
				}
			}
			return false
		})
		if !found {
			absent++
		}
	}
	return absent
}

// absentNames counts the different names of the claim that are not in the mask.
func (w weighed) absentNames(held uint64) int {
	var names uint64
	for _, word := range w.words {
		if bit := w.bit(word.term); word.name {
			names |= bit
		}
	}
	absent := 0
	for names &^= held; names != 0; names &= names - 1 {
		absent++
	}
	return absent
}
