// Package otel shows the runs of package graph as OpenTelemetry traces. It imports graph and the tracing API of OpenTelemetry,
// not its SDK: which traces are kept and where they go is decided by the program that makes the provider.
//
//	app, err := g.Compile(graph.Observe(graphotel.New(provider))) // imported as graphotel
//
// # Spans
//
// The names of spans, attributes and events are stable. A span of a run holds one for each of its steps, a span of a step one
// for each attempt of its tasks; what a node starts with its context lies within the attempt, and so do the runs of sub-graphs.
//
//	run <graph>   one call of Invoke, Resume or Stream
//	step          a step up to its commit
//	node <node>   one attempt of a task with its route: a retry is a span of its own
//
// # Attributes
//
//	graph.name     string  all
//	graph.thread   string  all, on a thread
//	graph.run      int     all: number of the run on its thread
//	graph.step     int     all; of a run, the steps that were committed before the call
//	graph.resumed  bool    all, when true: the call goes on with a run that stopped before
//	graph.steps    int     run: that the call has committed
//	graph.tasks    int     step: how many
//	graph.node     string  node
//	graph.task     string  node: id within the step
//	graph.attempt  int     node: from 1
//	graph.retried  bool    node, when true: it failed, and another attempt follows
//	graph.cached   bool    node, when true: the result comes from the node's cache
//
// # Errors and questions
//
// A span that failed has the status Error with the text of the error, also when the run was cancelled. The error is recorded as
// an exception where it came up: in the span of the attempt, with the stack of a panic, or in that of the step or run when no
// node has failed. An interrupt is no error: each one is an event "interrupt" of the spans that end with it, with
// the attributes graph.interrupt.id, graph.interrupt.kind, graph.interrupt.node and graph.interrupt.key.
// States, updates, prompts and answers are never part of a trace.
package otel
