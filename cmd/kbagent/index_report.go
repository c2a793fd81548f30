package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/mask"
)

// show prints what became of an update, and the failures to stderr; with failures the exit code is 1.
func (f *indexFlags) show(std streams, r index.Report) (err error) {
	switch {
	case f.asJSON:
		err = printJSON(std.out, r)
	case !f.quiet:
		if f.verbose {
			err = printEntries(std.out, r.Entries)
		}
		if err == nil {
			err = printReport(std.out, r)
		}
	}
	if err != nil {
		return err
	}
	printFailures(std, r)
	if r.Files.Failed > 0 {
		return exitCode(exitError)
	}
	return nil
}

// printFailures names the files that failed on stderr.
func printFailures(std streams, r index.Report) {
	for _, e := range r.Errors {
		fmt.Fprintf(std.err, "kbagent: %s\n", mask.TerminalLine(e.Path+": "+e.Error))
	}
}

// printEntries prints a line for each file.
func printEntries(w io.Writer, entries []index.Entry) error {
	for _, e := range entries {
		if _, err := fmt.Fprintln(w, entryLine(e)); err != nil {
			return err
		}
	}
	return nil
}

func entryLine(e index.Entry) string {
	more := ""
	switch {
	case e.Reason != "":
		more = ": " + e.Reason
	case e.Passages > 0:
		more = fmt.Sprintf(" (%d passages)", e.Passages)
	}
	return fmt.Sprintf("%-9s  %s", e.Status, mask.TerminalLine(e.Path+more))
}

func printReport(w io.Writer, r index.Report) error {
	f := r.Files
	dry := ""
	if r.DryRun {
		dry = "would be: "
	}
	_, err := fmt.Fprintf(w, "%s%d indexed, %d unchanged, %d removed, %d skipped, %d failed; %d passages, %s in %s\n",
		dry, f.Indexed, f.Unchanged, f.Removed, f.Skipped, f.Failed, r.Passages, size(r.Bytes), r.Elapsed.Round(time.Millisecond))
	if err != nil || !r.DryRun {
		return err
	}
	if c := r.Embedding; c != nil {
		_, err = fmt.Fprintf(w, "embedding with %s: %d texts, about %d tokens, %d calls\n", mask.TerminalLine(c.Model), c.Texts, c.Tokens, c.Calls)
	} else {
		_, err = fmt.Fprintln(w, "embedding: none, no embedding model is configured")
	}
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
	total := p.Total
	if total == 0 {
		total = -1 // not known: a mark that turns, with the count
	}
	if b.bar == nil || b.phase != p.Phase {
		b.phase = p.Phase
		b.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(b.w), progressbar.OptionSetDescription(string(p.Phase)),
			progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish())
	}
	b.bar.ChangeMax(total)
	_ = b.bar.Set(p.Done)
}

func (b *bar) clear() {
	if b.bar != nil {
		_ = b.bar.Clear()
	}
}
