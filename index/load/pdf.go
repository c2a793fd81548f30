package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ledongthuc/pdf"

	"github.com/kbagent/kbagent/index"
)

// Limits of a PDF file.
const (
	maxPages     = 20_000
	maxPageDepth = 40         // of the tree of pages
	maxOperators = 20_000_000 // of all pages: drawings have many
)

// pdf is the text of a PDF file, each page a section "page 3". Words are put together from the places of the letters, because
// most files have no spaces. Lines are in the order in which the file draws them.
func (f *Files) pdf(ctx context.Context, data []byte) (index.Loaded, error) {
	data, err := trimPDF(data)
	if err != nil {
		return index.Loaded{}, err
	}
	if err := boundPDF(data); err != nil {
		return index.Loaded{}, err
	}
	r, err := pdf.NewReader(&pdfBytes{ctx, data}, int64(len(data)))
	switch {
	case ctx.Err() != nil:
		return index.Loaded{}, ctx.Err()
	case err != nil && (errors.Is(err, pdf.ErrInvalidPassword) || strings.Contains(err.Error(), "encrypt")):
		return index.Loaded{}, fmt.Errorf("%w: %w", ErrEncrypted, err)
	case err != nil:
		return index.Loaded{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	d := pdfReader{ctx: ctx, limit: f.opts.MaxTextBytes, fonts: map[string]*pdfFont{}}
	pages := d.pages(nil, r.Trailer().Key("Root").Key("Pages"), 0)
	loaded := d.read(pages)
	if strings.TrimSpace(loaded.Text) == "" {
		if d.unknown > 0 {
			return index.Loaded{}, fmt.Errorf("%w: its fonts do not tell which letters they draw", ErrNoText)
		}
		return index.Loaded{}, fmt.Errorf("%w: its %d pages hold no letters; scanned pages need OCR first", ErrNoText, len(pages))
	}
	loaded.Title = pdfTitle(r.Trailer().Key("Info").Key("Title").Text())
	return loaded, nil
}

// pdfTitle is the title in a file's properties, "" where a program wrote a file name there.
func pdfTitle(title string) string {
	title = strings.ToValidUTF8(strings.ReplaceAll(oneLine(title), "\x00", ""), "")
	lower := strings.ToLower(title)
	for _, bad := range []string{".doc", ".docx", ".indd", ".tex", ".dvi", ".qxd", ".ppt", ".pptx", ".xls", ".xlsx", ".pdf"} {
		if strings.HasSuffix(lower, bad) {
			return ""
		}
	}
	if lower == "untitled" || strings.HasPrefix(lower, "microsoft ") {
		return ""
	}
	return title
}

// trimPDF removes what some mail programs and servers leave before and behind a PDF file.
func trimPDF(data []byte) ([]byte, error) {
	from := bytes.Index(data[:min(len(data), 1024)], []byte("%PDF-"))
	to := bytes.LastIndex(data, []byte("%%EOF"))
	if from < 0 || to < from {
		return nil, fmt.Errorf("%w: it does not begin with %%PDF- and end with %%%%EOF: it may be cut short", ErrMalformed)
	}
	data = data[from : to+len("%%EOF")]
	if len(data) < 120 {
		return nil, fmt.Errorf("%w: it has only %d bytes", ErrMalformed, len(data))
	}
	return data, nil
}

// pdfBytes gives the library a file that it accepts: with a header of version 1.7 (it knows none of 2.0, and what it
// reads is the same in all). Every read fails when the time is over, which ends all loops of the library.
type pdfBytes struct {
	ctx  context.Context
	data []byte
}

const pdfHeader = "%PDF-1.7\n"

func (b *pdfBytes) ReadAt(p []byte, off int64) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if off < 0 || off >= int64(len(b.data)) {
		return 0, io.EOF
	}
	n := copy(p, b.data[off:])
	if off < int64(len(pdfHeader)) {
		copy(p[:n], pdfHeader[off:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// pdfReader reads the pages of one file.
type pdfReader struct {
	ctx       context.Context
	limit     int
	fonts     map[string]*pdfFont // by what identifies a font in the file
	operators int
	unknown   int // letters that no font explains
	lines     pdfLines
}

// pages adds the pages of a tree in order.
func (d *pdfReader) pages(out []pdf.Value, tree pdf.Value, depth int) []pdf.Value {
	d.check()
	kids := tree.Key("Kids")
	if kids.Kind() != pdf.Array {
		if tree.Kind() == pdf.Dict {
			out = append(out, tree)
		}
		return out
	}
	for i := range kids.Len() {
		if len(out) > maxPages || depth > maxPageDepth {
			panic(fmt.Errorf("%w: more than %d pages, or their tree is deeper than %d", ErrTooLarge, maxPages, maxPageDepth))
		}
		out = d.pages(out, kids.Index(i), depth+1)
	}
	return out
}

// check ends the reading when the time is over or the file draws too much. It panics with the reason: the library calls
// back and takes no errors.
func (d *pdfReader) check() {
	d.operators++
	if d.operators > maxOperators {
		panic(fmt.Errorf("%w: more than %d operators", ErrTooLarge, maxOperators))
	}
	if d.operators%1024 == 1 && d.ctx.Err() != nil {
		panic(d.ctx.Err())
	}
}

// read is the text of pages.
func (d *pdfReader) read(pages []pdf.Value) index.Loaded {
	var b strings.Builder
	var loaded index.Loaded
	line := 1
	for i, page := range pages {
		loaded.Marks = append(loaded.Marks, index.Mark{Line: line, Level: 1, Title: fmt.Sprintf("page %d", i+1)})
		d.lines = pdfLines{}
		d.draw(page)
		text := d.lines.text()
		if text == "" {
			continue
		}
		b.WriteString(text + "\n\n")
		line += strings.Count(text, "\n") + 2
		if b.Len() > d.limit {
			panic(fmt.Errorf("%w: %d of %d pages are more text than the limit of %d bytes", ErrTooLarge, i+1, len(pages), d.limit))
		}
	}
	loaded.Text = strings.TrimSuffix(b.String(), "\n")
	return loaded
}

// draw runs what a page draws.
func (d *pdfReader) draw(page pdf.Value) {
	contents := page.Key("Contents")
	if contents.Kind() != pdf.Stream && contents.Kind() != pdf.Array {
		return
	}
	boundStreams(contents)
	in := pdfDrawing{pdfReader: d, resources: inherited(page, "Resources"), state: pdfState{scale: 1, ctm: identity}}
	pdf.Interpret(contents, in.do)
}

// inherited is a page's value, or that of the closest tree above it that has one.
func inherited(page pdf.Value, key string) pdf.Value {
	for range maxPageDepth {
		if v := page.Key(key); !v.IsNull() {
			return v
		}
		page = page.Key("Parent")
	}
	return pdf.Value{}
}
