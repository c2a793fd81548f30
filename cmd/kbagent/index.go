package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/index"
)

// indexFlags are the flags of kbagent index.
type indexFlags struct {
	asJSON, quiet, verbose bool
	dryRun, remove, watch  bool
	include, exclude       []string
	noPatterns             bool
	collection             string
	crawl                  bool
	maxPages, maxDepth     int
	delay                  time.Duration
}

func newIndex(g *global, std streams) *cobra.Command {
	var f indexFlags
	cmd := &cobra.Command{
		Use:   "index [PATH|URL…]",
		Short: "Put folders, files or pages of the web into the knowledge base, or bring them up to date",
		Long: `index reads Markdown and text files, recursively, and leaves out what .gitignore names. Files that did not change are
not touched, files that vanished are removed, and so is a folder or file that is named and gone. A file that fails does
not stop the rest; then the exit code is 1. Searches and questions work while it runs, and a run that was stopped is
completed by the next one. Without PATH everything that was indexed before is brought up to date.

--include and --exclude choose among the files of a folder: a*.md is about names at any depth, docs/*.md about files of
one folder, docs/** about everything below it. A folder keeps its patterns for all later updates, until others are given.

A URL is one page; with --crawl it is that page and those below it on the same host that links lead to, as far as robots.txt
and the bounds allow. A site keeps that it was crawled, and its bounds. Private addresses are refused unless KB_AGENT_WEB_ALLOW
names them.`,
		Example: `  kbagent index docs
  kbagent index ~/notes handbook.md --json
  kbagent index --collection ops ~/runbooks
  kbagent index . --include '*.md' --exclude drafts --exclude 'old/**'
  kbagent index docs --dry-run --verbose
  kbagent index docs --watch
  kbagent index https://kb.example.com/docs/ --crawl --max-pages 50`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			b, closeBase, err := f.open(cmd.Context(), g, std)
			if err != nil {
				return err
			}
			if f.watch {
				return errors.Join(f.follow(cmd.Context(), b.index, args, std), closeBase())
			}
			report, err := f.runAll(cmd.Context(), b, args, std)
			if err = errors.Join(err, closeBase()); err != nil {
				return err
			}
			return f.show(std, report)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.asJSON, "json", false, "print the counts and what became of each file as JSON")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "name every file with what became of it")
	flags.StringArrayVar(&f.include, "include", nil, "take only files that match this pattern (repeatable)")
	flags.StringArrayVar(&f.exclude, "exclude", nil, "leave out files and folders that match this pattern (repeatable)")
	flags.BoolVar(&f.noPatterns, "no-patterns", false, "forget the patterns that the folder was indexed with")
	flags.BoolVar(&f.dryRun, "dry-run", false, "tell what would be done, and what embedding it would cost; change nothing")
	flags.BoolVar(&f.watch, "watch", false, "stay, and bring PATH up to date whenever something in it changes; Ctrl-C ends")
	flags.StringVar(&f.collection, "collection", "", "put PATH, with all that is indexed below it now or later, into this collection")
	flags.BoolVar(&f.crawl, "crawl", false, "follow the links of a URL to pages below it on the same host")
	flags.IntVar(&f.maxPages, "max-pages", 200, "with --crawl: how many pages are asked for")
	flags.IntVar(&f.maxDepth, "max-depth", 8, "with --crawl: how many links may lie between the URL and a page")
	flags.DurationVar(&f.delay, "delay", 500*time.Millisecond, "pause between two requests for pages; a longer one of robots.txt counts instead")
	flags.BoolVar(&f.remove, "remove", false, "take PATH out of the knowledge base; the files themselves stay")
	return cmd
}

// check refuses flags that contradict each other.
func (f *indexFlags) check(args []string) error {
	patterns := len(f.include)+len(f.exclude) > 0
	urls := slices.ContainsFunc(args, isURL)
	switch {
	case f.crawl && (len(args) == 0 || slices.ContainsFunc(args, func(arg string) bool { return !isURL(arg) })):
		return &usageError{errors.New("--crawl needs URLs, and nothing else, like https://kb.example.com/docs/")}
	case f.maxPages < 1 || f.maxDepth < 1 || f.delay <= 0:
		return &usageError{errors.New("--max-pages, --max-depth and --delay must be more than 0")}
	case urls && (patterns || f.noPatterns || f.watch):
		return &usageError{errors.New("--include, --exclude, --no-patterns and --watch are for folders, not for URLs")}
	case patterns && f.noPatterns:
		return &usageError{errors.New("--no-patterns goes neither with --include nor with --exclude")}
	case (patterns || f.noPatterns) && len(args) == 0:
		return &usageError{errors.New("--include, --exclude and --no-patterns need the folder that they are about")}
	case f.remove && (patterns || f.noPatterns):
		return &usageError{errors.New("--remove takes whole files and folders: it goes with no patterns")}
	case f.remove && len(args) == 0:
		return &usageError{errors.New("--remove needs a folder or file")}
	case f.watch && (f.remove || f.dryRun):
		return &usageError{errors.New("--watch goes neither with --remove nor with --dry-run")}
	case f.verbose && f.quiet:
		return &usageError{errors.New("--verbose and --quiet contradict each other")}
	case f.collection != "":
		return checkCollect(f.collection, args, f.remove)
	}
	return nil
}

// open opens the knowledge base. A dry run makes none where there is none: it works with an empty one that goes away again.
func (f *indexFlags) open(ctx context.Context, g *global, std streams) (b *base, closeBase func() error, err error) {
	cfg, err := loadConfig(g)
	if err != nil {
		return nil, nil, err
	}
	tidy := func() error { return nil }
	if _, err := os.Stat(filepath.Join(cfg.DataDir, databaseFile)); f.dryRun && errors.Is(err, fs.ErrNotExist) {
		if cfg.DataDir, err = os.MkdirTemp("", "kbagent-dry-run-"); err != nil {
			return nil, nil, err
		}
		tidy = func() error { return os.RemoveAll(cfg.DataDir) }
	}
	if b, err = openConfigured(ctx, cfg, newLogger(cfg, std.err), g.tape); err != nil {
		return nil, nil, errors.Join(err, tidy())
	}
	return b, func() error { return errors.Join(b.close(), tidy()) }, nil
}

// runAll does what the flags say, for files and for pages of the web.
func (f *indexFlags) runAll(ctx context.Context, b *base, args []string, std streams) (report index.Report, err error) {
	if f.remove {
		return removeFromIndex(ctx, b.index, args, f.dryRun)
	}
	if len(args) == 0 {
		if stats, err := b.index.Stats(ctx); err != nil || stats.Files == 0 {
			return report, errors.Join(err, errNothingIndexed)
		}
	}
	var paths, urls []string
	for _, arg := range args {
		if isURL(arg) {
			urls = append(urls, arg)
		} else {
			paths = append(paths, arg)
		}
	}
	if len(urls) > 0 || len(args) == 0 {
		opts := index.UpdateOptions{DryRun: f.dryRun}
		if !f.asJSON && !f.quiet && isTerminal(std.err) {
			bar := newBar(std.err)
			opts.Progress = bar.progress
			defer bar.clear()
		}
		if report, err = f.updatePages(ctx, b.index, b.cfg.Web, urls, std.err, opts); err != nil {
			return report, err
		}
	}
	if len(paths) > 0 || len(args) == 0 {
		var files index.Report
		files, err = f.run(ctx, b.index, paths, std)
		report = report.Plus(files)
	}
	return report, err
}

// run brings files and folders up to date.
func (f *indexFlags) run(ctx context.Context, ix *index.Index, paths []string, std streams) (index.Report, error) {
	report, err := updateIndex(ctx, ix, paths, std, !f.asJSON && !f.quiet, f.options())
	if errors.Is(err, index.ErrPattern) {
		err = &usageError{err}
	}
	if err == nil && f.collection != "" && !f.dryRun {
		err = ix.Collect(ctx, f.collection, paths)
	}
	if err == nil && len(f.include) > 0 && len(report.Entries) == report.Files.Removed {
		fmt.Fprintf(std.err, "kbagent: no file matches --include %s\n", strings.Join(f.include, " --include "))
	}
	return report, err
}

// errNothingIndexed is what a call without paths finds in an empty knowledge base.
var errNothingIndexed = &usageError{errors.New("nothing is indexed yet: name a folder or file (see kbagent index --help)")}

// options are what the flags say about an update.
func (f *indexFlags) options() index.UpdateOptions {
	opts := index.UpdateOptions{DryRun: f.dryRun}
	if len(f.include)+len(f.exclude) > 0 || f.noPatterns {
		opts.Patterns = &index.Patterns{Include: f.include, Exclude: f.exclude}
	}
	return opts
}

// updateIndex brings paths up to date, with a progress bar on a terminal.
func updateIndex(ctx context.Context, ix *index.Index, paths []string, std streams, show bool, opts index.UpdateOptions) (index.Report, error) {
	paths, err := absolute(paths)
	if err != nil {
		return index.Report{}, err
	}
	if show && isTerminal(std.err) {
		bar := newBar(std.err)
		opts.Progress = bar.progress
		defer bar.clear()
	}
	return refresh(ctx, ix, paths, opts)
}

// absolute makes names of files absolute; an empty one stays, to be refused.
func absolute(paths []string) ([]string, error) {
	all := make([]string, len(paths))
	for i, p := range paths {
		if p == "" {
			continue
		}
		var err error
		if all[i], err = filepath.Abs(p); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// removeFromIndex takes paths out of the knowledge base.
func removeFromIndex(ctx context.Context, ix *index.Index, paths []string, dryRun bool) (index.Report, error) {
	named := slices.Clone(paths)
	for i, p := range named {
		if isURL(p) {
			var err error
			if named[i], err = addressOf(p); err != nil {
				return index.Report{}, err
			}
		}
	}
	report, err := ix.Remove(ctx, named, index.RemoveOptions{DryRun: dryRun})
	if errors.Is(err, index.ErrNotIndexed) {
		err = fmt.Errorf("nothing was removed: %w", err)
	}
	return report, err
}

// refresh updates what is there and removes what was indexed and is gone.
func refresh(ctx context.Context, ix *index.Index, paths []string, opts index.UpdateOptions) (index.Report, error) {
	var there, gone []string
	for _, p := range paths {
		if _, err := os.Lstat(p); errors.Is(err, fs.ErrNotExist) && p != "" {
			gone = append(gone, p)
		} else {
			there = append(there, p)
		}
	}
	if len(gone) == 0 {
		return ix.Update(ctx, paths, opts)
	}
	removed, err := ix.Remove(ctx, gone, index.RemoveOptions{DryRun: opts.DryRun})
	if errors.Is(err, index.ErrNotIndexed) {
		return index.Report{}, fmt.Errorf("no such file or folder: %s", strings.Join(gone, ", "))
	}
	if err != nil || len(there) == 0 {
		return removed, err
	}
	report, err := ix.Update(ctx, there, opts)
	return removed.Plus(report), err
}
