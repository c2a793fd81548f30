package reviewtest_test

import (
	"testing"

	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/review/reviewtest"
)

func TestTheMemoryStoreKeepsTheContract(t *testing.T) {
	reviewtest.Store(t, func(*testing.T) review.Store { return review.NewMemoryStore() })
}
