package crawl

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/tools/netguard"
)

// clocked answers without a network and notes when it was asked.
type clocked struct {
	begin  time.Time
	times  []time.Duration
	answer map[string]func() netguard.Page
}

func (c *clocked) Fetch(ctx context.Context, r netguard.Request) (netguard.Page, error) {
	c.times = append(c.times, time.Since(c.begin))
	u, err := url.Parse(r.URL)
	if err != nil {
		return netguard.Page{}, err
	}
	page := netguard.Page{Status: http.StatusNotFound}
	if answer := c.answer[u.Path]; answer != nil {
		page = answer()
	}
	page.URL = u
	return page, ctx.Err()
}

func answer(body string) func() netguard.Page {
	return func() netguard.Page {
		return netguard.Page{Status: 200, Type: "text/html", Body: []byte(body), Header: http.Header{}}
	}
}

func TestThereIsAPauseBetweenTwoRequests(t *testing.T) {
	for rules, pause := range map[string]time.Duration{
		"": 500 * time.Millisecond, "User-agent: *\nCrawl-delay: 2": 2 * time.Second, "User-agent: *\nCrawl-delay: 0.1": 500 * time.Millisecond,
		"User-agent: *\nCrawl-delay: 3600": 30 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			get := &clocked{begin: time.Now(), answer: map[string]func() netguard.Page{
				"/robots.txt": answer(rules), "/": answer(`<a href=/a>a</a>`), "/a": answer("a"),
			}}
			c, err := New(get, "https://kb.example/", Options{Links: true})
			require.NoError(t, err)
			for range c.Pages(t.Context()) { //nolint:revive // only the times matter
			}
			assert.Equal(t, []time.Duration{0, pause, 2 * pause}, get.times, rules)
		})
	}
}

func TestABusyServerIsAskedAgainWhenItSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		get := &clocked{begin: time.Now(), answer: map[string]func() netguard.Page{"/": func() netguard.Page {
			if calls++; calls == 1 {
				return netguard.Page{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"20"}}}
			}
			return answer("fine")()
		}}}
		c, err := New(get, "https://kb.example/", Options{})
		require.NoError(t, err)
		for p := range c.Pages(t.Context()) {
			assert.NoError(t, p.Err)
		}
		assert.Equal(t, []time.Duration{0, 20 * time.Second}, get.times)
		assert.NoError(t, c.Err())
	})
}

func TestACrawlEndsWithItsContextWhileItPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		get := &clocked{begin: time.Now(), answer: map[string]func() netguard.Page{"/": answer(`<a href=/a>a</a>`), "/a": answer("a")}}
		ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
		defer cancel()
		c, err := New(get, "https://kb.example/", Options{Links: true})
		require.NoError(t, err)
		pages := 0
		for range c.Pages(ctx) {
			pages++
		}
		assert.Equal(t, 1, pages)
		require.ErrorIs(t, c.Err(), context.DeadlineExceeded)
		assert.True(t, errors.Is(ctx.Err(), context.DeadlineExceeded))
	})
}
