package verify

import "github.com/kbagent/kbagent/state"

// Formula names how a confidence is made of counted claims.
type Formula string

// The formulas.
const (
	// FormulaStandard is supported/total − 0.1·unsupported, + 0.1 if no claim is unsupported, clamped to 0–1. The
	// penalty is absolute: whatever else is supported, three unsupported claims leave less than 0.7.
	FormulaStandard Formula = "standard"
	// FormulaRate is supported/total.
	FormulaRate Formula = "rate"
)

// claimStep is what an unsupported claim costs in FormulaStandard, and what having none earns.
const claimStep = 0.1

// DefaultThreshold is the confidence from which an answer counts as grounded.
const DefaultThreshold = 0.7

// Options are the settings of a verification. The zero value works.
type Options struct {
	// Threshold is the confidence from which an answer is grounded, 0–1. 0 means DefaultThreshold; a negative one is met
	// by every confidence.
	Threshold float64
	// Formula makes the confidence. An empty or unknown one means FormulaStandard.
	Formula Formula
}

func (o Options) threshold() float64 {
	if o.Threshold == 0 {
		return DefaultThreshold
	}
	return o.Threshold
}

// Confidence is the confidence in an answer with so many claims, 0–1; 0 without claims. A partially supported claim counts
// in neither supported nor unsupported.
func (f Formula) Confidence(supported, unsupported, total int) float64 {
	if total == 0 {
		return 0
	}
	rate := float64(supported) / float64(total)
	if f == FormulaRate {
		return rate
	}
	rate -= claimStep * float64(unsupported)
	if unsupported == 0 {
		rate += claimStep
	}
	return min(max(rate, 0), 1)
}

// LevelOf is a confidence in words: ≥ 0.9 high, ≥ 0.7 medium, ≥ 0.5 low, else very low.
func LevelOf(confidence float64) state.Level {
	switch {
	case scoreAtLeast(confidence, 0.9):
		return state.LevelHigh
	case scoreAtLeast(confidence, 0.7):
		return state.LevelMedium
	case scoreAtLeast(confidence, 0.5):
		return state.LevelLow
	default:
		return state.LevelVeryLow
	}
}

// scoreTolerance is how far below a threshold a score may lie and still meet it; see rules.Tolerance.
const scoreTolerance = 1e-9

// scoreAtLeast says whether x meets the threshold t.
func scoreAtLeast(x, t float64) bool { return x >= t-scoreTolerance }
