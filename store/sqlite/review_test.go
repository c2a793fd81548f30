package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/review/reviewtest"
)

func TestReviewsKeepTheContractOfTheirStore(t *testing.T) {
	reviewtest.Store(t, func(t *testing.T) review.Store {
		return openIndexFile(t, filepath.Join(t.TempDir(), "kb.db")).Reviews()
	})
}
