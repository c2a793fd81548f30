//go:build !race

package main

// underRace: the tests run with the race detector. A process takes half a second to start then, so that tests of what is
// printed, in which nothing happens at the same time, are left to the run without it.
const underRace = false
