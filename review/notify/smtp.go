package notify

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/smtp"
	"strconv"
	"time"

	"github.com/kbagent/kbagent/review"
)

// Security says how a mail server is talked to.
type Security string

// The securities.
const (
	// Secure is TLS from the beginning on port 465, else STARTTLS, without which nothing is sent; a server on this machine
	// may go without.
	Secure Security = ""
	// ImplicitTLS is TLS from the beginning, on any port.
	ImplicitTLS Security = "tls"
	// Insecure is plain text; a password is sent to a server on this machine only.
	Insecure Security = "none"
)

// SMTPConfig says which server takes the mails. Host, From and To are required.
type SMTPConfig struct {
	Host string
	Port int // 0 is 587
	// User and Password are for servers that ask for them; both or neither.
	User, Password string
	From           string   // an address, with or without a name
	To             []string // likewise
	Security       Security
	// TLS is for certificates of one's own; nil is that of the system. Its ServerName is Host.
	TLS *tls.Config
	// Mask hides what must not leave the machine in the texts of an entry; nil hides nothing.
	Mask func(string) string
	// Now is for the dates of the mails; nil is time.Now.
	Now func() time.Time
}

// SMTP sends mails. It is safe for concurrent use; each mail has a connection of its own.
type SMTP struct {
	config SMTPConfig
	addr   string
	from   *mail.Address
	to     []*mail.Address
}

var _ review.Notifier = (*SMTP)(nil)

// NewSMTP checks the configuration. Its error does not contain the password.
func NewSMTP(c SMTPConfig) (*SMTP, error) {
	if c.Port == 0 {
		c.Port = 587
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	switch {
	case c.Host == "" || c.Port < 1 || c.Port > 65535:
		return nil, fmt.Errorf("notify: %q with port %d is no mail server", c.Host, c.Port)
	case c.Security != Secure && c.Security != ImplicitTLS && c.Security != Insecure:
		return nil, fmt.Errorf("notify: the security of mail is tls or none, not %q", c.Security)
	case (c.User == "") != (c.Password == ""):
		return nil, errors.New("notify: a mail server wants a user and a password, or neither")
	case len(c.To) == 0:
		return nil, errors.New("notify: a mail needs somebody to go to")
	}
	s := &SMTP{config: c, addr: net.JoinHostPort(c.Host, strconv.Itoa(c.Port))}
	var err error
	if s.from, err = mail.ParseAddress(c.From); err != nil {
		return nil, fmt.Errorf("notify: the sender %q is no mail address: %w", c.From, err)
	}
	for _, to := range c.To {
		a, err := mail.ParseAddress(to)
		if err != nil {
			return nil, fmt.Errorf("notify: %q is no mail address: %w", to, err)
		}
		s.to = append(s.to, a)
	}
	return s, nil
}

// Name implements review.Notifier: "smtp".
func (s *SMTP) Name() string { return "smtp" }

// Notify implements review.Notifier. It returns nil when the server has taken the whole mail for all recipients; when it
// refuses one of them nobody gets it, and the error names that one.
func (s *SMTP) Notify(ctx context.Context, m review.Message) error {
	message := s.message(compose(m, s.config.Mask), m.Key)
	return s.explain(ctx, s.session(ctx, func(c *smtp.Client) error { return s.transfer(c, message) }))
}

// explain says which server an error is about, and that it was the end of ctx where it was.
func (s *SMTP) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("the mail server %s: %w", s.addr, err)
}

// session is a connection that do works with when the server has greeted and knows who it is.
func (s *SMTP) session(ctx context.Context, do func(*smtp.Client) error) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() }) //nolint:errcheck // it ends what waits for the server
	defer stop()
	c, err := s.greet(ctx, conn)
	if err != nil {
		return err
	}
	if err := do(c); err != nil {
		return err
	}
	_ = c.Quit() // what was to be done is done: a server that is not polite does not make it done again
	return nil
}

// greet begins the session: TLS, then the password.
func (s *SMTP) greet(ctx context.Context, conn net.Conn) (*smtp.Client, error) {
	implicit := s.config.Security == ImplicitTLS || s.config.Security == Secure && s.config.Port == 465
	if implicit {
		secured := tls.Client(conn, s.tls())
		if err := secured.HandshakeContext(ctx); err != nil {
			return nil, fmt.Errorf("TLS: %w", err)
		}
		conn = secured
	}
	c, err := smtp.NewClient(conn, s.config.Host)
	if err != nil {
		return nil, fmt.Errorf("greeting: %w", err)
	}
	if !implicit && s.config.Security == Secure {
		if err := s.startTLS(c); err != nil {
			return nil, err
		}
	}
	if s.config.User == "" {
		return c, nil
	}
	return c, s.authenticate(c)
}

// startTLS makes the session secret, or ends it. On this machine it may stay as it is.
func (s *SMTP) startTLS(c *smtp.Client) error {
	if ok, _ := c.Extension("STARTTLS"); ok {
		if err := c.StartTLS(s.tls()); err != nil {
			return fmt.Errorf("STARTTLS: %w", err)
		}
		return nil
	}
	if isLoopback(s.config.Host) {
		return nil
	}
	return errors.New("it does not offer STARTTLS, and mail is not sent in plain text")
}

func (s *SMTP) tls() *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.config.TLS != nil {
		c = s.config.TLS.Clone()
	}
	c.ServerName = s.config.Host
	return c
}

// isLoopback says whether a host is this machine by its name or address; names are not looked up.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (s *SMTP) transfer(c *smtp.Client, message []byte) error {
	if err := c.Mail(s.from.Address); err != nil {
		return fmt.Errorf("the sender %s: %w", s.from.Address, err)
	}
	for _, to := range s.to {
		if err := c.Rcpt(to.Address); err != nil {
			return fmt.Errorf("the recipient %s: %w", to.Address, err)
		}
	}
	w, err := c.Data()
	if err != nil {
		return fmt.Errorf("DATA: %w", err)
	}
	if _, err := w.Write(message); err != nil {
		return fmt.Errorf("DATA: %w", err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("the end of DATA: %w", err)
	}
	return nil
}
