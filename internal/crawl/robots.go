package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/temoto/robotstxt"

	"github.com/kbagent/kbagent/tools/netguard"
)

// maxRobots is how much of a robots.txt is read (RFC 9309, 2.5).
const maxRobots = 500 << 10

// robots are the rules of a host.
type robots struct{ group *robotstxt.Group }

// robotsOf fetches the rules of the host that u is on. A host without them (status 4xx) allows everything; one whose rules cannot
// be had now is not crawled (RFC 9309, 2.3.1).
func robotsOf(ctx context.Context, get Fetcher, u *url.URL, agent string) (robots, error) {
	at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	page, err := get.Fetch(ctx, netguard.Request{URL: at.String()})
	switch {
	case ctx.Err() != nil:
		return robots{}, ctx.Err()
	case errors.Is(err, netguard.ErrTooLarge):
		return robots{}, fmt.Errorf("the rules of %s for programs cannot be read: %w", u.Host, err)
	case err != nil:
		return robots{}, err
	case page.Status >= http.StatusInternalServerError || page.Status == http.StatusTooManyRequests:
		return robots{}, fmt.Errorf("%s answered with status %d: without the site's rules nothing is fetched", &at, page.Status)
	}
	rules, err := robotstxt.FromStatusAndBytes(page.Status, understood(page.Body[:min(len(page.Body), maxRobots)]))
	if err != nil {
		return robots{}, fmt.Errorf("%s cannot be read: %w", &at, err)
	}
	return robots{rules.FindGroup(agent)}, nil
}

// understood is what of a robots.txt can be understood: the parser would refuse it as a whole for one bad line.
func understood(body []byte) []byte {
	var b bytes.Buffer
	named := false
	for line := range bytes.Lines(body) {
		line, _, _ = bytes.Cut(bytes.ToValidUTF8(line, nil), []byte("#"))
		field, value, ok := strings.Cut(string(line), ":")
		value = strings.TrimSpace(value)
		switch field = strings.ToLower(strings.Trim(field, " \t\ufeff")); {
		case !ok:
			continue
		case field == "user-agent":
			named = true
		case field == "crawl-delay":
			if delay, err := strconv.ParseFloat(value, 64); err != nil || delay < 0 {
				continue
			}
		case field != "allow" && field != "disallow":
			continue
		}
		if named {
			fmt.Fprintf(&b, "%s: %s\n", field, value)
		}
	}
	return b.Bytes()
}

// allows reports whether the page may be fetched.
func (r robots) allows(u *url.URL) bool { return r.group == nil || r.group.Test(u.RequestURI()) }

// delay is the pause that the rules ask for.
func (r robots) delay() time.Duration {
	if r.group == nil {
		return 0
	}
	return min(r.group.CrawlDelay, maxDelay)
}
