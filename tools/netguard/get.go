package netguard

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A Page is what a server answered.
type Page struct {
	URL         *url.URL // after all redirects, without fragment
	Status      int      // as in HTTP
	Header      http.Header
	Type        string // media type, lower case, without parameters; guessed from the body where the server is silent
	ContentType string // the header as it came
	Body        []byte // whole and decompressed; empty unless Status is 2xx
}

// Get fetches a URL. types are the media types that are wanted ("text/html"; "text/*" for a family); none means any.
//
// A status outside of 200–299 is no error; such a page has no body. The errors are [ErrRefused], [ErrTooLarge],
// [ErrTimeout], [ErrType], [ErrUnreachable], and ctx.Err() when the caller ended it. A body is read whole or not at all,
// and one of an unwanted type is not read.
func (c *Client) Get(ctx context.Context, rawURL string, types ...string) (Page, error) {
	return c.Fetch(ctx, Request{URL: rawURL, Types: types})
}

// A Request asks for a page.
type Request struct {
	URL   string
	Types []string // the media types that are wanted, as in Get; default any
	// ETag and LastModified are what the server said about the page when it was fetched before (the headers of these names). A
	// page that is still the same has Status 304 and no body. Default "": it is fetched anyway.
	ETag, LastModified string
	// Follow, when not nil, is asked before each redirect is followed, after the client's own checks. Its error ends the fetch
	// and is in the chain of the error returned.
	Follow func(to *url.URL) error
}

// followKey is the key of a Request's Follow in the context of its HTTP requests.
type followKey struct{}

// Fetch does what [Client.Get] does for a request with conditions.
func (c *Client) Fetch(ctx context.Context, r Request) (Page, error) {
	u, err := c.CheckURL(r.URL)
	if err != nil {
		return Page{}, err
	}
	inner, cancel := context.WithTimeout(context.WithValue(ctx, followKey{}, r.Follow), c.opts.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(inner, http.MethodGet, u.String(), nil)
	if err != nil {
		return Page{}, refuse("this is no URL: %v", err)
	}
	req.Header.Set("User-Agent", c.opts.UserAgent)
	types := r.Types
	if len(types) > 0 {
		req.Header.Set("Accept", strings.Join(types, ", ")+", */*;q=0.1")
	}
	if r.ETag != "" {
		req.Header.Set("If-None-Match", r.ETag)
	}
	if r.LastModified != "" {
		req.Header.Set("If-Modified-Since", r.LastModified)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return Page{}, c.explain(ctx, inner, u.Hostname(), err)
	}
	defer resp.Body.Close()
	page, err := c.read(resp, types)
	if err != nil {
		return Page{}, c.explain(ctx, inner, u.Hostname(), err)
	}
	return page, nil
}

func (c *Client) read(resp *http.Response, types []string) (Page, error) {
	page := Page{URL: clean(resp.Request.URL), Status: resp.StatusCode, Header: resp.Header, ContentType: resp.Header.Get("Content-Type")}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return page, nil
	}
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") { // gzip was undone
		return page, &fault{text: fmt.Sprintf("the page is encoded as %q, which is not understood", encoding), is: ErrType}
	}
	page.Type = mediaType(page.ContentType)
	if page.Type != "" && !wanted(page.Type, types) {
		return page, unwanted(page.Type)
	}
	var err error
	if page.Body, err = c.body(resp); err != nil {
		return page, err
	}
	if page.Type == "" {
		page.Type = mediaType(http.DetectContentType(page.Body))
		if !wanted(page.Type, types) {
			return page, unwanted(page.Type)
		}
	}
	return page, nil
}

// body reads what is left of resp, up to the limit. What decompression makes of it counts, so that a bomb ends there.
func (c *Client) body(resp *http.Response) ([]byte, error) {
	tooLarge := &fault{text: fmt.Sprintf("the page is larger than %s", size(c.opts.MaxBytes)), is: ErrTooLarge}
	if resp.ContentLength > c.opts.MaxBytes {
		return nil, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.opts.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > c.opts.MaxBytes {
		return nil, tooLarge
	}
	return body, nil
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%.4g MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}

func unwanted(mediaType string) error {
	return &fault{text: fmt.Sprintf("a page of type %s is not read", mediaType), is: ErrType}
}

// mediaType is the type of a Content-Type header without its parameters, also where those are malformed; "" for none.
func mediaType(header string) string {
	if t, _, err := mime.ParseMediaType(header); err == nil {
		return t
	}
	t, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

func wanted(mediaType string, types []string) bool {
	family, _, _ := strings.Cut(mediaType, "/")
	return len(types) == 0 || slices.Contains(types, mediaType) || slices.Contains(types, family+"/*")
}

func clean(u *url.URL) *url.URL {
	c := *u
	c.Fragment, c.RawFragment = "", ""
	return &c
}
