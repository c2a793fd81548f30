package load

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"github.com/kbagent/kbagent/index"
)

// Limits of the pages of a PDF file.
const (
	maxPages     = 20_000
	maxPageDepth = 40 // of their tree
)

// pdf is the text of a PDF file, each page a section "page 3". Words are put together from the places of the letters, because
// most files have no spaces. Lines are in the order in which the file draws them.
func (f *Files) pdf(ctx context.Context, data []byte) (index.Loaded, error) {
	data, err := trimPDF(data)
	if err != nil {
		return index.Loaded{}, err
	}
	file, err := openPDF(ctx, data)
	if err != nil {
		return index.Loaded{}, err
	}
	d := pdfReader{pdfFile: file, limit: f.opts.MaxTextBytes, fonts: map[pdfRef]*pdfFont{}}
	pages, err := d.pages(nil, d.dict(file.trailer["Root"])["Pages"], 0)
	if err != nil {
		return index.Loaded{}, err
	}
	loaded, err := d.read(pages)
	if err != nil {
		return index.Loaded{}, err
	}
	if strings.TrimSpace(loaded.Text) == "" {
		if d.unknown > 0 {
			return index.Loaded{}, fmt.Errorf("%w: its fonts do not tell which letters they draw", ErrNoText)
		}
		return index.Loaded{}, fmt.Errorf("%w: its %d pages hold no letters; scanned pages need OCR first", ErrNoText, len(pages))
	}
	loaded.Title = file.title()
	return loaded, nil
}

// title is what the file's properties say. Strings of an encrypted file are not decrypted.
func (f *pdfFile) title() string {
	raw, _ := f.get(f.dict(f.trailer["Info"])["Title"]).(pdfString)
	if f.key != nil {
		return ""
	}
	if strings.HasPrefix(string(raw), "\xfe\xff") {
		return pdfTitle(lettersOf(raw[2:]))
	}
	text, err := charmap.Windows1252.NewDecoder().String(string(raw))
	if err != nil {
		return ""
	}
	return pdfTitle(text)
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

// pdfReader reads the pages of one file.
type pdfReader struct {
	*pdfFile
	limit   int
	fonts   map[pdfRef]*pdfFont
	unknown int // letters that no font explains
	lines   pdfLines
}

// A pdfPage is a page with the resources that it draws with, its own or those of the tree above it.
type pdfPage struct {
	contents  any
	resources pdfDict
}

// pages adds the pages of a tree in order.
func (d *pdfReader) pages(out []pdfPage, v any, depth int, above ...pdfDict) ([]pdfPage, error) {
	tree := d.dict(v)
	resources := d.dict(tree["Resources"])
	if resources == nil && len(above) > 0 {
		resources = above[0]
	}
	if _, ok := tree["Kids"]; !ok {
		if tree != nil {
			out = append(out, pdfPage{tree["Contents"], resources})
		}
		return out, nil
	}
	for _, kid := range d.list(tree["Kids"]) {
		if len(out) > maxPages || depth > maxPageDepth {
			return nil, fmt.Errorf("%w: more than %d pages, or their tree is deeper than %d", ErrTooLarge, maxPages, maxPageDepth)
		}
		d.budget.take(1)
		var err error
		if out, err = d.pages(out, kid, depth+1, resources); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// read is the text of pages.
func (d *pdfReader) read(pages []pdfPage) (index.Loaded, error) {
	var b strings.Builder
	var loaded index.Loaded
	line := 1
	for i, page := range pages {
		d.lines = pdfLines{}
		if err := d.draw(page); err != nil {
			return index.Loaded{}, fmt.Errorf("page %d: %w", i+1, err)
		}
		text := d.lines.text()
		if text == "" {
			continue
		}
		loaded.Marks = append(loaded.Marks, index.Mark{Line: line, Level: 1, Title: fmt.Sprintf("page %d", i+1)})
		b.WriteString(text + "\n\n")
		line += strings.Count(text, "\n") + 2
		if b.Len() > d.limit {
			return index.Loaded{}, fmt.Errorf("%w: %d of %d pages are more text than the limit of %d bytes", ErrTooLarge, i+1, len(pages), d.limit)
		}
	}
	loaded.Text = strings.TrimSuffix(b.String(), "\n")
	return loaded, nil
}

// draw runs what a page draws. Parts of its content are one stream, cut where it pleased the writer.
func (d *pdfReader) draw(page pdfPage) error {
	parts := d.list(page.contents)
	if parts == nil {
		parts = []any{page.contents}
	}
	var content []byte
	for _, part := range parts {
		s, ok := d.get(part).(*pdfStream)
		if !ok {
			continue
		}
		data, err := d.decode(s, maxStreamBytes-len(content))
		if err != nil {
			return err
		}
		content = append(append(content, data...), '\n')
	}
	in := pdfDrawing{pdfReader: d, resources: page.resources, state: pdfState{scale: 1, ctm: identity}}
	return in.run(content)
}
