//go:build unix

package pgtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// quit makes a server stop at once, without a last checkpoint.
const quit = syscall.SIGQUIT

// A server is the running main process of PostgreSQL.
type server struct {
	cmd   *exec.Cmd
	guard *guard
	gone  chan struct{} // closed when no process of the server is left
	ready chan struct{} // closed when it accepts connections
	lines []string      // the last ones of its log; to be read after gone
}

// run starts the server and waits until it accepts connections.
func (c *Cluster) run(args ...string) (*server, error) {
	cmd := exec.CommandContext(context.Background(), c.programs.postgres, args...)
	cmd.Dir = c.dir
	c.owner.become(cmd)
	log, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd, gone: make(chan struct{}), ready: make(chan struct{})}
	go s.listen(log) // until the last process of the server closes its end; see end
	if s.guard, err = c.guard(cmd.Process.Pid); err != nil {
		return nil, errors.Join(err, s.end(os.Kill))
	}
	select {
	case <-s.ready:
		return s, nil
	case <-s.gone:
		err = fmt.Errorf("postgres did not start:\n%s", strings.Join(s.lines, "\n"))
	case <-time.After(patience):
		err = fmt.Errorf("postgres is not ready after %v", patience)
	}
	return nil, errors.Join(err, s.end(os.Kill))
}

// listen reads the log of the server. All of its processes share it, so that its end is theirs.
func (s *server) listen(log io.Reader) {
	defer close(s.gone)
	waiting := true
	for r := bufio.NewReader(log); ; {
		line, _, err := r.ReadLine() // long lines come in pieces
		if err != nil {
			return
		}
		s.lines = append(s.lines[max(0, len(s.lines)-50):], string(line))
		if waiting && strings.Contains(string(line), "ready to accept connections") {
			waiting = false
			close(s.ready)
		}
	}
}

// end sends a signal, and waits for all processes of the server.
func (s *server) end(signal os.Signal) error {
	err := s.cmd.Process.Signal(signal)
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	select {
	case <-s.gone:
	case <-time.After(patience):
		return errors.Join(err, fmt.Errorf("postgres still runs %v after %v", patience, signal))
	}
	var exit *exec.ExitError
	if failed := s.cmd.Wait(); failed != nil && !errors.As(failed, &exit) { // how it ended is our own doing
		err = errors.Join(err, failed)
	}
	if s.guard != nil {
		err = errors.Join(err, s.guard.dismiss())
	}
	return err
}

// A guard is a shell that outlives this process. It does nothing until its input ends: without a word, because this process
// has died in whatever way, and then it stops the server and removes the folder; or after a word, and then it just ends.
type guard struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

const guardScript = `
read word && exit
kill -QUIT "$1" 2>/dev/null
for i in $(seq 100); do kill -0 "$1" 2>/dev/null || break; sleep 0.1; done
rm -rf "$2"`

func (c *Cluster) guard(pid int) (*guard, error) {
	cmd := exec.CommandContext(context.Background(), "sh", "-c", guardScript, "sh", strconv.Itoa(pid), c.dir)
	cmd.Dir = "/"
	c.owner.become(cmd)
	cmd.SysProcAttr.Setsid = true // an interrupt from the terminal is for the tests
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return &guard{cmd, pipe}, cmd.Start()
}

func (g *guard) dismiss() error {
	_, err := io.WriteString(g.pipe, "stopped\n")
	return errors.Join(err, g.pipe.Close(), g.cmd.Wait())
}
