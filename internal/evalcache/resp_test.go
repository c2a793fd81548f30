package evalcache

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeRedis speaks the protocol of Redis (RESP 2) over TCP: AUTH, SELECT, PING, GET and SET with EX or PX.
type fakeRedis struct {
	listener net.Listener
	password string

	mu     sync.Mutex
	values map[string]string
	ttl    map[string]time.Duration
	silent bool // reads and never answers
	fault  string
	calls  int // GET and SET
	conns  map[net.Conn]bool
	done   sync.WaitGroup
}

func startFake(t *testing.T, address, password string) *fakeRedis {
	t.Helper()
	f := &fakeRedis{password: password, values: map[string]string{}, ttl: map[string]time.Duration{}, conns: map[net.Conn]bool{}}
	var err error
	f.listener, err = net.Listen("tcp", address)
	require.NoError(t, err)
	f.done.Go(func() {
		for {
			conn, err := f.listener.Accept()
			if err != nil {
				return // stopped
			}
			f.mu.Lock()
			f.conns[conn] = true
			f.mu.Unlock()
			f.done.Go(func() { f.serve(conn) })
		}
	})
	t.Cleanup(f.stop)
	return f
}

func (f *fakeRedis) address() string { return f.listener.Addr().String() }

// stop is a server that dies: its connections break off.
func (f *fakeRedis) stop() {
	f.listener.Close()
	f.mu.Lock()
	for conn := range f.conns {
		conn.Close()
	}
	f.mu.Unlock()
	f.done.Wait()
}

func (f *fakeRedis) set(change func(*fakeRedis)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *fakeRedis) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	trusted := f.password == ""
	for {
		args, err := readCommand(in)
		if err != nil {
			return // the client went away
		}
		reply := f.answer(args, &trusted)
		if reply == "" {
			continue
		}
		if _, err := io.WriteString(conn, reply); err != nil {
			return
		}
	}
}

// readCommand reads an array of bulk strings: *2\r\n$3\r\nGET\r\n$1\r\nk\r\n
func readCommand(in *bufio.Reader) ([]string, error) {
	n, err := readCount(in, '*')
	if err != nil {
		return nil, err
	}
	args := make([]string, n)
	for i := range args {
		size, err := readCount(in, '$')
		if err != nil {
			return nil, err
		}
		buf := make([]byte, size+2)
		if _, err := io.ReadFull(in, buf); err != nil {
			return nil, err
		}
		args[i] = string(buf[:size])
	}
	return args, nil
}

func readCount(in *bufio.Reader, kind byte) (int, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return 0, err
	}
	if line[0] != kind {
		return 0, fmt.Errorf("%q does not start with %c", line, kind)
	}
	return strconv.Atoi(strings.TrimSpace(line[1:]))
}

func (f *fakeRedis) answer(args []string, trusted *bool) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := strings.ToUpper(args[0])
	if name == "GET" || name == "SET" {
		f.calls++
	}
	switch {
	case f.silent:
		return ""
	case name == "AUTH":
		if args[len(args)-1] != f.password {
			return "-WRONGPASS invalid username-password pair or user is disabled.\r\n"
		}
		*trusted = true
		return "+OK\r\n"
	case !*trusted:
		return "-NOAUTH Authentication required.\r\n"
	case f.fault != "":
		return "-" + f.fault + "\r\n"
	case name == "PING":
		return "+PONG\r\n"
	case name == "SELECT":
		return "+OK\r\n"
	case name == "GET" && len(args) == 2:
		value, ok := f.values[args[1]]
		if !ok {
			return "$-1\r\n"
		}
		return fmt.Sprintf("$%d\r\n%s\r\n", len(value), value)
	case name == "SET" && len(args) == 5:
		n, err := strconv.Atoi(args[4])
		if err != nil {
			return "-ERR value is not an integer or out of range\r\n"
		}
		unit := map[string]time.Duration{"EX": time.Second, "PX": time.Millisecond}[strings.ToUpper(args[3])]
		f.values[args[1]], f.ttl[args[1]] = args[2], time.Duration(n)*unit
		return "+OK\r\n"
	default:
		return fmt.Sprintf("-ERR unknown command '%s'\r\n", args[0])
	}
}

func TestTheFakeSpeaksTheProtocol(t *testing.T) {
	f := startFake(t, "127.0.0.1:0", "")
	conn, err := net.Dial("tcp", f.address())
	require.NoError(t, err)
	defer conn.Close()
	in := bufio.NewReader(conn)
	for _, c := range []struct{ say, hear string }{ // bytes as redis-server 7.0 answers them
		{"*1\r\n$4\r\nPING\r\n", "+PONG\r\n"},
		{"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", "$-1\r\n"},
		{"*5\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\nvv\r\n$2\r\nEX\r\n$2\r\n60\r\n", "+OK\r\n"},
		{"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", "$2\r\nvv\r\n"},
	} {
		_, err := io.WriteString(conn, c.say)
		require.NoError(t, err)
		buf := make([]byte, len(c.hear))
		_, err = io.ReadFull(in, buf)
		require.NoError(t, err)
		assert.Equal(t, c.hear, string(buf))
	}
}
