package tools

import (
	"bytes"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/kbagent/kbagent/tools/netguard"
)

// decodeText is the body of a page as UTF-8 with \n line breaks and without a byte order mark.
func decodeText(page netguard.Page) (string, error) {
	body := page.Body
	if label := charsetOf(page); label != "utf-8" {
		encoding, _ := charset.Lookup(label)
		decoded, err := encoding.NewDecoder().Bytes(body)
		if err != nil {
			return "", &Error{Code: CodeNotAFile, Message: fmt.Sprintf("%s is no text in %s: %v", page.URL, label, err)}
		}
		body = decoded
	}
	if binary(body) {
		return "", &Error{Code: CodeNotAFile, Message: fmt.Sprintf("%s calls itself %s and is no text", page.URL, page.Type)}
	}
	text := strings.TrimPrefix(strings.ToValidUTF8(string(body), "�"), "\ufeff")
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), nil
}

// charsetOf is the name of a page's charset as package charset knows it. A mark at the start of the body tells it, else the
// header, else, in HTML, the page itself; what says nothing is UTF-8 where it is valid UTF-8 as a whole, else windows-1252, as
// in browsers. JSON is always UTF-8 (RFC 8259).
func charsetOf(page netguard.Page) string {
	switch {
	case bytes.HasPrefix(page.Body, []byte("\xfe\xff")):
		return "utf-16be"
	case bytes.HasPrefix(page.Body, []byte("\xff\xfe")):
		return "utf-16le"
	case page.Type == "application/json", bytes.HasPrefix(page.Body, []byte("\xef\xbb\xbf")):
		return "utf-8"
	}
	if _, params, err := mime.ParseMediaType(page.ContentType); err == nil {
		if e, label := charset.Lookup(params["charset"]); e != nil {
			return label
		}
	}
	if page.Type != "text/plain" && !strings.HasSuffix(page.Type, "markdown") {
		if _, label, _ := charset.DetermineEncoding(page.Body, ""); label != "windows-1252" { // its answer for "unknown", too
			return label
		}
	}
	if utf8.Valid(page.Body) {
		return "utf-8"
	}
	return "windows-1252"
}
