package tools

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

type searxng struct {
	base   *url.URL
	client *http.Client
}

// NewSearXNG is a SearXNG instance at base, e.g. "http://localhost:8080". A search takes at most 5 s. The instance is the
// user's own choice and may have a private address. It must give JSON: json among search.formats of its settings.yml.
// client may be nil: then http.DefaultClient is used. A base that is no URL is an error.
func NewSearXNG(base string, client *http.Client) (SearchProvider, error) {
	u, err := providerBase("SearXNG", base)
	if err != nil {
		return nil, err
	}
	if client == nil {
		client = http.DefaultClient
	}
	return &searxng{base: u, client: client}, nil
}

func (s *searxng) Name() string { return "SearXNG" }

// searxngReply is the documented JSON, as far as it is used.
type searxngReply struct {
	Results []struct {
		URL           string  `json:"url"`
		Title         string  `json:"title"`
		Content       string  `json:"content"`
		Score         float64 `json:"score"` // a sum of weights over positions: no fixed maximum
		PublishedDate string  `json:"publishedDate"`
	} `json:"results"`
	Unresponsive [][]any `json:"unresponsive_engines"` // pairs: name, reason
}

func (s *searxng) Search(ctx context.Context, query string, k int) ([]SearchResult, error) {
	to := s.base.JoinPath("search")
	to.RawQuery = url.Values{"q": {query}, "format": {"json"}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return nil, &Error{Code: CodeFailed, Message: "SearXNG: " + err.Error()}
	}
	req.Header.Set("Accept", "application/json")
	var reply searxngReply
	call := searchCall{s.client, "SearXNG at " + s.base.Host, searxngTimeout, s.refused}
	if err := call.do(ctx, req, &reply); err != nil {
		return nil, err
	}
	// An instance pages by itself, and its results repeat: all of them are read, and the tool takes the first k pages.
	results := make([]SearchResult, 0, len(reply.Results))
	for _, r := range reply.Results {
		results = append(results, SearchResult{URL: r.URL, Title: r.Title, Content: r.Content, Score: r.Score, Published: published(r.PublishedDate)})
	}
	if len(results) == 0 && len(reply.Unresponsive) > 0 { // not to be taken for "the web holds nothing"
		return nil, &Error{Code: CodeUnavailable, Message: fmt.Sprintf(
			"SearXNG found nothing, and engines of it did not answer: %s; see its preferences, or try again later", engines(reply.Unresponsive))}
	}
	return results, nil
}

// engines lists the engines that did not answer: "google (timeout), …".
func engines(pairs [][]any) string {
	var names []string
	for _, pair := range pairs {
		switch {
		case len(pair) > 1:
			names = append(names, fmt.Sprintf("%v (%v)", pair[0], pair[1]))
		case len(pair) == 1:
			names = append(names, fmt.Sprint(pair[0]))
		}
	}
	return strings.Join(names, ", ")
}

func (s *searxng) refused(status int, header http.Header, _ []byte) error {
	switch status {
	case http.StatusForbidden:
		return &Error{Code: CodeUnavailable, Message: fmt.Sprintf(
			"SearXNG at %s gives no JSON: add json to search.formats in its settings.yml (search: {formats: [html, json]}) and restart it", s.base.Host)}
	case http.StatusTooManyRequests:
		return busy("SearXNG at "+s.base.Host+" (its limiter, see server.limiter in settings.yml)", header)
	case http.StatusNotFound:
		return &Error{Code: CodeUnavailable, Message: fmt.Sprintf("there is no SearXNG at %s; check its URL", s.base.JoinPath("search").Redacted())}
	default:
		return &Error{Code: CodeUnavailable, Message: fmt.Sprintf("SearXNG at %s answered with status %d; see its log", s.base.Host, status)}
	}
}
