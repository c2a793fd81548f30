package verify

// An event is a word of direction with what is said about it.
type event struct {
	at      int // index of its word
	sense   sense
	negated bool
}

// negationScope is how many words behind a negation it reaches, unless a border comes first; composeReach how near two words of
// direction stand that make one.
const (
	negationScope = 5
	composeReach  = 3
)

// negatedWords marks the words in the scope of a negation. Two negations cancel.
func negatedWords(words []word) []bool {
	negated := make([]bool, len(words))
	for i, w := range words {
		notOnly := i+1 < len(words) && words[i+1].sense.axis == axisOnly
		if w.sense.axis != axisNegation || notOnly {
			continue
		}
		for j := i + 1; j < len(words) && j <= i+negationScope && !words[j].border; j++ {
			negated[j] = !negated[j]
		}
	}
	return negated
}

// events finds the words of direction. Those of a directional axis that follow each other closely are one: a "reduced
// risk" and "less resistance" each have the product of the two signs.
func events(words []word, negated []bool) []event {
	var list []event
	for i, w := range words {
		a := w.sense.axis
		if a <= axisPassive {
			continue
		}
		e := event{at: i, sense: w.sense, negated: negated[i]}
		if last := len(list) - 1; last >= 0 && composes(words, list[last], e) {
			list[last].sense.sign *= e.sense.sign
			list[last].at = i
			continue
		}
		list = append(list, e)
	}
	return list
}

func composes(words []word, a, b event) bool {
	return a.sense.axis.directional() && b.sense.axis.directional() && b.at-a.at <= composeReach && !words[b.at].border
}
