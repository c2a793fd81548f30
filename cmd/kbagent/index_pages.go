package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/crawl"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/tools/netguard"
)

// Limits of a page that is indexed. They are wider than those of web_fetch: nobody waits for an answer.
const (
	pageTimeout = 30 * time.Second
	pageBytes   = 16 << 20
)

// A siteNote is what is kept beside a site: how it was crawled, and whether that crawl saw everything.
type siteNote struct {
	Crawl    bool `json:"crawl,omitempty"`
	MaxPages int  `json:"max_pages,omitempty"`
	MaxDepth int  `json:"max_depth,omitempty"`
	Complete bool `json:"complete,omitempty"`
}

// isURL reports whether an argument is an address of the web.
func isURL(arg string) bool {
	scheme, _, ok := strings.Cut(arg, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// addressOf is the name of the page or site that an argument means.
func addressOf(arg string) (string, error) {
	u, err := url.Parse(arg)
	if err != nil {
		return "", fmt.Errorf("%s is no address: %w", arg, err)
	}
	return crawl.Address(u), nil
}

// A pageIndexer puts pages of the web into the index.
type pageIndexer struct {
	flags  *indexFlags
	index  *index.Index
	client *netguard.Client
	sites  map[string]index.Site
	notice io.Writer
	opts   index.UpdateOptions
}

// updatePages brings pages and sites up to date; without addresses, all that the index knows.
func (f *indexFlags) updatePages(ctx context.Context, ix *index.Index, cfg config.Web, addresses []string, notice io.Writer, opts index.UpdateOptions) (report index.Report, err error) {
	sites, err := ix.Sites(ctx)
	if err != nil {
		return report, err
	}
	if len(addresses) == 0 {
		addresses = slices.Sorted(maps.Keys(sites))
	}
	if len(addresses) == 0 {
		return report, nil
	}
	client, err := netguard.New(netguard.Options{Allow: cfg.Allow, UserAgent: "kbagent/" + version, Timeout: pageTimeout, MaxBytes: pageBytes})
	if err != nil {
		return report, fmt.Errorf("KB_AGENT_WEB_ALLOW: %w", err)
	}
	defer client.Close()
	p := pageIndexer{flags: f, index: ix, client: client, sites: sites, notice: notice, opts: opts}
	for _, arg := range addresses {
		address, err := addressOf(arg)
		if err != nil {
			return report, err
		}
		one, err := p.update(ctx, address)
		if err == nil && f.collection != "" && !opts.DryRun {
			err = ix.Collect(ctx, f.collection, []string{address})
		}
		if report = report.Plus(one); err != nil {
			return report, err
		}
	}
	return report, nil
}

// update brings one page or site up to date.
func (p *pageIndexer) update(ctx context.Context, address string) (index.Report, error) {
	name, site, note, opts, err := p.plan(address)
	if err != nil {
		return index.Report{}, err
	}
	if opts.Known, err = pageStates(site); err != nil {
		return index.Report{}, fmt.Errorf("%s: %w", name, err)
	}
	c, err := crawl.New(p.client, address, opts)
	if err != nil {
		return index.Report{}, err
	}
	keep := func(ended bool) string {
		note.Complete = ended && c.Err() == nil
		text, err := json.Marshal(note)
		if err != nil { // numbers and truth values
			panic(err)
		}
		return string(text)
	}
	if name != address {
		keep = nil // a page of a site says nothing of the site
	}
	report, err := p.index.UpdatePages(ctx, name, hinted(c.Pages(ctx)), keep, p.opts)
	if err == nil && errors.Is(c.Err(), crawl.ErrBound) {
		fmt.Fprintf(p.notice, "kbagent: %s (see --max-pages)\n", mask.TerminalLine(fmt.Sprintf("%s: %v", address, c.Err())))
	}
	return report, err
}

// plan says which site an address belongs to and how to look at it: as the flags say, else as before.
func (p *pageIndexer) plan(address string) (name string, site index.Site, note siteNote, opts crawl.Options, err error) {
	name = address
	f := p.flags
	if _, known := p.sites[name]; !known && !f.crawl {
		for _, other := range slices.Sorted(maps.Keys(p.sites)) {
			if _, ok := p.sites[other].Pages[address]; ok {
				name = other // a page of a site that was crawled stays in it
			}
		}
	}
	site = p.sites[name]
	var before siteNote
	if site.Note != "" {
		if err := json.Unmarshal([]byte(site.Note), &before); err != nil {
			return "", site, note, opts, fmt.Errorf("%s: %w: %w", name, index.ErrDamaged, err)
		}
	}
	note = siteNote{before.Crawl, before.MaxPages, before.MaxDepth, false}
	if f.crawl {
		note = siteNote{Crawl: true, MaxPages: f.maxPages, MaxDepth: f.maxDepth}
	}
	same := before.Complete && before.Crawl == note.Crawl && before.MaxPages == note.MaxPages && before.MaxDepth == note.MaxDepth
	opts = crawl.Options{Links: note.Crawl && name == address, MaxPages: note.MaxPages, MaxDepth: note.MaxDepth, Delay: f.delay, Fresh: note.Crawl && !same}
	return name, site, note, opts, nil
}

// pageStates is what is known of the pages of a site.
func pageStates(s index.Site) (map[string]crawl.State, error) {
	all := make(map[string]crawl.State, len(s.Pages))
	for address, note := range s.Pages {
		var state crawl.State
		if note != "" {
			if err := json.Unmarshal([]byte(note), &state); err != nil {
				return nil, fmt.Errorf("%w: %w", index.ErrDamaged, err)
			}
		}
		all[address] = state
	}
	return all, nil
}

// hinted adds to the reason of a page in a private network what opens that.
func hinted(pages iter.Seq[index.Page]) iter.Seq[index.Page] {
	return func(yield func(index.Page) bool) {
		for p := range pages {
			if p.Outcome == index.PageFailed && errors.Is(p.Err, netguard.ErrRefused) && !strings.Contains(p.Err.Error(), "redirect") {
				p.Err = fmt.Errorf("%w; hosts of your own network are opened by KB_AGENT_WEB_ALLOW", p.Err)
			}
			if !yield(p) {
				return
			}
		}
	}
}
