package crawl

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/readable"
	"github.com/kbagent/kbagent/tools/netguard"
)

// wanted are the media types that are read.
var wanted = []string{"text/html", "application/xhtml+xml", "text/plain", "text/markdown", "text/x-markdown", "application/pdf"}

// judge says what an answer means: what to tell of the page, and which links it has.
func (c *Crawl) judge(v visit, known bool, page netguard.Page, err error) (pages []index.Page, found []*url.URL) {
	p := index.Page{Path: Address(v.url)}
	if err == nil {
		switch status := page.Status; {
		case status == http.StatusNotModified && known:
			p.Outcome = index.PageUnchanged
		case status == http.StatusNotFound || status == http.StatusGone:
			p.Outcome, p.Err = index.PageGone, fmt.Errorf("there is no such page (status %d)", status)
		case status >= 200 && status <= 299:
			return c.read(v, known, page)
		default:
			p.Outcome, p.Err = index.PageFailed, statusError(page)
		}
	} else {
		p.Outcome, p.Err = index.PageFailed, err
		for _, lasting := range []error{netguard.ErrType, netguard.ErrTooLarge, errElsewhere} {
			if errors.Is(err, lasting) {
				p.Outcome = index.PageSkipped
			}
		}
		if !known && errors.Is(err, netguard.ErrRefused) { // of a known page it is that of the network of today: a portal, a tunnel
			p.Outcome = index.PageSkipped
		}
	}
	switch {
	case v.depth == 0 && !known && p.Outcome != index.PageUnchanged:
		p.Outcome = index.PageFailed // it was asked for by name
	case !known && (p.Outcome == index.PageGone || p.Outcome == index.PageFailed && closed(page.Status)):
		p.Outcome = index.PageSkipped // a link that leads nowhere is the site's business
	}
	return []index.Page{p}, nil
}

// closed reports a status that says that a page is not for everybody.
func closed(status int) bool {
	return status >= 400 && status <= 499 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout
}

func statusError(page netguard.Page) error {
	switch status := page.Status; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusUnavailableForLegalReasons:
		return fmt.Errorf("the server does not let this program read it (status %d)", status)
	case status == http.StatusTooManyRequests, status >= 500:
		return fmt.Errorf("it cannot be had now (status %d)", status)
	default:
		return fmt.Errorf("the server answered with status %d", status)
	}
}

// read takes the content of a page, which may have been found at another address.
func (c *Crawl) read(v visit, known bool, page netguard.Page) (pages []index.Page, found []*url.URL) {
	asked, at := Address(v.url), Address(page.URL)
	if asked != at {
		if known {
			pages = append(pages, index.Page{Path: asked, Outcome: index.PageGone, Err: fmt.Errorf("it is at %s now", at)})
		}
		if c.seen[at] {
			return pages, nil
		}
		c.seen[at] = true
	}
	p := index.Page{Path: at, Outcome: index.PageFetched, Name: "page" + extension(page), Data: page.Body}
	if p.Name != "page.pdf" {
		text, err := readable.Decode(page.Body, page.Type, page.ContentType)
		if err != nil {
			return append(pages, index.Page{Path: at, Outcome: index.PageSkipped, Err: err}), nil
		}
		p.Data = []byte(text)
		if p.Name == "page.html" {
			l := linksOf(text, page.URL)
			found = l.urls
			if l.noIndex && c.opts.Links {
				return append(pages, index.Page{Path: at, Outcome: index.PageSkipped, Err: errors.New("the page says that it is not to be indexed")}), found
			}
		}
	}
	note, err := json.Marshal(State{ETag: page.Header.Get("ETag"), LastModified: page.Header.Get("Last-Modified"), Depth: v.depth})
	if err != nil { // two strings and a number
		panic(err)
	}
	p.Note = string(note)
	return append(pages, p), found
}

// extension is that of a file of the page's type.
func extension(page netguard.Page) string {
	switch page.Type {
	case "application/pdf":
		return ".pdf"
	case "text/html", "application/xhtml+xml":
		return ".html"
	case "text/markdown", "text/x-markdown":
		return ".md"
	}
	if ext := strings.ToLower(path.Ext(page.URL.Path)); ext == ".md" || ext == ".markdown" { // many servers call Markdown text/plain
		return ".md"
	}
	return ".txt"
}

// retryAfter reads the header of that name: seconds, or a time.
func retryAfter(header http.Header, now time.Time) (wait time.Duration, told bool) {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}
