// Package explore runs a compiled graph over everything that its environment can do: each reply of a model, each result
// of a tool, each answer of a person. It may import graph only.
//
// Where a graph meets its environment, a stand-in asks [Choose] which of several outcomes it gets. [Run] tries them all,
// step by step and breadth first, joins states that are equal in a canonical form, and checks invariants of every step.
// The path to a state that breaks one is the shortest there is.
//
// # What is proven, and what is sampled
//
// Every step goes on from a state that was written and read as a checkpoint is, so that what is explored is also every
// resume. Some of the paths that end are played once more on a thread: without a stop, and with one after each step; they
// must end in the same state ([ResumesSame]).
//
// States are joined by what [Subject.Canonical] leaves of them. A form that forgets too much would hide states. So of the
// pairs that were joined a sample is compared: from both, the same outcomes must lead to states that are joined again, and
// break the same invariants ([JoinedAlike]). A graph with a loop needs a counter in its canonical form; without one, a path
// that never ends is a violation ([Ends]).
package explore
