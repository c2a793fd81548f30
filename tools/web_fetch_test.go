package tools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/charset"

	"github.com/kbagent/kbagent/tools/netguard"
)

// web is a tool over a guard that lets it reach this machine, and a server on it.
func web(t *testing.T, handler http.HandlerFunc, change ...func(*netguard.Options)) (tool Tool, base string) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	o := netguard.Options{Allow: []string{"127.0.0.1"}}
	for _, f := range change {
		f(&o)
	}
	guard, err := netguard.New(o)
	require.NoError(t, err)
	t.Cleanup(guard.Close)
	return WebFetch(guard), s.URL
}

func fetch(t *testing.T, tool Tool, url string) (Result, error) {
	t.Helper()
	args, err := json.Marshal(WebFetchArgs{URL: url})
	require.NoError(t, err)
	return tool.Call(t.Context(), args)
}

func page(mediaType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		fmt.Fprint(w, body)
	}
}

func TestAPageOfTheWebBecomesPassages(t *testing.T) {
	tool, base := web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new", http.StatusFound)
			return
		}
		page("text/html; charset=utf-8", article)(w, r)
	})
	r, err := fetch(t, tool, base+"/old")
	require.NoError(t, err)
	require.NotEmpty(t, r.Items)
	doc, err := readPart(article, somewhere)
	require.NoError(t, err)
	lines := strings.Split(doc.text, "\n")
	for _, item := range r.Items {
		assert.Equal(t, base+"/new", item.Path, "the address after all redirects")
		assert.Equal(t, "web_fetch", item.Tool)
		assert.Equal(t, WebLanguage, item.Language)
		assert.Equal(t, "Install – Docs", item.Title)
		assert.Equal(t, doc.text[item.StartByte:item.EndByte], item.Content)
		assert.Equal(t, strings.Join(lines[item.StartLine-1:item.EndLine], "\n"), item.Content)
	}
	assert.Equal(t, "Ports", r.Items[len(r.Items)-1].Section)
	again, err := fetch(t, tool, base+"/old")
	require.NoError(t, err)
	assert.Equal(t, r, again, "the ids are stable")
}

func TestTextMarkdownAndJSONStayAsTheyAre(t *testing.T) {
	for claim, c := range map[string]struct{ mediaType, path, body, content, section string }{
		"plain text":                {"text/plain", "/a.txt", "# no heading\r\nb < c\r\n", "# no heading\nb < c", ""},
		"Markdown":                  {"text/markdown; charset=utf-8", "/a", "# Title\n\nb", "# Title\n\nb", "Title"},
		"Markdown called text":      {"text/plain", "/a.md", "# Title\n\nb", "# Title\n\nb", "Title"},
		"JSON":                      {"application/json", "/a", "{\"a\": \"ü\"}", "{\"a\": \"ü\"}", ""},
		"JSON with a wrong charset": {"application/json; charset=latin1", "/a", "{\"a\": \"ü\"}", "{\"a\": \"ü\"}", ""},
	} {
		t.Run(claim, func(t *testing.T) {
			tool, base := web(t, page(c.mediaType, c.body))
			r, err := fetch(t, tool, base+c.path)
			require.NoError(t, err)
			require.Len(t, r.Items, 1)
			assert.Equal(t, c.content, r.Items[0].Content)
			assert.Equal(t, c.section, r.Items[0].Section)
			assert.NotContains(t, r.Items[0].Title, "page.", "an invented name is no title")
		})
	}
}

func TestCharsetsAreRead(t *testing.T) {
	encode := func(label, s string) string {
		e, _ := charset.Lookup(label)
		out, err := e.NewEncoder().String(s)
		require.NoError(t, err)
		return out
	}
	filler := strings.Repeat("words ", 300) // more than the kilobyte in which browsers look
	for claim, c := range map[string]struct{ mediaType, body, want string }{
		"the header says it":                {"text/plain; charset=ISO-8859-1", encode("latin1", "Größe"), "Größe"},
		"the header in other letters":       {"text/plain; Charset=\"GBK\"", encode("gbk", "知识库"), "知识库"},
		"the page says it":                  {"text/html", encode("shift_jis", "<meta charset=Shift_JIS><p>日本語"), "日本語"},
		"the header wins over the page":     {"text/html; charset=utf-8", "<meta charset=latin1><p>Größe", "Größe"},
		"a mark wins over the header":       {"text/plain; charset=latin1", "\xef\xbb\xbfGröße", "Größe"},
		"UTF-16 by its mark":                {"text/plain", "\xff\xfe" + encode("utf-16le", "Größe"), "Größe"},
		"nobody says it, late UTF-8":        {"text/plain", filler + "Größe", "Größe"},
		"nobody says it in HTML":            {"text/html", "<p>" + filler + "Größe", "Größe"},
		"nobody says it, and no UTF-8":      {"text/plain", encode("windows-1252", "Größe €"), "Größe €"},
		"a charset that is not known":       {"text/plain; charset=klingon", "Größe", "Größe"},
		"a meta in plain text says nothing": {"text/plain", "<meta charset=latin1> Größe", "Größe"},
		"a broken sequence":                 {"text/plain; charset=utf-8", "Gr\xff", "Gr�"},
	} {
		t.Run(claim, func(t *testing.T) {
			tool, base := web(t, page(c.mediaType, c.body))
			r, err := fetch(t, tool, base)
			require.NoError(t, err)
			require.NotEmpty(t, r.Items)
			assert.Contains(t, r.Items[len(r.Items)-1].Content, c.want)
			assert.NotContains(t, r.Items[0].Content, "\ufeff")
		})
	}
}

func TestPagesThatAreNotReadSayWhy(t *testing.T) {
	for claim, c := range map[string]struct {
		handler http.HandlerFunc
		code    Code
		says    string
	}{
		"a video":           {page("video/mp4", "x"), CodeNotAFile, "type video/mp4 is not read; web_fetch reads HTML"},
		"a PDF":             {page("application/pdf", "%PDF-1.7"), CodeNotAFile, "application/pdf"},
		"a lie":             {page("text/plain", "a\x00b"), CodeNotAFile, "is no text"},
		"too much":          {page("text/plain", strings.Repeat("x", 2000)), CodeTooLarge, "nothing of it was read"},
		"gone":              {status(410, ""), CodeNotFound, "status 410"},
		"behind a login":    {status(401, ""), CodeAccessDenied, "does not let"},
		"overloaded":        {status(503, "20"), CodeUnavailable, "try again in 20s"},
		"too many requests": {status(429, ""), CodeUnavailable, "status 429"},
		"a teapot":          {status(418, ""), CodeFailed, "status 418"},
		"a private redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		}, CodeAccessDenied, "10.0.0.1 is not a public address (private)"},
		"a silent server": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, CodeTimeout, "did not answer"},
	} {
		t.Run(claim, func(t *testing.T) {
			tool, base := web(t, c.handler, func(o *netguard.Options) {
				o.MaxBytes = 1000
				if claim == "a silent server" {
					o.Timeout = 20 * time.Millisecond
				}
			})
			_, err := fetch(t, tool, base)
			assert.Equal(t, c.code, code(err), "%v", err)
			assert.ErrorContains(t, err, c.says)
		})
	}
}

func status(code int, retry string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if retry != "" {
			w.Header().Set("Retry-After", retry)
		}
		w.WriteHeader(code)
	}
}

func TestAddressesThatAreNotPublicAreRefusedToThePlan(t *testing.T) {
	guard, err := netguard.New(netguard.Options{})
	require.NoError(t, err)
	for _, address := range []string{"http://127.0.0.1/", "http://169.254.169.254/latest/meta-data", "file:///etc/passwd", "http://localhost:8080/"} {
		_, err := fetch(t, WebFetch(guard), address)
		assert.Equal(t, CodeAccessDenied, code(err), address)
	}
	_, err = fetch(t, WebFetch(guard), " ")
	assert.Equal(t, CodeBadArguments, code(err))
}

func TestOfALongPageTheFirstPassagesAreTakenAndTheNoteSaysSo(t *testing.T) {
	tool, base := web(t, page("text/plain", strings.Repeat("Some words that fill a line of text.\n", 5000)))
	r, err := fetch(t, tool, base)
	require.NoError(t, err)
	size := 0
	for _, item := range r.Items {
		size += len(item.Content)
	}
	assert.LessOrEqual(t, size, MaxReadBytes)
	assert.Greater(t, size, MaxReadBytes*9/10)
	assert.Contains(t, r.Note, fmt.Sprintf("only the first %d of ", len(r.Items)))
	assert.Contains(t, r.Note, "of 5000 lines")
}

func TestAPageThatOnlyScriptsFillIsANote(t *testing.T) {
	tool, base := web(t, page("text/html", "<div id=app></div><script>render()</script>"))
	r, err := fetch(t, tool, base)
	require.NoError(t, err)
	assert.Empty(t, r.Items)
	assert.Contains(t, r.Note, "no_results")
}

func TestAWebToolDescribesItselfAndItsArguments(t *testing.T) {
	guard, err := netguard.New(netguard.Options{})
	require.NoError(t, err)
	for _, tool := range []Tool{WebSearch(&engine{}), WebFetch(guard)} {
		assert.NotEmpty(t, tool.Description, tool.Name)
		schema, err := json.Marshal(tool.Schema)
		require.NoError(t, err)
		assert.Contains(t, string(schema), `"description"`, tool.Name)
	}
}

func FuzzCanonicalURL(f *testing.F) {
	for _, seed := range []string{"https://www.a.example/x/?b=2&a=1#c", "http://[::1]:80/", "http://a/%2f?utm_x=1", "https://a.example?a;b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		key, ok := canonicalURL(raw)
		if !ok {
			return
		}
		assert.NotEmpty(t, key)
		u, err := url.Parse(strings.TrimSpace(raw))
		require.NoError(t, err)
		u.Fragment, u.RawFragment = "other", ""
		again, ok := canonicalURL(u.String())
		require.True(t, ok)
		assert.Equal(t, key, again, "the fragment does not count")
	})
}
