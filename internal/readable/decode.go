package readable

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// ErrNoText reports a body that is no text, whatever its type says.
var ErrNoText = errors.New("it is no text")

// Decode is the body of a page as UTF-8 with \n line breaks and without a byte order mark. mediaType is its type in lower case,
// without parameters; header is its Content-Type as it came, which may name the charset.
func Decode(body []byte, mediaType, header string) (string, error) {
	if label := charsetOf(body, mediaType, header); label != "utf-8" {
		encoding, _ := charset.Lookup(label)
		decoded, err := encoding.NewDecoder().Bytes(body)
		if err != nil {
			return "", fmt.Errorf("%w in %s: %w", ErrNoText, label, err)
		}
		body = decoded
	}
	if bytes.IndexByte(body, 0) >= 0 {
		return "", fmt.Errorf("%w though it calls itself %s", ErrNoText, mediaType)
	}
	text := strings.TrimPrefix(strings.ToValidUTF8(string(body), "\ufffd"), "\ufeff")
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), nil
}

// charsetOf is the name of a page's charset as package charset knows it. A mark at the start of the body tells it, else the
// header, else, in HTML, the page itself; what says nothing is UTF-8 where it is valid UTF-8 as a whole, else windows-1252, as
// in browsers. JSON is always UTF-8 (RFC 8259).
func charsetOf(body []byte, mediaType, header string) string {
	switch {
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return "utf-16be"
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return "utf-16le"
	case mediaType == "application/json", bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return "utf-8"
	}
	if _, params, err := mime.ParseMediaType(header); err == nil {
		if e, label := charset.Lookup(params["charset"]); e != nil {
			return label
		}
	}
	if mediaType != "text/plain" && !strings.HasSuffix(mediaType, "markdown") {
		if _, label, _ := charset.DetermineEncoding(body, ""); label != "windows-1252" { // its answer for "unknown", too
			return label
		}
	}
	if utf8.Valid(body) {
		return "utf-8"
	}
	return "windows-1252"
}
