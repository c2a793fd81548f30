// Package explore runs a compiled graph over everything that its environment can do: each reply of a model, each result
// of a tool, each answer of a person. It may import graph only.
//
// Where a graph meets its environment, a stand-in asks [Choose] which of several outcomes it gets. [Run] tries them all,
// step by step and breadth first, joins states that are equal in a canonical form, and checks invariants in every state.
// The path to a state that breaks one is the shortest there is. Since every step is a run of its own that goes on from the
// checkpoint of the step before, what is explored is also every resume from every checkpoint; each path that ends is played
// once more without a stop, and has to end in the same state.
//
// A graph with a loop needs a counter in its canonical form; without one, a path that never ends is a violation.
package explore
