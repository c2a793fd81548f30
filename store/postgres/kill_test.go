package postgres_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/graph/graphtest"
	"github.com/kbagent/kbagent/store/postgres"
	"github.com/kbagent/kbagent/store/postgres/pgtest"
)

// serverURL tells child processes where the server of their parent is.
const serverURL = "KBAGENT_TEST_POSTGRES"

// shareServer is the URL of the parent's server, in both processes.
func shareServer(t *testing.T) string {
	t.Helper()
	url := os.Getenv(serverURL)
	if url == "" {
		url = pgtest.Start(t)
		t.Setenv(serverURL, url)
	}
	return url
}

func TestAfterSIGKILLAtAnyBoundaryAResumeEndsInTheStateOfAnUndisturbedRun(t *testing.T) {
	url := shareServer(t)
	graphtest.Kill(t, func(t *testing.T, dir string) graph.Store {
		return openAt(t, url, postgres.Options{Schema: "kill " + filepath.Base(dir)}).Checkpoints()
	})
}
