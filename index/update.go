package index

import (
	"context"
	"crypto/sha256"
	"errors"
	"runtime"
	"slices"
	"strings"
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
// the options takes), not when hidden, ignored by a .gitignore or linked. A file that is named itself is taken whatever its
// extension, and stays for as long as it exists. Without paths everything that the index knows is looked at again.
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
	start := time.Now()
	u := updater{Index: x, progress: opts.Progress, status: map[FileKey]*fileStatus{}}
	err := u.run(ctx, paths)
	return u.finish(start), err
}

// An updater is the state of one Update.
type updater struct {
	*Index
	plan
	progress func(Progress)
	report   Report
	status   map[FileKey]*fileStatus
	batch    Change
	bytes    int64 // of batch
	done     int   // candidates dealt with, committed or unchanged
}

// fileStatus is what became of a file so far.
type fileStatus struct {
	changed bool
	failure error
}

func (u *updater) run(ctx context.Context, paths []string) error {
	targets, err := resolve(paths)
	if err != nil {
		return err
	}
	u.tell(Progress{Phase: PhaseScan})
	if u.plan, err = u.Index.plan(ctx, targets); err != nil {
		return err
	}
	u.report.Skips = u.skips
	u.report.Errors = u.errors
	u.batch.AddRoots = u.addRoots
	if err := u.indexFiles(ctx); err != nil {
		return err
	}
	if err := u.forgetRest(ctx); err != nil {
		return err
	}
	if u.embedder == nil {
		return nil
	}
	return u.embed(ctx)
}

func (u *updater) tell(p Progress) {
	if u.progress != nil {
		u.progress(p)
	}
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
	if loaded, p.err = u.opts.load(ctx, c.key.Path, data); p.err == nil {
		p.document = document(p.candidate, data, loaded, u.opts)
	}
	return p
}

// same reports whether known is c with this content, split as now.
func (u *updater) same(known FileRecord, c candidate, data []byte) bool {
	return known.Root == c.key.Root && known.Path == c.key.Path &&
		(known.Named || !c.named || u.opts.walks(c.key.Path)) &&
		known.Recipe == u.opts.recipe(c.key.Path) && known.Hash == sha256.Sum256(data)
}

// take adds p to the batch.
func (u *updater) take(p prepared) {
	u.done++
	status := &fileStatus{changed: !p.unchanged && p.err == nil, failure: p.err}
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
	if err := u.store.Apply(ctx, u.batch); err != nil {
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
	if err := u.store.Apply(ctx, c); err != nil {
		return err
	}
	u.report.Files.Removed = len(u.remove)
	return nil
}

// finish counts and returns the report.
func (u *updater) finish(start time.Time) Report {
	for _, s := range u.status {
		switch {
		case s.failure != nil: // counted by its error
		case s.changed:
			u.report.Files.Indexed++
		default:
			u.report.Files.Unchanged++
		}
	}
	u.report.Files.Skipped = len(u.report.Skips)
	u.report.Files.Failed = len(u.report.Errors)
	byPath := func(a, b FileError) int { return strings.Compare(a.Path, b.Path) }
	slices.SortFunc(u.report.Errors, byPath)
	slices.SortFunc(u.report.Skips, byPath)
	u.report.Elapsed = time.Since(start)
	return u.report
}
