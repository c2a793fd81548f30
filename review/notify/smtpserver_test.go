package notify_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// mailServer speaks SMTP (RFC 5321) as far as a sender sees it. Its fields are set before start.
type mailServer struct {
	tls      *tls.Config // offers STARTTLS
	implicit bool        // begins with TLS
	auth     string      // ways to log in; "" offers none
	user     string
	password string
	refuse   map[string]string // answers by the beginning of a command, instead of the usual ones
	greeting string            // instead of the usual one
	hang     string            // the command that is never answered
	hung     chan struct{}     // closed when it hangs
	cutData  bool              // closes in the middle of DATA

	mu       sync.Mutex
	mails    []receivedMail
	commands []string
}

type receivedMail struct {
	from    string
	to      []string
	data    string
	secret  bool // came over TLS
	user    string
	session int
}

// start listens on a loopback port until the test ends.
func (s *mailServer) start(t *testing.T) (port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	if s.implicit {
		l = tls.NewListener(l, s.tls)
	}
	var sessions sync.WaitGroup
	var mu sync.Mutex
	conns := map[net.Conn]bool{}
	sessions.Go(func() {
		for n := 1; ; n++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns[conn] = true
			mu.Unlock()
			sessions.Go(func() {
				defer conn.Close()
				(&mailSession{server: s, conn: conn, n: n, secret: s.implicit}).run()
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for c := range conns {
			c.Close()
		}
		mu.Unlock()
		sessions.Wait()
	})
	return l.Addr().(*net.TCPAddr).Port
}

func (s *mailServer) received() []receivedMail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]receivedMail(nil), s.mails...)
}

func (s *mailServer) heard() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.commands, "\n")
}

type mailSession struct {
	server *mailServer
	conn   net.Conn
	in     *bufio.Reader
	n      int
	secret bool
	mail   receivedMail
}

func (m *mailSession) say(format string, args ...any) {
	fmt.Fprintf(m.conn, format+"\r\n", args...)
}

func (m *mailSession) line() (string, bool) {
	text, err := m.in.ReadString('\n')
	return strings.TrimRight(text, "\r\n"), err == nil
}

func (m *mailSession) run() {
	m.in = bufio.NewReader(m.conn)
	if m.server.hang == "greeting" {
		m.waitForEver()
		return
	}
	if m.server.greeting != "" {
		m.say("%s", m.server.greeting)
	} else {
		m.say("220 test ESMTP")
	}
	for {
		command, ok := m.line()
		if !ok || !m.answer(command) {
			return
		}
	}
}

func (m *mailSession) waitForEver() {
	if m.server.hung != nil {
		close(m.server.hung)
	}
	m.in.ReadString(0) // until the client goes
}

// answer deals with one command; false ends the session.
func (m *mailSession) answer(command string) bool {
	s := m.server
	s.mu.Lock()
	s.commands = append(s.commands, command)
	s.mu.Unlock()
	verb, rest, _ := strings.Cut(command, " ")
	if s.hang == verb {
		m.waitForEver()
		return false
	}
	for begin, text := range s.refuse {
		if strings.HasPrefix(command, begin) {
			m.say("%s", text)
			return true
		}
	}
	switch verb {
	case "EHLO", "HELO":
		m.hello()
	case "STARTTLS":
		m.say("220 go on")
		m.conn = tls.Server(m.conn, s.tls)
		m.in, m.secret = bufio.NewReader(m.conn), true
	case "AUTH":
		m.login(rest)
	case "MAIL":
		m.mail = receivedMail{from: rest, secret: m.secret, user: m.mail.user, session: m.n}
		m.say("250 ok")
	case "RCPT":
		m.mail.to = append(m.mail.to, rest)
		m.say("250 ok")
	case "DATA":
		return m.data()
	case "QUIT":
		m.say("221 bye")
		return false
	default:
		m.say("500 what?")
	}
	return true
}

func (m *mailSession) hello() {
	m.say("250-test")
	if m.server.tls != nil && !m.secret {
		m.say("250-STARTTLS")
	}
	if m.server.auth != "" {
		m.say("250-AUTH %s", m.server.auth)
	}
	m.say("250 8BITMIME")
}

func (m *mailSession) login(rest string) {
	decode := func(s string) string { b, _ := base64.StdEncoding.DecodeString(s); return string(b) }
	way, initial, _ := strings.Cut(rest, " ")
	var user, password string
	switch way {
	case "PLAIN":
		parts := strings.Split(decode(initial), "\x00")
		user, password = parts[1], parts[2]
	case "LOGIN":
		m.say("334 %s", base64.StdEncoding.EncodeToString([]byte("Username:")))
		user, _ = m.line()
		m.say("334 %s", base64.StdEncoding.EncodeToString([]byte("Password:")))
		password, _ = m.line()
		user, password = decode(user), decode(password)
	}
	if user != m.server.user || password != m.server.password {
		m.say("535 wrong password")
		return
	}
	m.mail.user = user
	m.say("235 welcome")
}

func (m *mailSession) data() bool {
	m.say("354 go on")
	var b strings.Builder
	for {
		text, ok := m.line()
		if !ok || m.server.cutData && strings.HasPrefix(text, "Subject:") {
			return false
		}
		if text == "." {
			break
		}
		b.WriteString(strings.TrimPrefix(text, ".") + "\r\n")
	}
	m.mail.data = b.String()
	m.server.mu.Lock()
	m.server.mails = append(m.server.mails, m.mail)
	m.server.mu.Unlock()
	m.say("250 taken")
	return true
}

// certificate is a certificate for 127.0.0.1, and a configuration that trusts it.
func certificate(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	t.Cleanup(s.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, &tls.Config{RootCAs: trusted}
}
