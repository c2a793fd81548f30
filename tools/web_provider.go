package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Limits of one call of a search engine.
const (
	searxngTimeout = 5 * time.Second
	tavilyTimeout  = 10 * time.Second
	maxSearchReply = 4 << 20 // bytes
)

// providerBase checks the address of a search engine, which the user configures: it may be private.
func providerBase(provider, base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %q is no URL", provider, base)
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, fmt.Errorf("%s: %q is no http or https URL with a host", provider, u.Redacted())
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%s: %q must have no query and no fragment", provider, u.Redacted())
	}
	return u, nil
}

// A searchCall is one request to a search engine, with the words for what may go wrong.
type searchCall struct {
	client   *http.Client
	provider string
	limit    time.Duration
	refused  func(status int, header http.Header, body []byte) error
}

// do sends req and reads the JSON of a reply with status 200 into reply.
func (s searchCall) do(ctx context.Context, req *http.Request, reply any) error {
	inner, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	resp, err := s.client.Do(req.WithContext(inner))
	if err != nil {
		return s.failure(ctx, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxSearchReply+1))
	if err != nil {
		return s.failure(ctx, err)
	}
	if resp.StatusCode != http.StatusOK {
		return s.refused(resp.StatusCode, resp.Header, body)
	}
	if len(body) > maxSearchReply {
		return &Error{Code: CodeTooLarge, Message: fmt.Sprintf("the reply of %s is larger than %d MiB", s.provider, maxSearchReply>>20)}
	}
	if err := json.Unmarshal(body, reply); err != nil {
		return &Error{Code: CodeUnavailable, Message: fmt.Sprintf("%s answered no JSON; check its address: %v", s.provider, err)}
	}
	return nil
}

// failure says why there is no reply. An end that the caller brought about is the caller's error.
func (s searchCall) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if timeout, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); ok && timeout.Timeout() {
		return &Error{Code: CodeTimeout, Message: fmt.Sprintf("%s did not answer within %v", s.provider, s.limit)}
	}
	if ue, ok := errors.AsType[*url.Error](err); ok { // its text repeats the URL, with the query
		err = ue.Err
	}
	return &Error{Code: CodeUnavailable, Message: fmt.Sprintf("%s cannot be reached: %v; check its address and the network", s.provider, err)}
}

// busy is the error for too many requests.
func busy(provider string, header http.Header) error {
	wait := "try again later"
	if after := retryAfter(header, time.Now()); after > 0 {
		wait = fmt.Sprintf("try again in %v", after)
	}
	return &Error{Code: CodeUnavailable, Message: fmt.Sprintf("%s gets too many requests; %s", provider, wait)}
}

// retryAfter reads the header Retry-After, in seconds or as a date; 0 when there is none that can be read.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 7*24*3600)) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now).Round(time.Second)
	}
	return 0
}

// published reads the date of a result; engines write it in several forms, and nothing depends on it.
func published(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.RFC1123, "2006-01-02 15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}
