package notify_test

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/review"
	"github.com/kbagent/kbagent/review/notify"
	"github.com/kbagent/kbagent/review/reviewtest"
)

const password = "open-s3same"

func message(question string) review.Message {
	e := reviewtest.Entry("abc123")
	e.Question = question
	return review.Message{Key: "kbagent-review-abc123-smtp", Entry: e, URL: "kbagent review show abc123"}
}

// sender is a notifier that sends to s, started here; with changes the configuration.
func sender(t *testing.T, s *mailServer, with func(*notify.SMTPConfig)) *notify.SMTP {
	t.Helper()
	c := notify.SMTPConfig{
		Host: "127.0.0.1", Port: s.start(t), From: "Kb Agent <kb@example.com>", To: []string{"ada@example.com", "Bób <bob@example.com>"},
		Now: func() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) },
	}
	if with != nil {
		with(&c)
	}
	n, err := notify.NewSMTP(c)
	require.NoError(t, err)
	return n
}

// parse reads a mail as its receiver does.
func parse(t *testing.T, m receivedMail) (header mail.Header, subject, body string) {
	t.Helper()
	parsed, err := mail.ReadMessage(strings.NewReader(m.data))
	require.NoError(t, err)
	subject, err = new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject"))
	require.NoError(t, err)
	text, err := io.ReadAll(quotedprintable.NewReader(parsed.Body))
	require.NoError(t, err)
	return parsed.Header, subject, string(text)
}

func TestAMailTellsOfTheReview(t *testing.T) {
	server := &mailServer{}
	require.NoError(t, sender(t, server, nil).Notify(t.Context(), message("Wie lange bleiben Logs? 日志\n.\nQUIT")))
	require.Len(t, server.received(), 1)
	m := server.received()[0]
	assert.Equal(t, []string{"TO:<ada@example.com>", "TO:<bob@example.com>"}, m.to)
	header, subject, body := parse(t, m)
	assert.Equal(t, "[kbagent] review needed (medium): Wie lange bleiben Logs? 日志 . QUIT", subject)
	assert.Equal(t, "<kbagent-review-abc123-smtp@example.com>", header.Get("Message-ID"))
	assert.Equal(t, "Sun, 01 Mar 2026 09:00:00 +0000", header.Get("Date"))
	to, err := header.AddressList("To")
	require.NoError(t, err)
	assert.Equal(t, "Bób", to[1].Name)
	for _, part := range []string{"Wie lange bleiben Logs? 日志\r\n.\r\nQUIT", "Confidence: 0.50", "- one claim of two is unsupported", "Decide: kbagent review show abc123"} {
		assert.Contains(t, body, part)
	}
}

func TestAQuestionCannotWriteHeaders(t *testing.T) {
	server := &mailServer{}
	attack := "Hi\r\nBcc: eve@example.com\r\n\r\nBuy now\x00\u202e" + strings.Repeat(" and a very long rest", 50)
	require.NoError(t, sender(t, server, nil).Notify(t.Context(), message(attack)))
	m := server.received()[0]
	header, subject, _ := parse(t, m)
	assert.Empty(t, header.Get("Bcc"))
	assert.Len(t, m.to, 2)
	assert.NotContains(t, subject, "\n")
	assert.LessOrEqual(t, len([]rune(subject)), 100)
	for line := range strings.Lines(m.data) {
		assert.LessOrEqual(t, len(strings.TrimRight(line, "\r\n")), 78, line)
	}
}

func TestAServerWithSTARTTLSGetsThePasswordInSecret(t *testing.T) {
	for _, way := range []string{"PLAIN LOGIN", "LOGIN"} {
		t.Run(way, func(t *testing.T) {
			server := &mailServer{auth: way, user: "kb", password: password}
			var client = new(notify.SMTPConfig)
			server.tls, client.TLS = certificate(t)
			n := sender(t, server, func(c *notify.SMTPConfig) { c.TLS, c.User, c.Password = client.TLS, "kb", password })
			require.NoError(t, n.Notify(t.Context(), message("q")))
			m := server.received()[0]
			assert.True(t, m.secret)
			assert.Equal(t, "kb", m.user)
		})
	}
}

func TestAServerWithTLSFromTheBeginning(t *testing.T) {
	server := &mailServer{implicit: true}
	serverTLS, clientTLS := certificate(t)
	server.tls = serverTLS
	n := sender(t, server, func(c *notify.SMTPConfig) { c.TLS, c.Security = clientTLS, notify.ImplicitTLS })
	require.NoError(t, n.Notify(t.Context(), message("q")))
	assert.True(t, server.received()[0].secret)
}

func TestACertificateThatNobodyTrustsIsRefused(t *testing.T) {
	server := &mailServer{}
	server.tls, _ = certificate(t)
	err := sender(t, server, nil).Notify(t.Context(), message("q"))
	require.ErrorContains(t, err, "STARTTLS: tls: failed to verify certificate")
	assert.Empty(t, server.received())
}

func TestAServerElsewhereGetsNothingInPlainText(t *testing.T) {
	server := &mailServer{auth: "PLAIN", user: "kb", password: password}
	// 127.0.0.1 under a name that does not say so stands for a server elsewhere.
	elsewhere := func(c *notify.SMTPConfig) { c.Host, c.User, c.Password = "0.0.0.0", "kb", password }
	n := sender(t, server, elsewhere)
	require.ErrorContains(t, n.Notify(t.Context(), message("q")), "does not offer STARTTLS, and mail is not sent in plain text")

	insecure := &mailServer{auth: "PLAIN LOGIN", user: "kb", password: password}
	n = sender(t, insecure, func(c *notify.SMTPConfig) { elsewhere(c); c.Security = notify.Insecure })
	require.ErrorContains(t, n.Notify(t.Context(), message("q")), "a password is not sent in plain text")
	assert.NotContains(t, insecure.heard(), "AUTH")

	asked := &mailServer{}
	n = sender(t, asked, func(c *notify.SMTPConfig) { c.Host, c.Security = "0.0.0.0", notify.Insecure })
	require.NoError(t, n.Notify(t.Context(), message("q")), "plain text was asked for")
	assert.Empty(t, server.received())
}

func TestAWrongPasswordIsAnErrorWithoutThePassword(t *testing.T) {
	server := &mailServer{auth: "PLAIN", user: "kb", password: "another"}
	n := sender(t, server, func(c *notify.SMTPConfig) { c.User, c.Password = "kb", password })
	err := n.Notify(t.Context(), message("q"))
	require.ErrorContains(t, err, "log in as kb: 535")
	assert.NotContains(t, err.Error(), password)
}

func TestARecipientThatIsRefusedIsNamedAndNobodyGetsTheMail(t *testing.T) {
	server := &mailServer{refuse: map[string]string{"RCPT TO:<bob": "550 no such user"}}
	err := sender(t, server, nil).Notify(t.Context(), message("q"))
	require.ErrorContains(t, err, "the recipient bob@example.com: 550")
	assert.Empty(t, server.received())
}

func TestAServerThatIsBusyIsAnError(t *testing.T) {
	for stage, s := range map[string]*mailServer{
		"greeting":        {greeting: "421 too busy"},
		"the sender":      {refuse: map[string]string{"MAIL": "451 try later"}},
		"DATA":            {refuse: map[string]string{"DATA": "452 no room"}},
		"the end of DATA": {cutData: true},
	} {
		t.Run(stage, func(t *testing.T) {
			require.ErrorContains(t, sender(t, s, nil).Notify(t.Context(), message("q")), stage)
			assert.Empty(t, s.received())
		})
	}
}

func TestAServerThatHangsIsLeftWhenTheTimeIsOver(t *testing.T) {
	for _, stage := range []string{"greeting", "EHLO", "MAIL", "DATA"} {
		t.Run(stage, func(t *testing.T) {
			server := &mailServer{hang: stage, hung: make(chan struct{})}
			n := sender(t, server, nil)
			ctx, cancel := context.WithCancelCause(t.Context())
			over := errors.New("the time is over")
			go func() {
				<-server.hung
				cancel(over)
			}()
			require.ErrorIs(t, n.Notify(ctx, message("q")), over)
		})
	}
}

func TestAServerThatHangsAtTheEndHasTakenTheMail(t *testing.T) {
	server := &mailServer{hang: "QUIT", hung: make(chan struct{})}
	n := sender(t, server, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-server.hung
		cancel()
	}()
	require.NoError(t, n.Notify(ctx, message("q")))
	assert.Len(t, server.received(), 1)
}

func TestMailSettingsThatCannotWorkAreRefused(t *testing.T) {
	good := notify.SMTPConfig{Host: "mail.example.com", From: "kb@example.com", To: []string{"ada@example.com"}}
	for want, with := range map[string]func(*notify.SMTPConfig){
		"no mail server":       func(c *notify.SMTPConfig) { c.Host = "" },
		"port 70000":           func(c *notify.SMTPConfig) { c.Port = 70000 },
		"the sender":           func(c *notify.SMTPConfig) { c.From = "kb" },
		"somebody to go to":    func(c *notify.SMTPConfig) { c.To = nil },
		`"ada" is no mail`:     func(c *notify.SMTPConfig) { c.To = []string{"ada"} },
		"is no mail address":   func(c *notify.SMTPConfig) { c.To = []string{"ada@example.com\r\nDATA"} },
		"a user and":           func(c *notify.SMTPConfig) { c.User = "kb" },
		"security of mail":     func(c *notify.SMTPConfig) { c.Security = "maybe" },
		"a password, or neith": func(c *notify.SMTPConfig) { c.Password = password },
	} {
		c := good
		with(&c)
		_, err := notify.NewSMTP(c)
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), password)
	}
	_, err := notify.NewSMTP(good)
	require.NoError(t, err)
}
