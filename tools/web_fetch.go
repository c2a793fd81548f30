package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools/netguard"
)

//go:embed web_fetch.md
var webFetchDoc string

// WebFetchArgs are the arguments of web_fetch.
type WebFetchArgs struct {
	URL string `json:"url" jsonschema:"the address of the page, http or https"`
}

// fetchTypes are the media types that web_fetch reads.
var fetchTypes = []string{"text/html", "application/xhtml+xml", "text/plain", "text/markdown", "text/x-markdown", "application/json"}

// WebFetch is web_fetch: one page of the web, fetched by client within its limits, as passages of text. Of HTML the
// readable part is taken, as Markdown without links; text, Markdown and JSON stay as they are. The lines and bytes of an item
// count in that text, its path is the URL after all redirects. Of a page with more than MaxReadBytes of text the first
// passages are returned, and the note says how much is left.
//
// Its errors are ACCESS_DENIED (a private address, or a page behind a login), NOT_FOUND, NOT_A_FILE (another type),
// TOO_LARGE, TIMEOUT and UNAVAILABLE.
func WebFetch(client *netguard.Client) Tool {
	const name = "web_fetch"
	return New(name, webFetchDoc, state.ScoreNone, func(ctx context.Context, a WebFetchArgs) (Result, error) {
		if strings.TrimSpace(a.URL) == "" {
			return Result{}, &Error{Code: CodeBadArguments, Message: "web_fetch: url is empty"}
		}
		page, err := client.Get(ctx, a.URL, fetchTypes...)
		if err != nil {
			return Result{}, fetchError(err)
		}
		if err := statusError(page); err != nil {
			return Result{}, err
		}
		doc, err := readPage(page)
		if err != nil {
			return Result{}, err
		}
		return pageItems(name, page.URL.String(), doc)
	})
}

// fetchError gives the errors of netguard their codes.
func fetchError(err error) error {
	for _, known := range []struct {
		is   error
		code Code
		hint string
	}{
		{netguard.ErrRefused, CodeAccessDenied, ""},
		{netguard.ErrTooLarge, CodeTooLarge, "; nothing of it was read"},
		{netguard.ErrTimeout, CodeTimeout, ""},
		{netguard.ErrType, CodeNotAFile, "; web_fetch reads HTML, plain text, Markdown and JSON"},
		{netguard.ErrUnreachable, CodeUnavailable, ""},
	} {
		if errors.Is(err, known.is) {
			return &Error{Code: known.code, Message: "web_fetch: " + err.Error() + known.hint}
		}
	}
	return err
}

// statusError is nil for a page that has content.
func statusError(page netguard.Page) error {
	at := page.URL.Redacted()
	switch status := page.Status; {
	case status == http.StatusNotFound, status == http.StatusGone:
		return &Error{Code: CodeNotFound, Message: fmt.Sprintf("there is no page %s (status %d)", at, status)}
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusUnavailableForLegalReasons:
		return &Error{Code: CodeAccessDenied, Message: fmt.Sprintf("%s does not let this program read it (status %d)", at, status)}
	case status == http.StatusTooManyRequests, status >= 500:
		wait := ""
		if after := retryAfter(page.Header, time.Now()); after > 0 {
			wait = fmt.Sprintf("; try again in %v", after)
		}
		return &Error{Code: CodeUnavailable, Message: fmt.Sprintf("%s cannot be had now (status %d)%s", at, status, wait)}
	case status < 200 || status > 299:
		return &Error{Code: CodeFailed, Message: fmt.Sprintf("%s answered with status %d", at, status)}
	default:
		return nil
	}
}

// A webDoc is the text of a page.
type webDoc struct {
	title    string // "" when the page has none
	text     string // valid UTF-8 with \n line breaks
	markdown bool
}

func readPage(page netguard.Page) (webDoc, error) {
	text, err := decodeText(page)
	if err != nil {
		return webDoc{}, err
	}
	switch page.Type {
	case "text/html", "application/xhtml+xml":
		return readPart(text, page.URL)
	case "text/markdown", "text/x-markdown":
		return webDoc{text: text, markdown: true}, nil
	default:
		ext := strings.ToLower(path.Ext(page.URL.Path)) // many servers call Markdown text/plain
		return webDoc{text: text, markdown: page.Type == "text/plain" && (ext == ".md" || ext == ".markdown")}, nil
	}
}

// pageItems cuts a page into passages.
func pageItems(tool, address string, doc webDoc) (Result, error) {
	name := "page.txt"
	if doc.markdown {
		name = "page.md"
	}
	title, passages, err := index.Split(name, doc.text, index.SplitOptions{})
	if err != nil {
		return Result{}, err
	}
	if doc.title != "" {
		title = doc.title
	}
	if title == name {
		title = ""
	}
	var r Result
	size := 0
	for i, p := range passages {
		if size += len(p.Content); size > MaxReadBytes && i > 0 {
			r.Note = fmt.Sprintf("only the first %d of %d passages of %s were taken (%d of %d lines)",
				i, len(passages), address, passages[i-1].EndLine, passages[len(passages)-1].EndLine)
			break
		}
		r.Items = append(r.Items, state.Evidence{
			ID: state.EvidenceID(address, p.StartByte, p.EndByte, p.Content), Tool: tool, Path: address, Title: title, Section: p.Section,
			StartLine: p.StartLine, EndLine: p.EndLine, StartByte: p.StartByte, EndByte: p.EndByte,
			Content: p.Content, ScoreKind: state.ScoreNone, Language: WebLanguage,
		})
	}
	if len(r.Items) == 0 {
		r.Note = fmt.Sprintf("no_results: %s holds no text that can be read without running scripts", address)
	}
	return r, nil
}
