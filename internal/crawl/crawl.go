package crawl

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/tools/netguard"
)

// A Crawl is one look at a page or a site. It is used once, by one goroutine.
type Crawl struct {
	get   Fetcher
	opts  Options
	start *url.URL

	scope    scope
	robots   robots
	queue    []visit
	seen     map[string]bool // queued or fetched, by address
	asked    int             // pages asked for
	last     time.Time       // when the last request ended
	failures int             // in a row
	partial  error           // why not everything was looked at
}

// visit is a page to look at.
type visit struct {
	url   *url.URL
	depth int
}

// New returns a crawl that begins at start, an address with http or https.
func New(get Fetcher, start string, opts Options) (*Crawl, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(start)
	if err != nil {
		return nil, fmt.Errorf("crawl: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("crawl: %s is no address of the web", start)
	}
	return &Crawl{get: get, opts: opts, start: u, seen: map[string]bool{}}, nil
}

// Err says, after Pages has ended, why not everything was looked at: a bound was reached, something failed, ctx ended. It is nil
// when the next crawl with the same bounds may trust what the pages say about themselves.
func (c *Crawl) Err() error { return c.partial }

// ErrBound is in the chain of Err when Options.MaxPages was reached.
var ErrBound = errors.New("the limit of pages is reached")

// Pages yields what became of each page, as [index.Index.UpdatePages] takes it. A start page that cannot be had is yielded as
// failed; nothing follows it.
func (c *Crawl) Pages(ctx context.Context) iter.Seq[index.Page] {
	return func(yield func(index.Page) bool) {
		if err := c.run(ctx, yield); err != nil {
			c.partial = err
		}
	}
}

// errElsewhere is in the chain of the errors of pages that lead out of the site. It has no words of its own.
var errElsewhere = errors.New("")

// errStopped ends a crawl whose consumer wants no more.
var errStopped = errors.New("crawl: stopped")

func (c *Crawl) run(ctx context.Context, yield func(index.Page) bool) error {
	c.scope = scopeOf(c.start)
	if c.opts.Links {
		var err error
		if c.robots, err = robotsOf(ctx, c.get, c.start, c.opts.Agent); err != nil {
			yield(index.Page{Path: Address(c.start), Outcome: index.PageFailed, Err: err})
			return err
		}
		c.last = time.Now()
	}
	c.add(visit{c.start, 0})
	for known := false; ; {
		if len(c.queue) == 0 && !known {
			c.addKnown()
			known = true
		}
		if len(c.queue) == 0 {
			return c.partial
		}
		if c.asked >= c.opts.MaxPages {
			return fmt.Errorf("%w: %d were asked for, at least %d more are known", ErrBound, c.asked, len(c.queue))
		}
		v := c.queue[0]
		c.queue = c.queue[1:]
		if err := c.visit(ctx, v, yield); err != nil {
			return err
		}
	}
}

// addKnown queues the pages of earlier crawls that no link led to.
func (c *Crawl) addKnown() {
	if !c.opts.Links {
		return
	}
	for _, address := range slices.Sorted(maps.Keys(c.opts.Known)) {
		if u, err := url.Parse(address); err == nil {
			c.add(visit{u, c.opts.Known[address].Depth})
		}
	}
}

// add queues a page unless it was, or lies out of the scope.
func (c *Crawl) add(v visit) {
	address := Address(v.url)
	if c.seen[address] || v.depth > c.opts.MaxDepth || v.depth > 0 && c.scope.check(v.url) != nil {
		return
	}
	if len(c.queue) >= c.opts.MaxPages+maxWaiting { // a page may have a million links
		c.partial = fmt.Errorf("%w: more than %d are known", ErrBound, len(c.queue))
		return
	}
	c.seen[address] = true
	c.queue = append(c.queue, v)
}

// visit looks at one page. Its error ends the crawl.
func (c *Crawl) visit(ctx context.Context, v visit, yield func(index.Page) bool) error {
	address := Address(v.url)
	_, known := c.opts.Known[address]
	if !c.robots.allows(v.url) {
		if known || v.depth == 0 {
			return c.emit(yield, index.Page{Path: address, Outcome: index.PageSkipped, Err: errors.New("the site's robots.txt does not allow programs to read it")})
		}
		return nil
	}
	page, err := c.fetch(ctx, v)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && v.depth == 0 && c.asked == 1 {
		if err = c.settle(ctx, page.URL); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	pages, found := c.judge(v, known, page, err)
	for _, u := range found {
		c.add(visit{u, v.depth + 1})
	}
	for _, p := range pages {
		if err := c.emit(yield, p); err != nil {
			return err
		}
	}
	if c.failures >= maxFailures {
		return fmt.Errorf("gave up after %d pages in a row that could not be had", c.failures)
	}
	return nil
}

// settle makes the place where the start page really is the site, with the rules of its host.
func (c *Crawl) settle(ctx context.Context, at *url.URL) (err error) {
	if Address(at) == Address(c.start) {
		return nil
	}
	if c.opts.Links && hostOf(at) != c.scope.host {
		if c.robots, err = robotsOf(ctx, c.get, at, c.opts.Agent); err != nil {
			return err
		}
	}
	c.scope = scopeOf(at)
	if !c.robots.allows(at) {
		return fmt.Errorf("%s: robots.txt does not allow programs to read it", Address(at))
	}
	return nil
}

// emit yields p and remembers failures.
func (c *Crawl) emit(yield func(index.Page) bool, p index.Page) error {
	if p.Outcome == index.PageFailed {
		c.failures++
		c.partial = errors.New("some pages could not be had")
	} else {
		c.failures = 0
	}
	if !yield(p) {
		return errStopped
	}
	return nil
}

// fetch asks for a page when it is time to, and once more when the server is too busy and says for how long.
func (c *Crawl) fetch(ctx context.Context, v visit) (netguard.Page, error) {
	c.asked++
	request := netguard.Request{URL: v.url.String(), Types: wanted}
	if v.depth > 0 || c.asked > 1 {
		request.Follow = func(to *url.URL) error {
			if err := c.scope.check(to); err != nil {
				return fmt.Errorf("%w%w", errElsewhere, err)
			}
			if !c.robots.allows(to) {
				return fmt.Errorf("%wrobots.txt does not allow it", errElsewhere)
			}
			return nil
		}
	}
	if state := c.opts.Known[Address(v.url)]; !c.opts.Fresh {
		request.ETag, request.LastModified = state.ETag, state.LastModified
	}
	for again := false; ; again = true {
		if err := c.pause(ctx, max(c.opts.Delay, c.robots.delay())); err != nil {
			return netguard.Page{}, err
		}
		page, err := c.get.Fetch(ctx, request)
		c.last = time.Now()
		busy := page.Status == http.StatusTooManyRequests || page.Status == http.StatusServiceUnavailable
		wait, told := retryAfter(page.Header, c.last)
		if err != nil || !busy || again || !told || wait > maxRetry {
			return page, err
		}
		if err := c.pause(ctx, wait); err != nil {
			return netguard.Page{}, err
		}
	}
}

// pause waits until the last request is so long ago.
func (c *Crawl) pause(ctx context.Context, delay time.Duration) error {
	if c.last.IsZero() {
		return ctx.Err()
	}
	timer := time.NewTimer(time.Until(c.last.Add(delay)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
