package agent_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/nodes"
)

// The cache of grades asks for the version of what was graded; without one it would keep nothing, and nobody would notice.
func TestALibraryTellsItsVersionToTheCacheOfGrades(t *testing.T) {
	_, versioned := agent.Library(new(index.Index), false).(nodes.Versioned)
	assert.True(t, versioned)
}
