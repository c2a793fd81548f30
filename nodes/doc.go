// Package nodes holds the bodies of the agent's nodes, one file each, and the roles that they play: router, planner,
// grader and synthesizer, each with a model and without one. It may import graph, state, rules, tools and langchaingo's
// interface package; it knows no provider and no store.
//
// A node is a method of [Nodes] that reads a state and returns an update. Which node follows is not decided here:
// the table in package agent says it.
package nodes
