package postgres_test

import (
	"crypto/sha256"
	"fmt"
	"os"
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
		schema := fmt.Sprintf("kill %x", sha256.Sum256([]byte(dir)))[:40]
		return openAt(t, url, postgres.Options{Schema: schema}).Checkpoints()
	})
}

// Rules 22, 25, 27: also in the middle of a snapshot or of pruning.
func TestAfterSIGKILLInsideOfAnyWriteEverythingConfirmedIsThere(t *testing.T) {
	url := shareServer(t)
	graphtest.KillInside(t, func(t *testing.T, dir string) graph.Store {
		schema := fmt.Sprintf("inside %x", sha256.Sum256([]byte(dir)))[:40]
		return openAt(t, url, postgres.Options{Schema: schema}).Checkpoints()
	})
}
