package load

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kbagent/kbagent/index"
)

// maxPartBytes bounds what one part of a document unpacks to: a thousandth of it is enough to fill memory otherwise.
const maxPartBytes = 64 << 20

// docx is a Word document (ECMA-376, WordprocessingML) as Markdown: headings by their styles, lists, tables, notes at the end.
// Deleted text of tracked changes, comments, headers and footers are left out.
func (f *Files) docx(ctx context.Context, data []byte) (index.Loaded, error) {
	if bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0")) {
		return index.Loaded{}, fmt.Errorf("%w: it needs a password, or it is an old .doc file under a new name", ErrEncrypted)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return index.Loaded{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	p := &parts{ctx: ctx, archive: archive}
	w := &docxWriter{styles: readStyles(p), limit: f.opts.MaxTextBytes}
	if err := p.each("word/document.xml", w); err != nil {
		return index.Loaded{}, err
	}
	for _, notes := range []string{"word/footnotes.xml", "word/endnotes.xml"} {
		if err := p.each(notes, w); err != nil && !errors.Is(err, errNoPart) {
			return index.Loaded{}, err
		}
	}
	if strings.TrimSpace(w.out.String()) == "" {
		return index.Loaded{}, fmt.Errorf("%w: the document holds no text", ErrNoText)
	}
	return index.Loaded{Text: w.out.String(), Title: readTitle(p), Markdown: true}, nil
}

// parts reads the parts of a document.
type parts struct {
	ctx     context.Context
	archive *zip.Reader
}

// errNoPart reports a part that the document does not have.
var errNoPart = errors.New("no such part")

// A visitor is told of a part's elements. Names are without their name space.
type visitor interface {
	start(e xml.StartElement) error
	text(s string)
	end(name string)
}

// each walks a part from its begin to its end.
func (p *parts) each(name string, v visitor) error {
	part, err := p.archive.Open(name)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrMalformed, name, errNoPart)
	}
	defer part.Close() // only read
	if info, err := part.Stat(); err == nil && info.Size() > maxPartBytes {
		return fmt.Errorf("%w: %s unpacks to %d bytes, more than %d", ErrTooLarge, name, info.Size(), maxPartBytes)
	}
	bounded := &boundedReader{ctx: p.ctx, r: part, left: maxPartBytes}
	dec := xml.NewDecoder(bounded)
	for {
		token, err := dec.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if bounded.err != nil {
			return bounded.err
		}
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrMalformed, name, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := v.start(t); err != nil {
				return err
			}
		case xml.EndElement:
			v.end(t.Name.Local)
		case xml.CharData:
			v.text(string(t))
		}
	}
}

// boundedReader ends with an error after so many bytes, and when the time is over.
type boundedReader struct {
	ctx  context.Context
	r    io.Reader
	left int
	err  error
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.err = b.ctx.Err(); b.err != nil {
		return 0, b.err
	}
	if b.left <= 0 {
		b.err = fmt.Errorf("%w: a part unpacks to more than %d bytes", ErrTooLarge, maxPartBytes)
		return 0, b.err
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
