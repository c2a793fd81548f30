package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// Password is that of the user of every server: the tests of error messages look for it.
const Password = "pgtest-s3cret"

const role = "pgtest"

// patience is how long a server may take to start or stop.
const patience = 2 * time.Minute

// A Cluster is one server with its folder. Its methods are for one goroutine.
type Cluster struct {
	opts     Options
	programs programs
	owner    owner
	dir      string
	port     int
	server   *server // nil while it is stopped
}

// newCluster creates a folder and a server on it.
func newCluster(opts Options) (c *Cluster, err error) {
	c = &Cluster{opts: opts}
	if c.programs, err = find(); err != nil {
		return nil, err
	}
	if c.owner, err = findOwner(); err != nil {
		return nil, err
	}
	if c.dir, err = os.MkdirTemp("", "pgtest-"); err != nil {
		return nil, err
	}
	if err := c.create(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(c.dir))
	}
	if err := c.start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(c.dir))
	}
	return c, nil
}

// create makes the files of the server.
func (c *Cluster) create() error {
	secret := filepath.Join(c.dir, "password")
	if err := os.WriteFile(secret, []byte(Password), 0o600); err != nil {
		return err
	}
	for _, path := range []string{c.dir, secret} {
		if err := c.owner.give(path); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.programs.initdb, "--pgdata="+c.data(), "--username="+role, "--pwfile="+secret,
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync")
	cmd.Dir = c.dir
	c.owner.become(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// start looks for a free port on the first call, and keeps it from then on.
func (c *Cluster) start() error {
	if c.port != 0 {
		return c.startOn(c.port)
	}
	var failed error
	for range 5 { // somebody may take the port before the server does
		port, err := freePort()
		if err != nil {
			return err
		}
		if failed = c.startOn(port); failed == nil {
			c.port = port
			return nil
		}
	}
	return failed
}

func (c *Cluster) startOn(port int) (err error) {
	c.server, err = c.run(
		"-D", c.data(), "-p", strconv.Itoa(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "fsync="+onOff(c.opts.Durable), "-c", "max_connections=200", "-c", "lc_messages=C", "-c", "log_min_messages=warning")
	return err
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func freePort() (int, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// URL is where the server listens, with user and password. It stays the same over [Cluster.Kill] and [Cluster.Restart].
func (c *Cluster) URL() string {
	return fmt.Sprintf("postgres://%s:%s@127.0.0.1:%d/postgres?sslmode=disable", role, Password, c.port)
}

// Kill ends the server with SIGKILL and returns when all of its processes have gone.
func (c *Cluster) Kill(tb testing.TB) {
	tb.Helper()
	if c.server == nil {
		tb.Fatal("the server does not run")
	}
	err := c.server.end(os.Kill)
	c.server = nil
	if err != nil {
		tb.Fatalf("kill PostgreSQL: %v", err)
	}
}

// Restart starts the server again after [Cluster.Kill]; it recovers what was committed, and listens where it did before.
func (c *Cluster) Restart(tb testing.TB) {
	tb.Helper()
	if err := c.start(); err != nil {
		tb.Fatalf("restart PostgreSQL: %v", err)
	}
}

// stop ends the server and removes its folder.
func (c *Cluster) stop() error {
	var err error
	if c.server != nil {
		err = c.server.end(quit)
		c.server = nil
	}
	return errors.Join(err, os.RemoveAll(c.dir))
}
