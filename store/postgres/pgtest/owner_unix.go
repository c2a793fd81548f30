//go:build unix

package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// An owner is the user that the server runs as. PostgreSQL refuses to run as root.
type owner struct {
	credential *syscall.Credential // nil = the user of this process
}

// findOwner is the user of this process; in place of root it is postgres or nobody.
func findOwner() (owner, error) {
	if os.Geteuid() != 0 {
		return owner{}, nil
	}
	var failed error
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return owner{}, fmt.Errorf("user %s: %w", name, err)
		}
		return owner{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return owner{}, fmt.Errorf("PostgreSQL does not run as root, and there is nobody else: %w", failed)
}

// become makes cmd run as the owner.
func (o owner) become(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: o.credential}
}

// give makes the owner own a file.
func (o owner) give(path string) error {
	if o.credential == nil {
		return nil
	}
	return os.Chown(path, int(o.credential.Uid), int(o.credential.Gid))
}
