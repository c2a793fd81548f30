// Package termtest is for tests of programs that work on a terminal: a pseudo-terminal with somebody in front of it who waits
// for what is shown and presses keys, and the screen that they look at. It imports the standard library and the modules that
// this takes.
package termtest
