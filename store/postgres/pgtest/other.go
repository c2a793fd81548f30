//go:build !unix

package pgtest

import (
	"os"
	"os/exec"
)

// Nothing starts here: find has said so.

const quit = sig("quit")

type sig string

func (s sig) String() string { return string(s) }
func (s sig) Signal()        {}

type server struct{}

func (s *server) end(os.Signal) error { return errNotInstalled }

func (c *Cluster) run(...string) (*server, error) { return nil, errNotInstalled }

type owner struct{}

func findOwner() (owner, error)   { return owner{}, errNotInstalled }
func (o owner) become(*exec.Cmd)  {}
func (o owner) give(string) error { return nil }
