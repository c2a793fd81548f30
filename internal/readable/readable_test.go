package readable_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/readable"
)

var somewhere = &url.URL{Scheme: "https", Host: "docs.example", Path: "/"}

func TestAPageBecomesMarkdownWithoutWhatNobodyReads(t *testing.T) {
	p, err := readable.From(`<title>Ports</title><nav>Home</nav><h1>Ports</h1><p>The <a href="/d">daemon</a> listens on 443 if a &lt; b.</p>
<table><tr><td>Port</td><td>Use</td></tr><tr><td>443</td><td>https</td></tr></table><script>x()</script><p hidden>no</p>`, somewhere, readable.Options{PromoteHeaders: true})
	require.NoError(t, err)
	assert.Equal(t, "Ports", p.Title)
	assert.Contains(t, p.Text, "The daemon listens on 443 if a < b.")
	assert.Contains(t, p.Text, "|---")
	for _, unread := range []string{"x()", "no\n", "/d"} {
		assert.NotContains(t, p.Text, unread)
	}
}

func TestSmallPagesThatCostMuchAreBounded(t *testing.T) {
	for name, page := range map[string]string{
		"a table of huge spans": `<table><tr><td colspan=9999999 rowspan=9999999>x</table>`,
		"nested lists":          strings.Repeat("<ul><li>", 20_000) + "x",
		"a padded column":       "<table><tr><td>" + strings.Repeat("x", 100_000) + strings.Repeat("<tr><td>y", 5_000) + "</table>",
	} {
		t.Run(name, func(t *testing.T) {
			p, err := readable.From(page, somewhere, readable.Options{})
			if err != nil {
				require.ErrorIs(t, err, readable.ErrMalformed)
				return
			}
			assert.Less(t, len(p.Text), 4*len(page)+4096)
		})
	}
	_, err := readable.From(strings.Repeat("<p>x", 11), somewhere, readable.Options{MaxElements: 10})
	require.ErrorIs(t, err, readable.ErrTooLarge)
}
