// Command measure runs benchmarks and says what they come to. It imports the standard library only.
//
//	go run ./internal/measure floors [flags] packages…     ratios against the floors of the same run, beside the targets
//	go run ./internal/measure compare -ref REF packages…   benchstat of the work tree against a git ref
//	go run ./internal/measure peers [flags]                our graph beside those of others, from bench/peers
//
// A figure is the median of all runs of a benchmark. A target that is missed is said, and is no error: this measures, the
// reader judges. A benchmark that fails is an error, exit status 1; so is a run without any.
//
// # Conventions for benchmarks
//
// A workload is a benchmark with sub-benchmarks: one is called "floor", the least work that any solution of the same task
// has to do, the others are compared with it: BenchmarkLoop/floor and BenchmarkLoop/graph. Of a floor with a suffix,
// "floor-700B" or "floor=fts5", the comparison is "graph-700B", or without one the sub-benchmark that has no suffix.
// Metrics of b.ReportMetric stand for the workload when both sides report them, otherwise ns/op does. Units that end in
// "/s" are rates: more is better, and the ratio is still ours ÷ floor.
package main
