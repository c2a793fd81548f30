package review

import "strings"

// Priority is how urgent an entry is.
type Priority string

// The priorities.
const (
	High   Priority = "high"
	Medium Priority = "medium"
	Low    Priority = "low"
)

// Priorities lists all priorities, the most urgent first.
func Priorities() []Priority { return []Priority{High, Medium, Low} }

// Rank is 0 for High, 1 for Medium, 2 for Low and everything else.
func (p Priority) Rank() int {
	switch p {
	case High:
		return 0
	case Medium:
		return 1
	default:
		return 2
	}
}

func (p Priority) known() bool { return p == High || p == Medium || p == Low }

// Severities says how bad a wrong answer is, by category of the question, in lower case. A category that is missing is
// Medium.
type Severities map[string]Priority

// DefaultSeverities is the table that is used where none is given: a new one each time, to be changed at will.
func DefaultSeverities() Severities {
	return Severities{
		// Questions about errors.
		"infra": High, "config": Medium, "dependency": Medium, "code": Medium, "unknown": Medium, "test": Low,
		// Questions to a knowledge base.
		"troubleshooting": High, "how-to": Medium, "yes/no": Medium, "why": Medium, "comparison": Medium, "list": Low, "definition": Low,
	}
}

// Edges of the priorities, on the scale of confidence.
const (
	urgentBelow = 0.40
	mediumBelow = 0.65
)

// tolerance is how far below a threshold a value may lie and still meet it.
const tolerance = 1e-9

// atLeast says whether x meets the threshold t.
func atLeast(x, t float64) bool { return x >= t-tolerance }

// PriorityOf is the priority of an answer: High for a known confidence below 0.40 and after corrections that failed. Else
// Medium for a confidence below 0.65 or one that is not known, and Low from there on; one step higher for a category whose
// severity is High, one step lower for one whose severity is Low.
func (s Severities) PriorityOf(confidence float64, known bool, category string, afterCorrections bool) Priority {
	if afterCorrections || known && !atLeast(confidence, urgentBelow) {
		return High
	}
	rank := Medium.Rank()
	if known && atLeast(confidence, mediumBelow) {
		rank = Low.Rank()
	}
	switch s[strings.ToLower(category)] {
	case High:
		rank--
	case Low:
		rank++
	}
	return Priorities()[min(max(rank, 0), 2)]
}

// PriorityOf is [Severities.PriorityOf] by the default table.
func PriorityOf(confidence float64, known bool, category string, afterCorrections bool) Priority {
	return DefaultSeverities().PriorityOf(confidence, known, category, afterCorrections)
}
