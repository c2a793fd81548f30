// Package scenarios binds scripted scenarios to the agent: what a scenario can give (settings, documents, replies of the
// model, results of tools), ask, and see. The scenarios themselves are the *.yaml files beside it; the same files run in
// go test and from `kbagent scenario run`.
package scenarios
