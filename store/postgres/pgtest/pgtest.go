package pgtest

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Options tunes [New]. The zero value is the fast server that [Start] uses.
type Options struct {
	// Durable makes commits survive a power loss (fsync, the setting of a server in production). Off by default: tests that
	// kill processes do not need it, because the operating system keeps what was written.
	Durable bool
}

// errNotInstalled reports a machine without PostgreSQL.
var errNotInstalled = errors.New("PostgreSQL is not installed: initdb and postgres are neither in PATH nor in /usr/lib/postgresql/*/bin")

var shared struct {
	mu      sync.Mutex
	cluster *Cluster
	err     error // why there is none
}

// Start returns the URL of a server for this test binary, which the first call starts. It stays until [Main] or the process
// ends, and belongs to all tests: each should work in a schema of its own. Commits do not wait for the disk.
func Start(tb testing.TB) string {
	tb.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.cluster == nil && shared.err == nil {
		shared.cluster, shared.err = newCluster(Options{})
	}
	require(tb, shared.err)
	return shared.cluster.URL()
}

// New starts a server for one test, and stops it at the end of the test.
func New(tb testing.TB, opts Options) *Cluster {
	tb.Helper()
	c, err := newCluster(opts)
	require(tb, err)
	tb.Cleanup(func() {
		if err := c.stop(); err != nil {
			tb.Errorf("stop PostgreSQL: %v", err)
		}
	})
	return c
}

// Main runs the tests and then stops the server of [Start] before it returns what TestMain is to give to os.Exit.
// Without it the server ends a moment after the process.
func Main(m *testing.M) int {
	code := m.Run()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.cluster == nil {
		return code
	}
	if err := shared.cluster.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop PostgreSQL:", err)
		return max(code, 1)
	}
	shared.cluster, shared.err = nil, errors.New("the tests are over")
	return code
}

// require ends the test when there is no server.
func require(tb testing.TB, err error) {
	tb.Helper()
	switch {
	case err == nil:
	case errors.Is(err, errNotInstalled) && os.Getenv("CI") != "true":
		tb.Skip(err)
	default:
		tb.Fatal(err)
	}
}
