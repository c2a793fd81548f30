package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// A made corpus lies in files of so many passages, in folders of so many files.
const (
	passagesPerFile = 8
	filesPerFolder  = 1000
)

// WriteMarkdown writes passages as Markdown files of eight, each under a heading, into dir, which must not exist yet.
func WriteMarkdown(dir string, passages iter.Seq[Passage]) (files int, bytes int64, err error) {
	if err := os.Mkdir(filepath.Dir(dir), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return 0, 0, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return 0, 0, err
	}
	var b strings.Builder
	flush := func() error {
		folder := filepath.Join(dir, fmt.Sprintf("%03d", files/filesPerFolder))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		name := filepath.Join(folder, fmt.Sprintf("%06d.md", files))
		files++
		bytes += int64(b.Len())
		defer b.Reset()
		return os.WriteFile(name, []byte(b.String()), 0o600)
	}
	n := 0
	for p := range passages {
		fmt.Fprintf(&b, "# %s\n\n%s\n\n", strings.TrimSpace(p.Title+" "+p.Heading), strings.TrimSpace(p.Text))
		if n++; n%passagesPerFile == 0 {
			if err := flush(); err != nil {
				return files, bytes, err
			}
		}
	}
	if b.Len() > 0 {
		err = flush()
	}
	return files, bytes, err
}
