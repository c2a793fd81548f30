package verify

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Signals are what can be seen by words of how one statement of a claim stands to a passage. Each is 0–1.
type Signals struct {
	All     float64 // weight of the claim's terms that stand anywhere in the passage
	Best    float64 // in the best sentence
	Three   float64 // in the three sentences that together hold most
	Pairs   float64 // neighbouring terms of the claim that stand near each other in a sentence
	Missing float64 // 1 − e^(−m/20), m the weight of the terms that stand nowhere: many absent words are worse than few
	Distant float64 // the same for the terms that do not stand in the three sentences
	Rarest  float64 // the heaviest absent term, as a share of the heaviest term of the claim
	Numbers float64 // share of the claim's numbers that stand nowhere
	Names   float64 // share of the claim's names that stand nowhere
	// What speaks against the claim, in the sentences that are about the same.
	Clash Clash
}

// Clash are the signs of a contradiction, each 0–1.
type Clash struct {
	Against  float64 // a word of direction meets its opposite, or its negation, in the same surroundings
	For      float64 // a word of direction meets its like
	Negation float64 // weight of the terms that are negated on one side only
	Number   float64 // another number of the same unit
	Swap     float64 // the same names or terms on the other sides of a verb or of "than"
}

// topSentences is how many sentences of a passage are looked at for contradictions: those that hold most of the claim.
const topSentences = 4

// Measure measures the first statement of claim against passage. idf weighs the terms, as package text makes them; nil
// weighs them by how many sentences of the passage hold them.
func Measure(claim, passage string, idf func(term string) float64) Signals {
	v := newVocabulary()
	statements := v.read(claim)
	if len(statements) == 0 {
		return Signals{}
	}
	p := v.passage(passage, idf)
	s, _ := p.signals(weigh(statements[0], p.weight))
	return s
}

func MeasureAll(claim, passage string, idf func(term string) float64) []Signals {
	v := newVocabulary()
	statements := v.read(claim)
	p := v.passage(passage, idf)
	var out []Signals
	for _, st := range statements {
		s, _ := p.signals(weigh(st, p.weight))
		out = append(out, s)
	}
	return out
}

// passage is a text prepared for many claims.
type passage struct {
	statements []statement
	weight     func(term int32) float64
	quantities []quantity
}

func (v *vocabulary) passage(s string, idf func(term string) float64) passage {
	p := passage{statements: v.read(s)}
	p.weight = v.weights(p.statements, idf)
	for _, st := range p.statements {
		p.quantities = append(p.quantities, st.quantities...)
	}
	return p
}

// weights gives each term its weight, once.
func (v *vocabulary) weights(statements []statement, idf func(term string) float64) func(int32) float64 {
	if idf == nil {
		return ownIDF(v, statements)
	}
	return func(term int32) float64 { return max(idf(v.terms[term]), 0) }
}

// candidate is a sentence of a passage that holds some of a claim.
type candidate struct {
	index int
	mask  uint64
	share float64
}

// signals measures a claim against all sentences of a passage, and gives those that hold most of it, best first.
func (p passage) signals(w weighed) (Signals, []candidate) {
	r := w.against(p.statements)
	top := w.top(r.masks)
	s := Signals{All: w.share(r.all), Pairs: w.pairs(r.near)}
	if len(top) > 0 {
		s.Best = top[0].share
	}
	s.Three = w.three(r.masks)
	s.Distant = 1 - math.Exp(-(1-s.Three)*w.total/20)
	w.absent(&s, r.all)
	s.Numbers = p.absentNumbers(w.quantities)
	s.Clash = p.clash(w, top)
	return s, top
}

// reach is what of a claim a passage holds.
type reach struct {
	masks []uint64 // by statement
	all   uint64
	near  uint64 // bit i: the terms i and i+1 stand near each other
}

// nearTerms is the distance, in topic words, within which neighbours of a claim count as a pair.
const nearTerms = 4

func (w weighed) against(statements []statement) reach {
	r := reach{masks: make([]uint64, len(statements))}
	number := w.numbering()
	last := make([]int, len(w.terms))
	position := 0
	for i, st := range statements {
		position += nearTerms + 1
		var mask uint64
		for _, word := range st.words {
			if word.term < 0 {
				continue
			}
			position++
			if int(word.term) >= len(number) || number[word.term] == 0 {
				continue
			}
			k := int(number[word.term]) - 1
			mask |= 1 << k
			last[k] = position
			if k > 0 && last[k-1] > 0 && position-last[k-1] <= nearTerms {
				r.near |= 1 << (k - 1)
			}
			if k+1 < len(last) && last[k+1] > 0 && position-last[k+1] <= nearTerms {
				r.near |= 1 << k
			}
		}
		r.masks[i] = mask
		r.all |= mask
	}
	return r
}

// numbering is the number of a claim's term, from 1, by its number in the vocabulary.
func (w weighed) numbering() []int8 {
	size := int32(0)
	for _, t := range w.terms {
		size = max(size, t+1)
	}
	number := make([]int8, size)
	for i, t := range w.terms {
		number[t] = int8(i + 1)
	}
	return number
}

// top are the sentences that hold most of a claim, best first, earlier ones before later ones.
func (w weighed) top(masks []uint64) []candidate {
	var list []candidate
	for i, mask := range masks {
		if mask == 0 {
			continue
		}
		c := candidate{i, mask, w.share(mask)}
		if len(list) == topSentences && c.share <= list[topSentences-1].share {
			continue
		}
		at, _ := slices.BinarySearchFunc(list, c, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.share, a.share), -1) })
		list = slices.Insert(list, at, c)
		list = list[:min(len(list), topSentences)]
	}
	return list
}

// three is the share of the three sentences that together hold most, each chosen after the other.
func (w weighed) three(masks []uint64) float64 {
	var union uint64
	for range 3 {
		best, gain := union, w.share(union)
		for _, mask := range masks {
			if mask&^union == 0 {
				continue
			}
			if x := w.share(union | mask); x > gain {
				best, gain = union|mask, x
			}
		}
		union = best
	}
	return w.share(union)
}

func (w weighed) pairs(near uint64) float64 {
	if len(w.terms) < 2 {
		return w.share(math.MaxUint64)
	}
	sum, total := 0.0, 0.0
	for i := range len(w.terms) - 1 {
		x := w.weight[i] + w.weight[i+1]
		total += x
		if near&(1<<i) != 0 {
			sum += x
		}
	}
	if total == 0 {
		return float64(bits.OnesCount64(near)) / float64(len(w.terms)-1)
	}
	return sum / total
}

// absent measures what is missing.
func (w weighed) absent(s *Signals, all uint64) {
	missing, heaviest, rarest := 0.0, 0.0, 0.0
	for i, x := range w.weight {
		heaviest = max(heaviest, x)
		if all&(1<<i) == 0 {
			missing += x
			rarest = max(rarest, x)
		}
	}
	s.Missing = 1 - math.Exp(-missing/20)
	if heaviest > 0 {
		s.Rarest = rarest / heaviest
	}
	names, gone := 0, 0
	number := w.numbering()
	for _, word := range w.words {
		if !word.name || word.term < 0 || int(word.term) >= len(number) || number[word.term] == 0 {
			continue
		}
		names++
		if all&(1<<(number[word.term]-1)) == 0 {
			gone++
		}
	}
	if names > 0 {
		s.Names = float64(gone) / float64(names)
	}
}

func (p passage) absentNumbers(claimed []quantity) float64 {
	if len(claimed) == 0 {
		return 0
	}
	gone := 0
	for _, q := range claimed {
		if !slices.ContainsFunc(p.quantities, q.same) {
			gone++
		}
	}
	return float64(gone) / float64(len(claimed))
}
