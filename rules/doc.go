// Package rules holds the decisions that need no model: the pre-filter rules, the thresholds, the choice of the next
// strategy, and the corrective machine. It may import state and index.
//
// Everything here is a pure function of its arguments and safe for concurrent use.
package rules
