// Package state holds what the agent knows during a conversation: AgentState, the updates that nodes return, and how they fold.
// It may import the standard library only; every other package of the agent may import it.
//
// A node never writes an AgentState. It returns an [Update], and [AgentState.Apply] folds it into the next state:
//
//	next, err := current.Apply(state.Update{Node: "plan", Calls: &calls})
//
// The JSON names of the fields are the stored format. They do not change; see [Version].
package state
