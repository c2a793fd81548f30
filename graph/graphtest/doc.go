// Package graphtest is the public test kit of package graph: the conformance suite that every graph.Store must pass,
// stores that fail or crash on purpose, and scripted nodes that record when they ran. It imports graph and the standard
// library only.
package graphtest
