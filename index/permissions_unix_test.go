//go:build unix

package index_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index"
)

func TestWhatCannotBeReadStaysAsItWasAndFails(t *testing.T) {
	if os.Geteuid() == 0 { // permissions do not bind root, and CI is root
		runAsNobody(t)
		return
	}
	x := newIndex(t)
	dir := folder(t, map[string]string{"a.md": "alpha", "sub/b.md": "beta"})
	update(t, x, dir)
	require.NoError(t, os.Chmod(filepath.Join(dir, "a.md"), 0))
	require.NoError(t, os.Chmod(filepath.Join(dir, "sub"), 0))
	t.Cleanup(func() { assert.NoError(t, os.Chmod(filepath.Join(dir, "sub"), 0o755)) })
	assert.Equal(t, index.FileCounts{Failed: 2}, update(t, x, dir).Files)
	assert.Len(t, keyword(t, x, "alpha beta"), 2)
}

// runAsNobody runs this test again in a process of a user whom permissions bind, from a copy of the test binary that the
// user can reach.
func runAsNobody(t *testing.T) {
	t.Helper()
	const nobody = 65534
	dir, err := os.MkdirTemp("", "kbagent-nobody-*")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chown(dir, nobody, nobody))
	self, err := os.Executable()
	require.NoError(t, err)
	binary, err := os.ReadFile(self)
	require.NoError(t, err)
	copied := filepath.Join(dir, "index.test")
	require.NoError(t, os.WriteFile(copied, binary, 0o755))

	cmd := exec.Command(copied, "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + dir, "HOME=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name(), "it ran")
}
