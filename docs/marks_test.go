package docs_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/docs"
)

// A merge once left its marks in a page, and nothing noticed.
func TestNoPageHasTheMarksOfAMerge(t *testing.T) {
	pages, err := fs.Glob(docs.Manual, "*.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		text, err := docs.Manual.ReadFile(page)
		require.NoError(t, err)
		for n, line := range strings.Split(string(text), "\n") {
			mark := strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") || line == "======="
			assert.False(t, mark, "%s:%d: %s", page, n+1, line)
		}
	}
}
