// Package metrics counts what the audit lines of the agent say, and shows it as Prometheus metrics and as a report. It
// imports nodes and state for the shapes of the lines, internal/audit to read them back, and the Prometheus client and
// OpenTelemetry's tracing API; no SDK.
//
// A [Collector] takes lines, either live as the nodes' auditor (see [Tee]) or from a log that was written (see [Read]). Both
// give the same numbers. Two fronts show them: [Serve] for a Prometheus server that scrapes, [Collector.Report] for people.
// [TraceModel] makes a span of every call of a model.
//
// The names and labels of the metrics are stable. A label has a small, fixed set of values; anything else becomes "other".
// Threads, runs, questions, paths, models' output and error messages are never part of a label.
package metrics
