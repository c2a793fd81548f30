package verify

import (
	"maps"
	"strings"
)

// A sense is what a word says about direction: an axis, and which of its two ends.
type sense struct {
	axis axis
	sign int8 // +1 or -1; 0 for a word without a direction
}

// axis is a pair of opposites.
type axis uint8

const (
	axisNone     axis = iota
	axisNegation      // not, without, fails to
	axisThan          // than, 比
	axisOnly          // only: "not only" negates nothing
	axisPassive       // by, 被; the last of those that are no events
	// The axes of direction can contradict each other: what "promotes" something does not "reduce" it.
	axisAmount
	axisActivity
	axisQuality
	axisSpeed
	axisRisk
	axisLink     // related or not; a negation of a direction is near to it
	axisOpposite // the first of those that stand each for itself
)

// directional says whether the axis is one that others can contradict.
func (a axis) directional() bool { return axisAmount <= a && a <= axisRisk }

// axisNames are the axes that the program knows; the other lines of the tables each make one of their own, the same in both
// tables for the same name.
var axisNames = map[string]axis{
	"plain": axisNone, "negation": axisNegation, "than": axisThan, "only": axisOnly, "passive": axisPassive,
	"amount": axisAmount, "activity": axisActivity, "quality": axisQuality, "speed": axisSpeed, "risk": axisRisk, "link": axisLink,
}

// senseWords are the two tables, read: senses of the scripts with spaces by lower-cased word, unspaced of the others.
type senseWords struct {
	senses, unspaced map[string]sense
	longest          int // bytes of the longest word of unspaced
}

var known = readSenses()

// readSenses reads the tables. Of a word that stands in several lines the first counts.
func readSenses() senseWords {
	w := senseWords{senses: make(map[string]sense), unspaced: make(map[string]sense)}
	axes := maps.Clone(axisNames)
	eachSense(senseTable, axes, w.senses)
	eachSense(unspacedTable, axes, w.unspaced)
	for word := range w.unspaced {
		w.longest = max(w.longest, len(word))
	}
	return w
}

// eachSense reads one table into words, and names new axes.
func eachSense(table string, axes map[string]axis, words map[string]sense) {
	for line := range strings.Lines(strings.ReplaceAll(table, "\n |", " |")) {
		name, rest, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		a, named := axes[name]
		if !named {
			a = axisOpposite + axis(len(axes)-len(axisNames))
			axes[name] = a
		}
		plus, minus, _ := strings.Cut(rest, "|")
		addSenses(words, plus, sense{a, +1})
		addSenses(words, minus, sense{a, -1})
	}
}

func addSenses(words map[string]sense, list string, s sense) {
	for _, w := range strings.Fields(list) {
		if _, seen := words[w]; !seen {
			words[w] = s
		}
	}
}

// senseOf is the sense of a word in lower case.
func senseOf(lower string) sense {
	if s, ok := known.senses[lower]; ok {
		return s
	}
	if strings.HasSuffix(lower, "n't") {
		return sense{axisNegation, +1}
	}
	return sense{}
}

// unspacedSense is the longest word of the table that s begins with; a size of 0 says that there is none. A word of one
// character counts only where it negates or compares, since it is part of too many others.
func unspacedSense(s string) (size int, found sense) {
	n := 0
	for i := range s {
		if i > known.longest {
			break
		}
		if entry, ok := known.unspaced[s[:i]]; ok && (n > 1 || entry.axis <= axisPassive) {
			size, found = i, entry
		}
		n++
	}
	if entry, ok := known.unspaced[s]; ok && (n > 1 || entry.axis <= axisPassive) {
		size, found = len(s), entry
	}
	return size, found
}
