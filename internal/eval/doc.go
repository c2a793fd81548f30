// Package eval measures the parts of the program on data sets, task by task, as `kbagent eval` shows it. It may import all
// below the fronts.
//
// A task is one file that adds itself to the table in tasks.go: its sets, how each is read, and what is measured. What the
// figures mean stands with the task; the data stay outside the repository. Nothing is tuned here: thresholds and weights
// are those of the program. The only thing that learns is [Fit], which makes the weights of package verify.
package eval
