package pgtest

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// programs are the programs of one installation.
type programs struct{ initdb, postgres string }

// find looks for an installation in PATH, then where Debian and its children put them, the newest version first.
func find() (programs, error) {
	if runtime.GOOS == "windows" {
		return programs{}, errNotInstalled
	}
	if initdb, err := exec.LookPath("initdb"); err == nil {
		if postgres, err := exec.LookPath("postgres"); err == nil {
			return programs{initdb, postgres}, nil
		}
	}
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return programs{}, err
	}
	slices.SortFunc(folders, func(a, b string) int { return version(b) - version(a) })
	for _, folder := range folders {
		p := programs{filepath.Join(folder, "initdb"), filepath.Join(folder, "postgres")}
		_, err1 := exec.LookPath(p.initdb)
		_, err2 := exec.LookPath(p.postgres)
		if err1 == nil && err2 == nil {
			return p, nil
		}
	}
	return programs{}, errNotInstalled
}

// version is the number in a path like /usr/lib/postgresql/15/bin, 0 when it has another form.
func version(folder string) int {
	n, err := strconv.Atoi(strings.TrimSpace(filepath.Base(filepath.Dir(folder))))
	if err != nil {
		return 0
	}
	return n
}
