package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/mask"
)

func newIndex(g *global, std streams) *cobra.Command {
	var asJSON, quiet bool
	cmd := &cobra.Command{
		Use:   "index PATH…",
		Short: "Put folders or files into the knowledge base, or bring them up to date",
		Long: `index reads Markdown and text files, recursively, and leaves out what .gitignore names. Files that did not change are
not touched, files that vanished are removed, and so is a folder or file that is named and gone. A file that fails does
not stop the rest; then the exit code is 1. Searches and questions work while it runs, and a run that was stopped is
completed by the next one.`,
		Example: `  kbagent index docs
  kbagent index ~/notes handbook.md --json`,
		Args: someArgs("a folder or file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := openBase(cmd.Context(), g, std)
			if err != nil {
				return err
			}
			report, err := updateIndex(cmd.Context(), b.index, args, std, !asJSON && !quiet)
			if err = errors.Join(err, b.close()); err != nil {
				return err
			}
			switch {
			case asJSON:
				err = printJSON(std.out, report)
			case !quiet:
				err = printReport(std.out, report)
			}
			if err == nil && report.Files.Failed > 0 {
				for _, e := range report.Errors {
					fmt.Fprintf(std.err, "kbagent: %s\n", mask.TerminalLine(e.Path+": "+e.Error))
				}
				err = exitCode(exitError)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the counts as JSON")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "print nothing but errors")
	return cmd
}

// updateIndex brings paths up to date, with a progress bar on a terminal.
func updateIndex(ctx context.Context, ix *index.Index, paths []string, std streams, show bool) (index.Report, error) {
	for i, p := range paths {
		abs, err := filepath.Abs(p)
		if err != nil {
			return index.Report{}, err
		}
		paths[i] = abs
	}
	var opts index.UpdateOptions
	if show && isTerminal(std.err) {
		bar := newBar(std.err)
		opts.Progress = bar.progress
		defer bar.clear()
	}
	return refresh(ctx, ix, paths, opts)
}

// refresh updates what is there and removes what was indexed and is gone.
func refresh(ctx context.Context, ix *index.Index, paths []string, opts index.UpdateOptions) (index.Report, error) {
	var there, gone []string
	for _, p := range paths {
		if _, err := os.Lstat(p); errors.Is(err, fs.ErrNotExist) {
			gone = append(gone, p)
		} else {
			there = append(there, p)
		}
	}
	if len(gone) == 0 {
		return ix.Update(ctx, paths, opts)
	}
	removed, err := ix.Remove(ctx, gone)
	if errors.Is(err, index.ErrNotIndexed) {
		return index.Report{}, fmt.Errorf("no such file or folder: %s", strings.Join(gone, ", "))
	}
	if err != nil || len(there) == 0 {
		return removed, err
	}
	report, err := ix.Update(ctx, there, opts)
	report.Files.Removed += removed.Files.Removed
	report.Elapsed += removed.Elapsed
	return report, err
}

func printReport(w io.Writer, r index.Report) error {
	f := r.Files
	_, err := fmt.Fprintf(w, "%d indexed, %d unchanged, %d removed, %d skipped, %d failed; %d passages, %s in %s\n",
		f.Indexed, f.Unchanged, f.Removed, f.Skipped, f.Failed, r.Passages, size(r.Bytes), r.Elapsed.Round(time.Millisecond))
	return err
}

func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	default:
		return fmt.Sprintf("%d bytes", n)
	}
}

// bar shows the progress of an update. A failure to draw it is no failure of the update.
type bar struct {
	w     io.Writer
	bar   *progressbar.ProgressBar
	phase index.Phase
}

func newBar(w io.Writer) *bar { return &bar{w: w} }

func (b *bar) progress(p index.Progress) {
	if b.bar == nil || b.phase != p.Phase {
		b.phase = p.Phase
		b.bar = progressbar.NewOptions(p.Total, progressbar.OptionSetWriter(b.w), progressbar.OptionSetDescription(string(p.Phase)),
			progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish())
	}
	b.bar.ChangeMax(p.Total)
	_ = b.bar.Set(p.Done)
}

func (b *bar) clear() {
	if b.bar != nil {
		_ = b.bar.Clear()
	}
}
