package tools

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/state"
)

// engine is a search engine with a script.
type engine struct {
	results []SearchResult
	err     error
	query   string
	k       int
}

func (e *engine) Name() string { return "Engine" }

func (e *engine) Search(_ context.Context, query string, k int) ([]SearchResult, error) {
	e.query, e.k = query, k
	return e.results, e.err
}

func search(t *testing.T, p SearchProvider, args string) (Result, error) {
	t.Helper()
	return WebSearch(p).Call(t.Context(), json.RawMessage(args))
}

func TestAResultOfTheWebIsEvidenceWithItsLines(t *testing.T) {
	e := &engine{results: []SearchResult{{URL: " https://a.example/x ", Title: " The\n title ", Content: " first\r\nsecond\x00 line \n", Score: 7}}}
	r, err := search(t, e, `{"query": "  two\n words "}`)
	require.NoError(t, err)
	content := "first\nsecond line"
	assert.Equal(t, []state.Evidence{{
		ID: state.EvidenceID("https://a.example/x", 0, len(content), content), Tool: "web_search", Path: "https://a.example/x", Title: "The title",
		StartLine: 1, EndLine: 2, EndByte: len(content), Content: content, ScoreKind: state.ScoreNone, Language: "web",
	}}, r.Items)
	assert.Equal(t, "two words", e.query)
	assert.Equal(t, DefaultWebK, e.k)
}

func TestResultsOfOnePageCollapseAndTheFirstStays(t *testing.T) {
	e := &engine{results: []SearchResult{
		{URL: "https://www.a.example/x/?b=2&a=1&utm_source=mail#part", Content: "first"},
		{URL: "http://A.example:80/x?a=1&b=2&gclid=9", Content: "second"},
		{URL: "https://a.example/x?a=1&b=3", Content: "another page"},
		{URL: "https://a.example:8443/x?a=1&b=2", Content: "another port"},
		{URL: "javascript:alert(1)", Content: "no page"},
		{URL: "https://user:pw@a.example/", Content: "no page"},
		{URL: "::", Content: "no page"},
		{URL: "https://b.example", Content: "one too many"},
	}}
	r, err := search(t, e, `{"query": "x", "k": 3}`)
	require.NoError(t, err)
	var found []string
	for _, item := range r.Items {
		found = append(found, item.Content)
	}
	assert.Equal(t, []string{"first", "another page", "another port"}, found)
}

func TestNothingFoundInTheWebIsANote(t *testing.T) {
	r, err := search(t, &engine{}, `{"query": "x"}`)
	require.NoError(t, err)
	assert.Empty(t, r.Items)
	assert.Contains(t, r.Note, `no_results: Engine finds nothing for "x"`)

	r, err = search(t, &engine{results: []SearchResult{{URL: "https://a.example/", Content: " "}}}, `{"query": "x"}`)
	require.NoError(t, err)
	assert.Empty(t, r.Items)
	assert.Contains(t, r.Note, "https://a.example/", "a page without an excerpt can be fetched")
}

func TestArgumentsOfWebSearchAreChecked(t *testing.T) {
	e := &engine{}
	_, err := search(t, e, `{"query": "x", "k": 99}`)
	require.NoError(t, err)
	assert.Equal(t, MaxWebK, e.k)
	for _, args := range []string{`{}`, `{"query": " "}`, `{"query": "x", "n": 1}`} {
		_, err := search(t, e, args)
		assert.Equal(t, CodeBadArguments, code(err), args)
	}
}

// replies is a server with one answer; it hands over the requests that it gets.
func replies(t *testing.T, status int, header map[string]string, body string) (address string, requests func() (*http.Request, string)) {
	t.Helper()
	var last *http.Request
	var sent string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		last, sent = r, string(b)
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() (*http.Request, string) { return last, sent }
}

func TestSearXNGIsAskedAsItsManualSays(t *testing.T) {
	base, requests := replies(t, 200, nil, `{"query": "q", "number_of_results": 0, "results": [
		{"url": "https://a.example/", "title": "A", "content": "about a", "engine": "brave", "score": 3.5, "category": "general", "publishedDate": "2024-05-06T07:08:09"},
		{"url": "https://b.example/", "title": "B", "content": null, "score": 1, "publishedDate": null}],
		"answers": [], "unresponsive_engines": [["google", "CAPTCHA"]]}`)
	p, err := NewSearXNG(base+"/searx/", nil)
	require.NoError(t, err)
	results, err := p.Search(t.Context(), "größe & maß?", 5)
	require.NoError(t, err)
	assert.Equal(t, []SearchResult{
		{URL: "https://a.example/", Title: "A", Content: "about a", Score: 3.5, Published: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)},
		{URL: "https://b.example/", Title: "B", Score: 1},
	}, results)
	r, _ := requests()
	assert.Equal(t, http.MethodGet, r.Method)
	assert.Equal(t, "/searx/search", r.URL.Path)
	assert.Equal(t, map[string][]string{"q": {"größe & maß?"}, "format": {"json"}}, map[string][]string(r.URL.Query()))
}

func TestFailuresOfSearXNGSayWhatToDo(t *testing.T) {
	for claim, c := range map[string]struct {
		status int
		header map[string]string
		body   string
		code   Code
		says   string
	}{
		"JSON is not enabled":     {403, nil, "Forbidden", CodeUnavailable, "add json to search.formats in its settings.yml"},
		"the limiter":             {429, map[string]string{"Retry-After": "90"}, "", CodeUnavailable, "try again in 1m30s"},
		"another program":         {404, nil, "", CodeUnavailable, "there is no SearXNG at http://"},
		"a page":                  {200, nil, "<html>", CodeUnavailable, "answered no JSON"},
		"a fault":                 {500, nil, "", CodeUnavailable, "status 500"},
		"all engines were silent": {200, nil, `{"results": [], "unresponsive_engines": [["google", "timeout"], ["brave"]]}`, CodeUnavailable, "google (timeout), brave"},
		"a reply without end":     {200, nil, strings.Repeat(" ", maxSearchReply+1), CodeTooLarge, "4 MiB"},
	} {
		t.Run(claim, func(t *testing.T) {
			base, _ := replies(t, c.status, c.header, c.body)
			p, err := NewSearXNG(base, nil)
			require.NoError(t, err)
			_, err = search(t, p, `{"query": "x"}`)
			assert.Equal(t, c.code, code(err), "%v", err)
			assert.ErrorContains(t, err, c.says)
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		p, err := NewSearXNG("http://127.0.0.1:1", nil)
		require.NoError(t, err)
		_, err = search(t, p, `{"query": "secret words"}`)
		assert.Equal(t, CodeUnavailable, code(err))
		assert.NotContains(t, err.Error(), "secret", "the query does not reach a log")
	})
}

func TestTavilyIsAskedAsItsManualSays(t *testing.T) {
	base, requests := replies(t, 200, nil, `{"query": "q", "answer": null, "images": [], "response_time": 1.2, "results": [
		{"url": "https://a.example/", "title": "A", "content": "about a", "score": 0.93, "raw_content": null, "published_date": "Mon, 06 May 2024 07:08:09 GMT"}]}`)
	p, err := NewTavily(" tvly-key ", base, nil)
	require.NoError(t, err)
	results, err := p.Search(t.Context(), "q", 5)
	require.NoError(t, err)
	require.Len(t, results, 1)
	assert.InDelta(t, .93, results[0].Score, 1e-9)
	assert.Equal(t, 2024, results[0].Published.Year())
	r, body := requests()
	assert.Equal(t, http.MethodPost, r.Method)
	assert.Equal(t, "/search", r.URL.Path)
	assert.Equal(t, "Bearer tvly-key", r.Header.Get("Authorization"))
	assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
	assert.JSONEq(t, `{"query": "q", "search_depth": "basic", "max_results": 5}`, body)

	_, err = p.Search(t.Context(), strings.Repeat("ünï wörd ", 100), 5)
	require.NoError(t, err)
	_, body = requests()
	var sent tavilyRequest
	require.NoError(t, json.Unmarshal([]byte(body), &sent))
	assert.LessOrEqual(t, len([]rune(sent.Query)), tavilyMaxQuery, "Tavily refuses longer ones")
	assert.True(t, strings.HasSuffix(sent.Query, "ünï") || strings.HasSuffix(sent.Query, "wörd"), "it is cut between words")
}

func TestFailuresOfTavilySayWhatToDoAndNeverTheKey(t *testing.T) {
	for claim, c := range map[string]struct {
		status int
		header map[string]string
		body   string
		code   Code
		says   string
	}{
		"a wrong key":           {401, nil, `{"detail": {"error": "Unauthorized: bad key tvly-key."}}`, CodeAccessDenied, "check it at app.tavily.com: Unauthorized: bad key ***."},
		"a bad query":           {400, nil, `{"detail": {"error": "Query is too short."}}`, CodeBadArguments, "Query is too short."},
		"a detail as text":      {400, nil, `{"detail": "no"}`, CodeBadArguments, ": no"},
		"a detail as list":      {422, nil, `{"detail": [{"loc": []}]}`, CodeBadArguments, "does not take this query"},
		"forbidden":             {403, nil, ``, CodeAccessDenied, "refuses this request"},
		"too many requests":     {429, map[string]string{"Retry-After": "7"}, `{}`, CodeUnavailable, "try again in 7s"},
		"too many, no hint":     {429, nil, `{}`, CodeUnavailable, "try again later"},
		"the plan is used up":   {432, nil, `{"detail": {"error": "This request exceeds your plan's set usage limit."}}`, CodeUnavailable, "upgrade it, or wait for the next month"},
		"pay as you go is over": {433, nil, ``, CodeUnavailable, "raise it in the account's settings"},
		"a fault":               {502, nil, `<html>`, CodeUnavailable, "status 502"},
		"no JSON":               {200, nil, `<html>`, CodeUnavailable, "answered no JSON"},
	} {
		t.Run(claim, func(t *testing.T) {
			base, _ := replies(t, c.status, c.header, c.body)
			p, err := NewTavily("tvly-key", base, nil)
			require.NoError(t, err)
			_, err = search(t, p, `{"query": "x"}`)
			assert.Equal(t, c.code, code(err), "%v", err)
			assert.ErrorContains(t, err, c.says)
			assert.NotContains(t, err.Error(), "tvly-key")
		})
	}
}

// silent is a server that never answers.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestASearchThatTakesTooLongIsATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: silent{}}
		x, err := NewSearXNG("http://s.example", client)
		require.NoError(t, err)
		v, err := NewTavily("k", "", client)
		require.NoError(t, err)
		for want, p := range map[time.Duration]SearchProvider{5 * time.Second: x, 10 * time.Second: v} {
			start := time.Now()
			_, err = p.Search(t.Context(), "q", 5)
			assert.Equal(t, CodeTimeout, code(err))
			assert.Equal(t, want, time.Since(start), "on the bubble's clock")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = x.Search(ctx, "q", 5)
		require.ErrorIs(t, err, context.Canceled)
	})
}

func TestProvidersThatCannotWorkAreRefusedAtTheStart(t *testing.T) {
	for _, base := range []string{"", "localhost:8080", "ftp://x", "http://", "http://x?y=1", "http://x#y", "http://a b"} {
		_, err := NewSearXNG(base, nil)
		require.Error(t, err, base)
	}
	_, err := NewTavily(" ", "", nil)
	require.ErrorContains(t, err, "API key of Tavily is empty")
	_, err = NewTavily("k", "nowhere", nil)
	require.Error(t, err)
}

func TestRetryAfterIsReadInBothForms(t *testing.T) {
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, "-5": 0, "soon": 0, "99999999999": 7 * 24 * time.Hour, "9999999": 7 * 24 * time.Hour,
		"Mon, 01 Jan 2024 00:01:00 GMT": time.Minute, "Sun, 31 Dec 2023 00:00:00 GMT": 0,
	} {
		assert.Equal(t, want, retryAfter(http.Header{"Retry-After": {value}}, now), value)
	}
}
