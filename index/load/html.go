package load

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/readable"
)

// Limits of a page. The conversion takes time that cannot be cut short.
const (
	maxPageBytes = 16 << 20
	maxElements  = 300_000
)

// html is the readable part of a page as Markdown, without navigation, scripts, addresses of links and pictures. Of a page
// in which no such part is found all is taken that can be seen.
func (f *Files) html(data []byte) (index.Loaded, error) {
	if len(data) > maxPageBytes {
		return index.Loaded{}, fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, len(data), maxPageBytes)
	}
	source, err := decodePage(data)
	if err != nil {
		return index.Loaded{}, err
	}
	page, err := readable.From(source, &url.URL{Scheme: "file", Path: "/"}, readable.Options{MaxElements: maxElements, PromoteHeaders: true})
	switch {
	case errors.Is(err, readable.ErrTooLarge):
		return index.Loaded{}, fmt.Errorf("%w: %w", ErrTooLarge, err)
	case err != nil:
		return index.Loaded{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if strings.TrimSpace(page.Text) == "" {
		return index.Loaded{}, fmt.Errorf("%w: nothing of the page can be seen without running its scripts", ErrNoText)
	}
	return index.Loaded{Text: page.Text, Title: page.Title, Markdown: true}, nil
}

// decodePage returns a page as UTF-8: in the encoding that it declares, else as any text.
func decodePage(data []byte) (string, error) {
	if utf8.Valid(data) || bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return decode(data)
	}
	if m := declaredCharset.FindSubmatch(data[:min(len(data), 2048)]); m != nil {
		if enc, name := charset.Lookup(string(m[1])); enc != nil && name != "utf-8" {
			return decodeWith(enc, name, data)
		}
	}
	return decode(data)
}

var declaredCharset = regexp.MustCompile(`(?i)<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*["']?([\w:.-]+)`)

// oneLine is s with single spaces instead of white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
