package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Sentinels of this package; test with errors.Is. The errors that carry them say what happened and
// what to check.
var (
	// ErrCut marks a reply that ended before it was complete: no stop reason, a closed connection, an
	// error event or a malformed line in mid-stream. A reply with stop reason "length" is not cut:
	// it is returned, and the caller decides.
	ErrCut = errors.New("the reply was cut")
	// ErrUnreachable marks a request that got no HTTP answer: connection refused, unknown host, TLS.
	ErrUnreachable = errors.New("the server cannot be reached")
	// ErrMalformed marks a whole reply, with a good status, that is not what the protocol says.
	ErrMalformed = errors.New("the reply is not what the protocol says")
	// ErrRateLimit marks a request that our own rate limit would hold back beyond the end of the call.
	ErrRateLimit = errors.New("the rate limit leaves no room")
	// ErrModelUnknown marks a server that answers but does not list the configured model; see [Ping].
	ErrModelUnknown = errors.New("the server does not list the model")
)

// StatusError is an HTTP answer outside 2xx, or an error object sent in place of a reply.
type StatusError struct {
	// Status is the HTTP status, or the code of the error object.
	Status int
	// RetryAfter is what the server asked to wait; 0 when it did not say.
	RetryAfter time.Duration
	// Body is the start of the answer (at most 2 KiB) with the API key blotted out.
	Body string
	// Endpoint is the base URL that answered.
	Endpoint string
}

// Error is one sentence: who answered what, what to check, what the server said.
func (e *StatusError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s answered HTTP %d", e.Endpoint, e.Status)
	if text := http.StatusText(e.Status); text != "" {
		b.WriteString(" " + text)
	}
	b.WriteString(": " + e.advice())
	if said := serverMessage(e.Body); said != "" {
		fmt.Fprintf(&b, " (the server said: %s)", said)
	}
	return b.String()
}

func (e *StatusError) advice() string {
	switch {
	case e.quota():
		return "the account's quota is used up: check plan and billing"
	case e.Status == http.StatusTooManyRequests && e.RetryAfter > 0:
		return fmt.Sprintf("too many requests: wait %s", e.RetryAfter)
	case e.Status == statusOverloaded:
		return "it is overloaded: try again later"
	case e.Status/100 == 3:
		return "it redirects: check the base URL"
	case e.Status >= 500:
		return "the server has a problem: try again later or look into its log"
	}
	if advice, ok := statusAdvice[e.Status]; ok {
		return advice
	}
	return "check the base URL, the model name and what this model supports"
}

var statusAdvice = map[int]string{
	http.StatusUnauthorized:          "check the API key",
	http.StatusForbidden:             "the API key may not use this model: check its permissions",
	http.StatusNotFound:              "check the model name and the base URL",
	http.StatusMethodNotAllowed:      "check the base URL",
	http.StatusRequestTimeout:        "the server gave up waiting: try again",
	http.StatusRequestEntityTooLarge: "the request is too large: send less context",
	http.StatusTooManyRequests:       "too many requests: slow down or check the quota",
}

// statusOverloaded is Anthropic's own status.
const statusOverloaded = 529

func (e *StatusError) quota() bool {
	return strings.Contains(e.Body, "insufficient_quota") || strings.Contains(e.Body, "credit balance is too low")
}

// Refused reports that the server has read the request and will not take what it holds, however often it is sent: a text that
// is too long, for instance.
func (e *StatusError) Refused() bool {
	switch e.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return !e.quota()
	}
	return false
}

func (e *StatusError) temporary() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return !e.quota()
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return e.Status >= 500
}

// failure is an error with a sentinel, one sentence, and maybe a cause.
type failure struct {
	kind  error
	text  string
	cause error
	retry bool
}

func (e *failure) Error() string   { return e.text }
func (e *failure) temporary() bool { return e.retry }

func (e *failure) Unwrap() []error {
	if e.cause == nil {
		return []error{e.kind}
	}
	return []error{e.kind, e.cause}
}

// errSilent is the cancellation cause of an attempt that stayed silent for AttemptTimeout.
var errSilent = errors.New("the attempt stayed silent")

// silentError reports one silent attempt. It is retried and is a context.DeadlineExceeded.
func silentError(base string, after time.Duration) error {
	return &failure{
		kind: context.DeadlineExceeded, retry: true,
		text: fmt.Sprintf("%s sent nothing for %s: raise the timeout or use a faster model", base, after),
	}
}

// timeoutError reports a call that used up Config.Timeout; last is the error of the attempt before.
func timeoutError(base string, after time.Duration, last error) error {
	text := fmt.Sprintf("%s gave no complete answer within %s: raise the timeout or use a faster model", base, after)
	if last != nil {
		text += " (last attempt: " + last.Error() + ")"
	}
	return &failure{kind: context.DeadlineExceeded, text: text, cause: last}
}

// temporary tells whether the same request may succeed a moment later.
func temporary(err error) bool {
	var t interface{ temporary() bool }
	return errors.As(err, &t) && t.temporary()
}
