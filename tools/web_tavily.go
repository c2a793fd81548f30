package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// TavilyURL is where Tavily's API is.
const TavilyURL = "https://api.tavily.com"

// tavilyMaxQuery is the longest query that Tavily takes, in characters.
const tavilyMaxQuery = 400

type tavily struct {
	key    string
	base   *url.URL
	client *http.Client
}

// NewTavily is the search API of Tavily. base may be empty: then it is TavilyURL. A search takes at most 10 s and costs one
// credit (search_depth basic). client may be nil: then http.DefaultClient is used. An empty key and a base that is
// no URL are errors; a wrong key shows at the first search. The key is in no error and no log.
func NewTavily(key, base string, client *http.Client) (SearchProvider, error) {
	if key = strings.TrimSpace(key); key == "" {
		return nil, errors.New("the API key of Tavily is empty")
	}
	if base == "" {
		base = TavilyURL
	}
	u, err := providerBase("Tavily", base)
	if err != nil {
		return nil, err
	}
	if client == nil {
		client = http.DefaultClient
	}
	return &tavily{key: key, base: u, client: client}, nil
}

func (t *tavily) Name() string { return "Tavily" }

type tavilyRequest struct {
	Query       string `json:"query"`
	SearchDepth string `json:"search_depth"`
	MaxResults  int    `json:"max_results"` // 0–20
}

// tavilyReply is the documented JSON, as far as it is used.
type tavilyReply struct {
	Results []struct {
		URL       string  `json:"url"`
		Title     string  `json:"title"`
		Content   string  `json:"content"`
		Score     float64 `json:"score"` // 0–1
		Published string  `json:"published_date"`
	} `json:"results"`
}

func (t *tavily) Search(ctx context.Context, query string, k int) ([]SearchResult, error) {
	body, err := json.Marshal(tavilyRequest{Query: clipWords(query, tavilyMaxQuery), SearchDepth: "basic", MaxResults: k})
	if err != nil {
		return nil, &Error{Code: CodeFailed, Message: "Tavily: " + err.Error()}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.base.JoinPath("search").String(), bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Code: CodeFailed, Message: "Tavily: " + err.Error()}
	}
	req.Header.Set("Authorization", "Bearer "+t.key)
	req.Header.Set("Content-Type", "application/json")
	var reply tavilyReply
	if err := (searchCall{t.client, "Tavily", tavilyTimeout, t.refused}).do(ctx, req, &reply); err != nil {
		return nil, err
	}
	results := make([]SearchResult, 0, len(reply.Results))
	for _, r := range reply.Results {
		results = append(results, SearchResult{URL: r.URL, Title: r.Title, Content: r.Content, Score: r.Score, Published: published(r.Published)})
	}
	return results, nil
}

func (t *tavily) refused(status int, header http.Header, body []byte) error {
	detail := t.detail(body)
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return &Error{Code: CodeBadArguments, Message: "Tavily does not take this query" + detail}
	case http.StatusUnauthorized:
		return &Error{Code: CodeAccessDenied, Message: "Tavily refuses the API key; check it at app.tavily.com" + detail}
	case http.StatusForbidden:
		return &Error{Code: CodeAccessDenied, Message: "Tavily refuses this request for the API key" + detail}
	case http.StatusTooManyRequests:
		return busy("Tavily", header)
	case 432:
		return &Error{Code: CodeUnavailable, Message: "the plan's credits at Tavily are used up; upgrade it, or wait for the next month" + detail}
	case 433:
		return &Error{Code: CodeUnavailable, Message: "the pay-as-you-go limit at Tavily is reached; raise it in the account's settings" + detail}
	default:
		return &Error{Code: CodeUnavailable, Message: fmt.Sprintf("Tavily answered with status %d; try again later%s", status, detail)}
	}
}

// detail is what an error's body says, {"detail": {"error": "…"}} or {"detail": "…"}, as the end of a sentence.
func (t *tavily) detail(body []byte) string {
	var reply struct {
		Detail json.RawMessage `json:"detail"`
	}
	var deep struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &reply) != nil || json.Unmarshal(reply.Detail, &deep) != nil && json.Unmarshal(reply.Detail, &deep.Error) != nil {
		return "" // the status says enough
	}
	said := strings.Join(strings.Fields(strings.ReplaceAll(deep.Error, t.key, "***")), " ")
	if said == "" {
		return ""
	}
	return ": " + clipWords(said, 200)
}

// clipWords cuts s to at most n characters, at a space where one is near.
func clipWords(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	cut := string(runes[:n])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 && runes[n] != ' ' {
		cut = cut[:i]
	}
	return strings.TrimSpace(cut)
}
