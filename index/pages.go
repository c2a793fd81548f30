package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"time"
)

// A Page is what became of a document that is no file of this machine, a page of the web.
type Page struct {
	Path    string // its address, "https://…": what citations name
	Outcome Outcome
	// Name tells the Loader the format, as a file's name would ("page.html"); Data is what such a file would hold. Both are of
	// fetched pages only.
	Name string
	Data []byte
	// Note is kept for the next time, see [Index.Site]: what the server said about a fetched page.
	Note string
	Err  error // the reason, of pages that are gone, skipped or failed
}

// Outcome is what became of a [Page] when it was asked for.
type Outcome int

// The outcomes.
const (
	PageFetched   Outcome = iota // here is what it holds
	PageUnchanged                // it is as the index has it
	PageGone                     // it is no more: it leaves the index
	PageSkipped                  // it is not to be indexed: it leaves the index
	PageFailed                   // it could not be had: it stays as it is
)

// A Site is what the index keeps about pages that were indexed together.
type Site struct {
	Note  string            // as the last UpdatePages left it, "" for none
	Pages map[string]string // the note of each page, by address
}

// Sites returns the names of all sites, with what is kept about them.
func (x *Index) Sites(ctx context.Context) (map[string]Site, error) {
	files, err := x.store.Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("sites: %w", err)
	}
	notes, err := x.store.Notes(ctx)
	if err != nil {
		return nil, fmt.Errorf("sites: %w", err)
	}
	sites := map[string]Site{}
	for _, f := range files {
		if !isAddress(f.Root) {
			continue
		}
		if sites[f.Root].Pages == nil {
			sites[f.Root] = Site{Pages: map[string]string{}}
		}
		sites[f.Root].Pages[f.Path] = ""
	}
	for _, n := range notes {
		site, ok := sites[n.Root]
		if !ok {
			continue
		}
		if n.Path == "" {
			site.Note = n.Text
			sites[n.Root] = site
		} else if _, ok := site.Pages[n.Path]; ok {
			site.Pages[n.Path] = n.Text
		}
	}
	return sites, nil
}

// pageBatch is how many pages are committed together: they come slowly, and a kill shall cost little.
const pageBatch = 16

// UpdatePages brings the pages of a site up to date: those that pages yields, each once; the others of the site stay as they are.
// site is its name, an address; [Index.Remove] takes the whole site out by it. Patterns must be nil in opts; Progress counts the
// pages that were looked at, committed or not, and knows no Total.
//
// note is asked for what to keep beside the site for the next time, when pages has ended, and with false before that whenever a
// part is committed, so that who is killed there finds a note that says so. A nil note keeps what there is.
//
// The texts of pages are kept in the store and cited by address. In all else it works as [Index.Update]: unchanged pages
// are not touched, passages are embedded at the end, and a dry run changes nothing. Update leaves pages alone, and Roots does not
// list sites.
func (x *Index) UpdatePages(ctx context.Context, site string, pages iter.Seq[Page], note func(ended bool) string, opts UpdateOptions) (Report, error) {
	if !isAddress(site) {
		return Report{}, fmt.Errorf("index: a site must be named by an address, not %q", site)
	}
	if opts.Patterns != nil {
		return Report{}, errors.New("index: a site has no patterns")
	}
	start := time.Now()
	u := x.updater(opts)
	err := u.runPages(ctx, site, pages, note)
	return u.finish(start), err
}

func (u *updater) runPages(ctx context.Context, site string, pages iter.Seq[Page], note func(ended bool) string) error {
	files, err := u.store.Files(ctx)
	if err != nil {
		return err
	}
	u.known = map[string][]FileRecord{}
	for _, f := range files {
		if f.Root == site {
			u.known[f.Path] = append(u.known[f.Path], f)
		}
	}
	for p := range pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		u.takePage(ctx, site, p)
		if len(u.batch.Put)+len(u.batch.Remove) >= pageBatch || u.bytes >= batchBytes {
			u.keepNote(site, note, false)
			if err := u.commit(ctx, p.Path); err != nil {
				return err
			}
		}
		u.tell(Progress{Phase: PhaseIndex, Path: p.Path, Done: u.done})
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	u.keepNote(site, note, true)
	if err := u.commit(ctx, ""); err != nil {
		return err
	}
	return u.embedRest(ctx)
}

func (u *updater) keepNote(site string, note func(ended bool) string, ended bool) {
	if note != nil {
		u.batch.Notes = append(u.batch.Notes, Note{FileKey: FileKey{Root: site}, Text: note(ended)})
	}
}

// pageSkipped is the reason why a page is not to be indexed.
type pageSkipped struct{ error }

func (e pageSkipped) Unwrap() []error { return []error{e.error, ErrSkip, errUnsuitable} }

// takePage adds p to the batch.
func (u *updater) takePage(ctx context.Context, site string, p Page) {
	key := FileKey{site, p.Path}
	known := u.known[p.Path]
	if p.Outcome == PageGone && len(known) > 0 {
		u.done++
		u.batch.Remove = append(u.batch.Remove, key)
		u.removed = append(u.removed, known...)
		return
	}
	pr := u.preparePage(ctx, candidate{abs: p.Path, key: key, named: true, loadAs: p.Name}, p)
	u.take(pr)
	if p.Outcome == PageFetched && pr.err == nil {
		u.batch.Notes = append(u.batch.Notes, Note{FileKey: key, Text: p.Note})
	}
}

// preparePage is prepare for a page.
func (u *updater) preparePage(ctx context.Context, c candidate, p Page) prepared {
	pr := prepared{candidate: c}
	known := u.known[p.Path]
	switch p.Outcome {
	case PageFetched:
	case PageUnchanged:
		if pr.unchanged = len(known) > 0; !pr.unchanged {
			pr.err = errors.New("it is said to be unchanged, and the index does not hold it")
		}
		return pr
	case PageGone, PageSkipped:
		pr.err = pageSkipped{cmp.Or(p.Err, ErrSkip)}
		return pr
	default:
		pr.err = p.Err
		return pr
	}
	if int64(len(p.Data)) > u.opts.MaxFileBytes {
		pr.err = unsuitable("%d bytes are more than the limit of %d", len(p.Data), u.opts.MaxFileBytes)
		return pr
	}
	hash := sha256.Sum256(p.Data)
	for _, f := range known {
		if pr.unchanged = f.Hash == hash && f.Recipe == u.opts.recipe(c.name()); pr.unchanged {
			return pr
		}
	}
	var loaded Loaded
	if loaded, pr.err = u.opts.load(ctx, c.name(), p.Data); pr.err == nil {
		pr.document = document(c, p.Data, loaded, u.opts)
	}
	return pr
}
