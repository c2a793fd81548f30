// Package agent is the picture of the knowledge-base agent: New lists its nodes and edges on one screen, Ask runs one
// question. It may import everything below the fronts; the fronts (terminal, commands, scenarios) import it.
package agent
