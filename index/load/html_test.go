package load_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index/load"
)

func TestAPageBecomesItsReadablePartWithTablesAndCode(t *testing.T) {
	loaded := read(t, "page.html", testdata(t, "page.html"))
	assert.True(t, loaded.Markdown)
	assert.Contains(t, loaded.Title, "Backup policy")
	assert.Contains(t, loaded.Text, "## Schedule")
	assert.Contains(t, loaded.Text, "| Kind | Interval | Kept for |")
	assert.Contains(t, loaded.Text, "| Write-ahead log | 5 minutes | 7 days |")
	assert.Contains(t, loaded.Text, "```sh\nkbctl restore --from latest \\\n  --to staging\n```")
	assert.Contains(t, loaded.Text, "- Tell the *incident channel* first.")
	assert.Contains(t, loaded.Text, "<production, staging>", "text is written as people read it")
	assert.Contains(t, loaded.Text, "数据库每天凌晨两点半备份一次")
	for _, noise := range []string{"Careers", "anvil", "cookies", "track(", "Imprint", "http"} {
		assert.NotContains(t, loaded.Text, noise)
	}
}

func TestAPageWithoutAnArticleIsTakenWhole(t *testing.T) {
	loaded := read(t, "a.html", "<title>Ports</title><table><tr><th>Name<th>Port</tr><tr><td>ssh<td>22</tr><tr><td>a|b<td>1</tr></table>")
	assert.Equal(t, "Ports", loaded.Title)
	assert.Contains(t, loaded.Text, "| ssh | 22 |")
}

func TestAPageThatScriptsFillHasNoText(t *testing.T) {
	require.ErrorIs(t, refused(t, "a.html", "<html><body><div id=root></div><script>render()</script>"), load.ErrNoText)
}

func TestHostilePagesAreBounded(t *testing.T) {
	for name, page := range map[string]string{
		"a table of a million columns": "<table><tr><td colspan=1000000 rowspan=1000000>x</table>",
		"deep lists":                   strings.Repeat("<ul><li>", 200) + "x",
		"deep quotations":              strings.Repeat("<blockquote>", 400) + "x",
		"many elements":                strings.Repeat("<p>x", 60_000),
	} {
		t.Run(name, func(t *testing.T) { assert.Contains(t, read(t, "a.html", page).Text, "x") })
	}
	assert.ErrorIs(t, refused(t, "a.html", strings.Repeat("<div>", 5000)), load.ErrMalformed)
	assert.ErrorIs(t, refused(t, "a.html", strings.Repeat("<b>x</b>", 300_001)), load.ErrTooLarge)
	assert.ErrorIs(t, refused(t, "a.html", strings.Repeat(" ", 17<<20)), load.ErrTooLarge)
}
