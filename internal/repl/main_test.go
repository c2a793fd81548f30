package repl

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write the golden files")

// TestMain is also the program that the tests of the terminal start: see child.
func TestMain(m *testing.M) {
	if scene := os.Getenv(childVariable); scene != "" {
		os.Exit(child(scene))
	}
	goleak.VerifyTestMain(m)
}
