// Package eval measures the parts of the program on data sets, as `kbagent eval` shows it.
package eval
