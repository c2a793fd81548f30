package index_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Who starts a goroutine waits for it: no test leaves one behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
