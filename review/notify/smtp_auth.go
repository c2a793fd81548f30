package notify

import (
	"errors"
	"fmt"
	"net/smtp"
	"slices"
	"strings"
)

// authenticate logs in by what the server offers: PLAIN, LOGIN or CRAM-MD5. The password goes over TLS or stays on this
// machine.
func (s *SMTP) authenticate(c *smtp.Client) error {
	ok, offered := c.Extension("AUTH")
	if !ok {
		return errors.New("it takes no password here, and one is configured")
	}
	var auth smtp.Auth
	switch ways := strings.Fields(strings.ToUpper(offered)); {
	case slices.Contains(ways, "PLAIN"):
		auth = guarded{s, smtp.PlainAuth("", s.config.User, s.config.Password, s.config.Host)}
	case slices.Contains(ways, "LOGIN"):
		auth = guarded{s, &loginAuth{s.config.User, s.config.Password}}
	case slices.Contains(ways, "CRAM-MD5"):
		auth = smtp.CRAMMD5Auth(s.config.User, s.config.Password)
	default:
		return fmt.Errorf("it offers no way to log in that is known here: %s", line(offered))
	}
	if err := c.Auth(auth); err != nil {
		return fmt.Errorf("log in as %s: %w", s.config.User, err)
	}
	return nil
}

// guarded keeps a password from crossing a network in plain text.
type guarded struct {
	s *SMTP
	smtp.Auth
}

// Start implements smtp.Auth.
func (g guarded) Start(server *smtp.ServerInfo) (string, []byte, error) {
	if !server.TLS && !isLoopback(g.s.config.Host) {
		return "", nil, errors.New("a password is not sent in plain text")
	}
	secured := *server
	secured.TLS = true // to PlainAuth, which knows fewer names of this machine
	return g.Auth.Start(&secured)
}

// loginAuth is the way of servers that know no PLAIN, Microsoft's among them.
type loginAuth struct{ user, password string }

// Start implements smtp.Auth.
func (a *loginAuth) Start(*smtp.ServerInfo) (string, []byte, error) { return "LOGIN", nil, nil }

// Next implements smtp.Auth.
func (a *loginAuth) Next(asked []byte, more bool) ([]byte, error) {
	if !more {
		return nil, nil
	}
	switch ask := strings.ToLower(string(asked)); {
	case strings.HasPrefix(ask, "user"):
		return []byte(a.user), nil
	case strings.HasPrefix(ask, "pass"):
		return []byte(a.password), nil
	default:
		return nil, fmt.Errorf("the server asks for %q", line(ask))
	}
}
