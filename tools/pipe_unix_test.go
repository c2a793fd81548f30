//go:build unix

package tools

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Opening a pipe waits for its other end for ever, and no time limit of the tool can end that.
func TestAPipeIsRefusedWithoutBeingOpened(t *testing.T) {
	root := folder(t, nil)
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "pipe.md"), 0o600))
	_, err := run(t, &shelf{roots: []string{root}, files: listed(root, "pipe.md")}, "read_file", `{"path":"pipe.md"}`)
	assert.Equal(t, CodeNotAFile, code(err))
}
