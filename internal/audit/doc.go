// Package audit writes the audit log: one JSON object a line for every decision of a run, enough to explain its path. It
// imports internal/mask and the standard library only.
//
// A line is a single write at the end of the file, so that goroutines and processes share one log. A process that is
// killed in the middle of a line spoils that line only. Lines are not synced to the disk: they survive the death of the
// process, not of the machine.
package audit
