package traffic

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
)

// failure is why no answer came, or why a body did not go on.
type failure struct {
	Kind kind   `json:"kind"`
	Text string `json:"text,omitempty"`
	Host string `json:"host,omitempty"` // of kind dns
}

// kind is what a client can tell apart.
type kind string

const (
	kindGone        kind = "gone"        // the client's context was done: the server had said nothing until then
	kindLeft        kind = "left"        // the client closed the body before its end
	kindCut         kind = "cut"         // the body ended too early
	kindDNS         kind = "dns"         // the host is unknown
	kindCertificate kind = "certificate" // it is not trusted
	kindNoTLS       kind = "no_tls"      // the server does not speak TLS
	kindOther       kind = "other"       // refused, reset and the rest
)

func (f *failure) check() error {
	if f == nil {
		return nil
	}
	switch f.Kind {
	case kindGone, kindLeft, kindCut, kindDNS, kindCertificate, kindNoTLS, kindOther:
		return nil
	}
	return fmt.Errorf("a failure has the unknown kind %q", f.Kind)
}

// failureOf describes an error that came while ctx was as it is now.
func failureOf(ctx context.Context, err error) *failure {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	f := &failure{Kind: kindOther, Text: err.Error()}
	switch {
	case ctx.Err() != nil:
		return &failure{Kind: kindGone}
	case errors.Is(err, io.ErrUnexpectedEOF):
		f.Kind = kindCut
	case errors.As(err, &dns):
		f.Kind, f.Host = kindDNS, dns.Name
	case errors.As(err, &certificate):
		f.Kind = kindCertificate
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		f.Kind = kindNoTLS
	}
	return f
}

// err makes the error again. It waits for ctx to be done where the recorded client had done so.
func (f *failure) err(ctx context.Context) error {
	switch f.Kind {
	case kindGone:
		<-ctx.Done()
		return ctx.Err()
	case kindLeft:
		return errors.New("traffic: the recorded client read no further than here")
	case kindCut:
		return &replayed{f.Text, io.ErrUnexpectedEOF}
	case kindDNS:
		return &replayed{f.Text, &net.DNSError{Err: f.Text, Name: f.Host, IsNotFound: true}}
	case kindCertificate:
		return &replayed{f.Text, &tls.CertificateVerificationError{Err: errors.New(f.Text)}}
	case kindNoTLS:
		return &replayed{f.Text, http.ErrSchemeMismatch}
	}
	return errors.New(f.Text)
}

// replayed reads as it was recorded and is what it was.
type replayed struct {
	text string
	is   error
}

func (e *replayed) Error() string { return e.text }
func (e *replayed) Unwrap() error { return e.is }
