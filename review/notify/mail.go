package notify

import (
	"bytes"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"strings"
	"time"
)

// message is a whole mail. Nothing of an entry gets into its headers but the subject, which is one encoded line.
func (s *SMTP) message(c content, key string) []byte {
	var to []string
	for _, a := range s.to {
		to = append(to, a.String())
	}
	domain := s.from.Address[strings.LastIndexByte(s.from.Address, '@')+1:]
	var b bytes.Buffer
	for _, h := range [][2]string{
		{"From", s.from.String()},
		{"To", strings.Join(to, ",\r\n ")},
		{"Subject", encodeSubject(c.subject)},
		{"Date", s.config.Now().Format(time.RFC1123Z)},
		{"Message-ID", fmt.Sprintf("<%s@%s>", key, domain)},
		{"Auto-Submitted", "auto-generated"},
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
	} {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write([]byte(c.text(func(s string) string { return s }))) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// encodeSubject is a line as a header holds it: where it is no ASCII, with each encoded word on a line, which may have 76
// characters (RFC 2047, section 2).
func encodeSubject(s string) string {
	words := mime.BEncoding.Encode("utf-8", line(s))
	if strings.HasPrefix(words, "=?") {
		words = "\r\n " + words
	}
	return strings.ReplaceAll(words, "?= =?", "?=\r\n =?")
}
