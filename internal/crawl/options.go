package crawl

import (
	"context"
	"fmt"
	"time"

	"github.com/kbagent/kbagent/tools/netguard"
)

// Options tunes a Crawl. The zero value fetches one page.
type Options struct {
	// Links makes the crawl follow links. Without it only the start page is fetched, and robots.txt is not asked, as when a
	// person opens a page.
	Links bool
	// MaxPages bounds how many pages are asked for. Default 200.
	MaxPages int
	// MaxDepth bounds how many links lie between the start page and another. Default 8.
	MaxDepth int
	// Delay is the pause between two requests; a longer Crawl-delay of robots.txt counts instead, up to 30 s. Default 500 ms.
	Delay time.Duration
	// Agent is the name that rules in robots.txt are looked up by. Default "kbagent".
	Agent string
	// Known are the pages that an earlier crawl fetched, by address. Those that no link leads to any more are asked for too.
	Known map[string]State
	// Fresh asks for all pages without conditions, so that the links of unchanged pages are seen again.
	Fresh bool
}

func (o Options) withDefaults() (Options, error) {
	if o.MaxPages < 0 || o.MaxDepth < 0 || o.Delay < 0 {
		return o, fmt.Errorf("crawl: MaxPages (%d), MaxDepth (%d) and Delay (%v) must not be negative", o.MaxPages, o.MaxDepth, o.Delay)
	}
	if o.MaxPages == 0 {
		o.MaxPages = 200
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = 8
	}
	if o.Delay == 0 {
		o.Delay = 500 * time.Millisecond
	}
	if o.Agent == "" {
		o.Agent = "kbagent"
	}
	if !o.Links {
		o.MaxPages = 1
	}
	return o, nil
}

// A State is what is kept of a page for the next crawl.
type State struct {
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"modified,omitempty"`
	Depth        int    `json:"depth,omitempty"` // links from the start page
}

// A Fetcher fetches pages; *netguard.Client is one.
type Fetcher interface {
	Fetch(ctx context.Context, r netguard.Request) (netguard.Page, error)
}

// Limits of what cannot be chosen.
const (
	maxDelay    = 30 * time.Second // of robots.txt
	maxRetry    = time.Minute      // that a server may ask to wait
	maxFailures = 5                // in a row
	maxWaiting  = 10_000           // pages above MaxPages that are remembered, since rules may close some
)
