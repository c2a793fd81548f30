//go:build race

package main

// underRace: the tests run with the race detector.
const underRace = true
