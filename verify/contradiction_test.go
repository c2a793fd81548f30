package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/verify"
)

// clashes is the score from which Lexical takes a claim for contradicted.
const clashes = 0.5

func TestContradictionsAreSeen(t *testing.T) {
	for name, c := range map[string]struct{ claim, passage string }{
		"in a number with a unit":              {"Logs are kept for 7 days.", "Old logs are kept for thirty days on every server."},
		"in a number of another scale":         {"The file limit is 2 MB.", "The file limit is 2 GB."},
		"in a number of things counted":        {"The cluster has three nodes.", "The cluster has five nodes."},
		"in a percentage":                      {"The error rate was 5%.", "The error rate was 12 percent."},
		"in a price":                           {"The license costs $20.", "The license costs $50."},
		"in a year":                            {"The project began in 2016.", "The project began in 2019."},
		"in a month":                           {"The release was in March 2021.", "The release was in June 2021."},
		"in a day":                             {"It opened on June 3.", "It opened on June 13."},
		"in a negation":                        {"The server does not support IPv6.", "The server supports IPv6."},
		"in a negation on the other side":      {"The server supports IPv6.", "The server doesn't support IPv6."},
		"in antonyms":                          {"The cache is enabled by default.", "By default the cache is disabled."},
		"in a negated antonym":                 {"The cache is not enabled by default.", "By default the cache is enabled."},
		"in words of direction":                {"Aspirin increases the risk of stroke.", "Aspirin reduced stroke risk significantly."},
		"across kinds of direction":            {"Caspase promotes inflammation.", "Caspase attenuates inflammation."},
		"in a link":                            {"Coffee is associated with cancer.", "Coffee is not associated with cancer."},
		"in a comparative":                     {"Omnivores produce less TMAO than vegetarians.", "Omnivores produced more TMAO than did vegetarians."},
		"in the sides of than":                 {"Go is faster than Python.", "Python is faster than Go."},
		"in names that changed sides":          {"Google acquired YouTube in 2006.", "In 2006 YouTube acquired Google."},
		"in names around a passive":            {"Google acquired YouTube.", "Google was acquired by YouTube."},
		"in a name":                            {"Facebook acquired WhatsApp.", "In 2014 Apple acquired WhatsApp."},
		"in a name of two words":               {"Simona Halep defeated Serena Williams in the final.", "Angelique Kerber defeated Serena Williams in the final."},
		"in order":                             {"Restart the server before the upgrade.", "Restart the server after the upgrade."},
		"in Chinese antonyms":                  {"缓存默认启用。", "缓存默认禁用。"},
		"in a Chinese negation":                {"日志不会自动删除。", "日志会自动删除。"},
		"in Chinese numbers":                   {"日志保留7天。", "日志保留30天。"},
		"in numbers in Chinese characters":     {"日志保留七天。", "日志保留三十天。"},
		"in Chinese words of direction":        {"该药物增加了风险。", "研究显示该药物降低了风险。"},
		"in a Chinese comparative":             {"苹果公司的收入高于微软公司的收入。", "苹果公司的收入低于微软公司的收入。"},
		"in the second sentence of the claim":  {"Logs rotate daily. The cache is enabled by default.", "By default the cache is disabled. Logs rotate daily."},
		"in the sentence that is about it":     {"The cache is enabled by default.", "The index is enabled by default. By default the cache is disabled. The log is enabled."},
		"in what is written with other letter": {"Ｌogs are kept for 7 days.", "Logs are kept for 30 days."},
	} {
		t.Run(name, func(t *testing.T) {
			score, why := verify.Contradiction(c.claim, c.passage)
			assert.GreaterOrEqual(t, score, clashes, "%q against %q", c.claim, c.passage)
			assert.LessOrEqual(t, score, 1.0)
			assert.NotEmpty(t, why)
		})
	}
}

func TestWhatAgreesIsNoContradiction(t *testing.T) {
	for name, c := range map[string]struct{ claim, passage string }{
		"the same":                           {"Logs are kept for 7 days.", "Logs are kept for 7 days."},
		"a number in words":                  {"Logs are kept for seven days.", "Old logs are kept for 7 days."},
		"another unit of the same length":    {"Logs are kept for 7 days.", "Logs are kept for a week."},
		"a number that is rounded":           {"The rate was 41 %.", "The rate was 41.3 percent."},
		"a number that is about right":       {"About 1,200 people came.", "In all 1,234 people came."},
		"millions":                           {"It costs $1.5 million.", "It costs $1,500,000."},
		"numbers of other things":            {"The cluster has three nodes.", "The cluster has three nodes and five disks."},
		"an antonym of an antonym":           {"The cache is not disabled by default.", "The cache is enabled by default."},
		"the reverse comparative":            {"Go is faster than Python.", "Python is slower than Go."},
		"the passive":                        {"Google acquired YouTube in 2006.", "In 2006 YouTube was acquired by Google."},
		"both negated":                       {"The server does not support IPv6.", "IPv6 is not supported by the server."},
		"a double negative of a risk":        {"Aspirin lowers the risk of stroke.", "Aspirin reduced stroke risk."},
		"not only":                           {"It reads Markdown.", "It not only reads Markdown but also HTML."},
		"a verbatim claim beside its denial": {"The cache is enabled by default.", "The cache is enabled by default. On Windows the cache is disabled by default."},
		"the same name among others":         {"Facebook acquired WhatsApp.", "Facebook acquired WhatsApp, and Apple acquired Beats."},
		"a name in other letters":            {"FACEBOOK acquired WhatsApp.", "In 2014 Facebook acquired WhatsApp."},
		"a part of the name":                 {"Serena Williams won the final.", "In 2014 Williams won the final."},
		"a name beside other words":          {"Facebook acquired WhatsApp.", "WhatsApp was written in Erlang by Jan Koum."},
		"another subject":                    {"The cache is enabled by default.", "Telemetry is disabled unless you opt in."},
		"Chinese that says the same":         {"日志保留七天。", "旧日志保留7天。"},
		"Chinese with not only":              {"支持Markdown。", "不仅支持Markdown，还支持HTML。"},
		"nothing in common":                  {"Logs rotate.", "Bananas are yellow."},
		"an empty passage":                   {"Logs rotate.", ""},
		"an empty claim":                     {"", "Logs rotate."},
	} {
		t.Run(name, func(t *testing.T) {
			score, why := verify.Contradiction(c.claim, c.passage)
			assert.Less(t, score, clashes, "%q against %q: %s", c.claim, c.passage, why)
			assert.GreaterOrEqual(t, score, 0.0)
			assert.Equal(t, score == 0, why == "")
		})
	}
}

func FuzzContradiction(f *testing.F) {
	for _, s := range []string{"not not no 5 5% $1", "日志保留七天不", "a by than b", "一二三十百万亿天", "1,2.3.4 9e9", "\xff \x00", "may March 3 2021"} {
		f.Add(s, s)
		f.Add(s, strings.Repeat(s+" ", 20))
	}
	f.Fuzz(func(t *testing.T, claim, passage string) {
		score, why := verify.Contradiction(claim, passage)
		if !(score >= 0 && score <= 1) || (score == 0) != (why == "") {
			t.Errorf("Contradiction(%q, %q) = %v, %q", claim, passage, score, why)
		}
		if s := verify.Support(claim, passage, nil); !(s >= 0 && s <= 1) {
			t.Errorf("Support(%q, %q) = %v", claim, passage, s)
		}
	})
}
