package index

import (
	"context"
	"crypto/sha256"
	"errors"
	"path/filepath"
	"runtime"
	"time"
)

// A batch of files is committed when it reaches one of these, so that a kill costs little and a commit is worth its sync.
const (
	batchBytes = 4 << 20
	batchFiles = 256
)

// Update brings the index up to date with folders and single files, and returns what it did.
//
// A folder becomes a root, unless it lies in one: then its part of that root is refreshed. Roots inside a new root
// become part of it. Files are taken by extension (.md .markdown .mdx .txt .text .rst .adoc .org, or what the Loader of
// the options takes), not when hidden, ignored by a .gitignore or linked, and as the [Patterns] of its root choose. A file that
// is named itself is taken whatever its extension, and stays for as long as it exists. Without paths everything that the index
// knows is looked at again.
//
// A path that does not exist is an error (fs.ErrNotExist) that names it, before anything is changed. Files are told
// apart by their SHA-256: an unchanged one is not touched; one that is gone leaves the index; one that turned into
// something that is no text leaves it too and counts as failed, or as skipped where the Loader says so ([ErrSkip]); one that
// cannot be read, or not in time, stays as it was and counts as failed.
//
// With an embedder, every passage of the index that has no vector of its model gets one, after the files are
// committed; equal passages share one. Where the embedder fails the files stay searchable by keyword, count as failed
// with the reason, and the next update tries again. A change of the model embeds everything anew.
//
// Files are committed in batches, each file whole, so that readers never see a part of one. When ctx is cancelled or
// the store fails, Update returns the error with the report so far; what was committed stays, and another
// Update completes it. Concurrent updates are safe.
func (x *Index) Update(ctx context.Context, paths []string, opts UpdateOptions) (Report, error) {
	return x.update(ctx, opts, func(p *planner) error {
		targets, err := resolve(paths)
		if err != nil {
			return err
		}
		return p.targets(ctx, targets)
	})
}

// Refresh is an [Index.Update] of what may have changed: paths are files and folders in indexed folders, and files that were
// named themselves, that came, changed or went away. Each is treated as a walk of its root would treat it, a .gitignore as the
// folder that it is in; those that are none of the index's business are passed over. Patterns must be nil in opts. A root that is
// gone is an error (fs.ErrNotExist), and nothing of it leaves the index: it may be a disk that is not there.
func (x *Index) Refresh(ctx context.Context, paths []string, opts UpdateOptions) (Report, error) {
	if opts.Patterns != nil {
		return Report{}, errors.New("index: Refresh keeps the patterns of its roots")
	}
	return x.update(ctx, opts, func(p *planner) error {
		for _, path := range paths {
			abs, err := filepath.Abs(path)
			if err == nil {
				err = p.touch(ctx, abs)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Folders returns the folders that an [Index.Update] of paths would read, in no order, also those that hold no file for the
// index: whoever waits for changes has to watch them.
func (x *Index) Folders(ctx context.Context, paths []string, opts UpdateOptions) ([]string, error) {
	targets, err := resolve(paths)
	if err != nil {
		return nil, err
	}
	plan, err := x.plan(ctx, func(p *planner) error { return p.targets(ctx, targets) }, opts.Patterns)
	return plan.folders, err
}

// update does what ask plans.
func (x *Index) update(ctx context.Context, opts UpdateOptions, ask func(*planner) error) (Report, error) {
	start := time.Now()
	u := x.updater(opts)
	err := u.run(ctx, ask)
	return u.finish(start), err
}

// An updater is the state of one Update.
type updater struct {
	*Index
	plan
	asked   UpdateOptions
	dry     *dryRun // nil: changes are made
	report  Report
	status  map[FileKey]*fileStatus
	removed []FileRecord // that left the index because they are gone
	batch   Change
	bytes   int64 // of batch
	done    int   // candidates dealt with, committed or unchanged
}

func (x *Index) updater(opts UpdateOptions) *updater {
	u := &updater{Index: x, asked: opts, status: map[FileKey]*fileStatus{}}
	if opts.DryRun {
		u.dry = newDryRun()
	}
	return u
}

// fileStatus is what became of a file so far.
type fileStatus struct {
	path     string // absolute, or the address of a page
	passages int    // written
	changed  bool
	failure  error
}

func (u *updater) run(ctx context.Context, ask func(*planner) error) (err error) {
	u.tell(Progress{Phase: PhaseScan})
	if u.plan, err = u.Index.plan(ctx, ask, u.asked.Patterns); err != nil {
		return err
	}
	u.report.Skips = u.skips
	u.report.Errors = u.errors
	u.batch.AddRoots = u.addRoots
	u.batch.Notes = u.notes
	if err := u.indexFiles(ctx); err != nil {
		return err
	}
	if err := u.forgetRest(ctx); err != nil {
		return err
	}
	return u.embedRest(ctx)
}

// embedRest gives the passages without a vector one, or tells what that would cost.
func (u *updater) embedRest(ctx context.Context) (err error) {
	switch {
	case u.embedder == nil:
		return nil
	case u.dry != nil:
		u.report.Embedding, err = u.dry.cost(ctx, u.Index)
		return err
	default:
		return u.embed(ctx)
	}
}

func (u *updater) tell(p Progress) {
	if u.asked.Progress != nil {
		u.asked.Progress(p)
	}
}

// apply makes a change, unless this is a dry run.
func (u *updater) apply(ctx context.Context, c Change) error {
	if u.dry != nil {
		u.dry.add(c)
		return nil
	}
	return u.store.Apply(ctx, c)
}

// indexFiles reads and splits files in parallel and commits them in order.
func (u *updater) indexFiles(ctx context.Context) error {
	prepare := func(c candidate) prepared { return u.prepare(ctx, c) }
	for p := range inOrder(ctx, runtime.GOMAXPROCS(0), u.candidates, prepare) {
		if err := ctx.Err(); err != nil {
			return err
		}
		u.take(p)
		if u.bytes >= batchBytes || len(u.batch.Put) >= batchFiles {
			if err := u.commit(ctx, p.abs); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	last := ""
	if n := len(u.candidates); n > 0 {
		last = u.candidates[n-1].abs
	}
	return u.commit(ctx, last)
}

// prepared is a candidate with what its file holds now.
type prepared struct {
	candidate
	document  Document
	unchanged bool
	err       error
}

// prepare reads c's file. It runs in parallel with others and only reads u.
func (u *updater) prepare(ctx context.Context, c candidate) prepared {
	p := prepared{candidate: c}
	if p.err = ctx.Err(); p.err != nil {
		return p
	}
	var data []byte
	if data, p.err = readSource(c.abs, u.opts.MaxFileBytes); p.err != nil {
		return p
	}
	for _, known := range u.known[c.abs] {
		p.named = p.named || known.Named
		if u.same(known, c, data) {
			p.unchanged = true
			return p
		}
	}
	var loaded Loaded
	if loaded, p.err = u.opts.load(ctx, c.name(), data); p.err == nil {
		p.document = document(p.candidate, data, loaded, u.opts)
	}
	return p
}

// same reports whether known is c with this content, split as now.
func (u *updater) same(known FileRecord, c candidate, data []byte) bool {
	return known.Root == c.key.Root && known.Path == c.key.Path &&
		(known.Named || !c.named || u.opts.walks(c.key.Path)) &&
		known.Recipe == u.opts.recipe(c.name()) && known.Hash == sha256.Sum256(data)
}

// take adds p to the batch.
func (u *updater) take(p prepared) {
	u.done++
	status := &fileStatus{path: p.abs, passages: len(p.document.Passages), changed: !p.unchanged && p.err == nil, failure: p.err}
	u.status[p.key] = status
	stays := p.err != nil && !errors.Is(p.err, errUnsuitable)
	for _, known := range u.known[p.abs] {
		if key := (FileKey{known.Root, known.Path}); !stays && (key != p.key || p.err != nil) {
			u.batch.Remove = append(u.batch.Remove, key)
		}
	}
	switch {
	case errors.Is(p.err, ErrSkip):
		u.report.Skips = append(u.report.Skips, FileError{p.abs, reason(p.err)})
	case p.err != nil:
		u.report.Errors = append(u.report.Errors, FileError{p.abs, reason(p.err)})
	case status.changed:
		u.batch.Put = append(u.batch.Put, p.document)
		u.bytes += p.document.Size
	}
}

// commit stores the batch; last is the path of the last file in it.
func (u *updater) commit(ctx context.Context, last string) error {
	if err := u.apply(ctx, u.batch); err != nil {
		for _, doc := range u.batch.Put {
			delete(u.status, FileKey{doc.Root, doc.Path}) // not done: not in the report
		}
		return err
	}
	for _, doc := range u.batch.Put {
		u.report.Passages += len(doc.Passages)
		u.report.Bytes += doc.Size
	}
	u.batch, u.bytes = Change{}, 0
	u.tell(Progress{Phase: PhaseIndex, Path: last, Done: u.done, Total: len(u.candidates)})
	return nil
}

// forgetRest removes what is no longer there.
func (u *updater) forgetRest(ctx context.Context) error {
	c := Change{DropRoots: u.dropRoots}
	for _, r := range u.remove {
		c.Remove = append(c.Remove, FileKey{r.Root, r.Path})
	}
	if err := u.apply(ctx, c); err != nil {
		return err
	}
	u.removed = u.remove
	return nil
}
