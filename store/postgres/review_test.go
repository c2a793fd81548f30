package postgres_test

import (
	"testing"

	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/review/reviewtest"
	"github.com/kbagent/kbagent/store/postgres"
)

func TestReviewsKeepTheContractOfTheirStore(t *testing.T) {
	reviewtest.Store(t, func(t *testing.T) review.Store { return open(t, postgres.Options{}).Reviews() })
}
