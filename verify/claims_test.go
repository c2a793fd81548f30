package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/verify"
)

func TestClaimsAreTheSentencesThatStateAFact(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   []string
	}{
		"sentences in order, without citation markers": {
			"Logs rotate daily [1]. They are kept for 7 days [1, 2].",
			[]string{"Logs rotate daily.", "They are kept for 7 days."}},
		"list items, without their marks": {
			"- Logs rotate daily [1]\n- Old ones are deleted【2】\n\n1. Run `kbagent index`.",
			[]string{"Logs rotate daily", "Old ones are deleted", "Run `kbagent index`."}},
		"rows of a table, without its head": {
			"| Level | Kept |\n|---|---|\n| debug | 1 day |\n| error | 30 days |",
			[]string{"debug, 1 day", "error, 30 days"}},
		"no questions": {
			"Logs rotate daily. Do you want to know more? 还有问题吗？", []string{"Logs rotate daily."}},
		"no greetings, thanks and offers": {
			"Hello! Thanks for asking. Logs rotate daily. Let me know if that helps. I hope this helps!",
			[]string{"Logs rotate daily."}},
		"no opinions": {
			"I think weekly would be better. In my opinion it is fine. Logs rotate daily.", []string{"Logs rotate daily."}},
		"no hedges about what the evidence lacks": {
			"Logs rotate daily. The documents do not say how long they are kept. The provided context doesn't mention any limit. " +
				"There is no information about Windows in the sources. (Not found in these passages: windows.) I could not find more.",
			[]string{"Logs rotate daily."}},
		"but a fact with a negation": {
			"The server does not support IPv6. There is no limit on file size.",
			[]string{"The server does not support IPv6.", "There is no limit on file size."}},
		"a fact behind an interjection": {
			"Yes, logs rotate daily. No.", []string{"logs rotate daily."}},
		"no headings, underlined, in bold type or with marks": {
			"# Rotation\nLogs rotate daily.\n\n**Retention:**\nThey are kept for 7 days.\n\nMore\n====\nDisks fill up.",
			[]string{"Logs rotate daily.", "They are kept for 7 days.", "Disks fill up."}},
		"a sentence above a rule": {
			"Logs rotate daily.\n---\nOld ones are deleted [1]\n---\n", []string{"Logs rotate daily.", "Old ones are deleted"}},
		"no code blocks, also unclosed ones": {
			"Run this:\n```sh\nrm -rf logs\n```\nIt deletes the logs.\n~~~\nx := 1", []string{"Run this:", "It deletes the logs."}},
		"no lead-ins": {
			"Here are the steps:\n- Stop the server.\n\nThe steps are as follows:\n- Start it.",
			[]string{"Stop the server.", "Start it."}},
		"no list of sources": {
			"Logs rotate daily [1].\n\nSources:\n[1] logs.md:L3-L9\n[2] a.md\n- https://example.org/x\n\n## References\n1. logs.md",
			[]string{"Logs rotate daily."}},
		"what follows a list of sources": {
			"Sources:\n[1] logs.md:L3-L9\n\nLogs rotate daily.", []string{"Logs rotate daily."}},
		"the text of links": {
			"See [the manual](https://example.org/a) for rotation.", []string{"See the manual for rotation."}},
		"brackets in code stay": {
			"The value `a[0]` is the first.", []string{"The value `a[0]` is the first."}},
		"Chinese sentences": {
			"你好！日志每天轮转[1]。我认为这样更好。文档中没有提到保留时间。旧日志会被删除。希望对您有帮助！",
			[]string{"日志每天轮转。", "旧日志会被删除。"}},
		"Chinese lists of sources": {
			"日志每天轮转。\n\n参考资料：\n[1] logs.md:L1-L3", []string{"日志每天轮转。"}},
		"nothing":         {"", nil},
		"a greeting only": {"Hello! How can I help you today?", nil},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, verify.Claims(c.answer))
		})
	}
}

func TestPartsKeepEveryClaimWholeAndInOrder(t *testing.T) {
	claims := []string{"aaaa", "bb", "数据库", "cccccccccc", "d"}
	assert.Equal(t, [][]string{{"aaaa"}, {"bb", "数据库"}, {"cccccccccc"}, {"d"}}, verify.Parts(claims, 5), "runes count, not bytes")
	assert.Equal(t, [][]string{claims}, verify.Parts(claims, 0), "no limit")
	assert.Equal(t, [][]string{claims}, verify.Parts(claims, 20), "just enough")
	assert.Empty(t, verify.Parts(nil, 5))
	parts := verify.Parts(claims, 5)
	_ = append(parts[0], "overwritten?")
	assert.Equal(t, "bb", claims[1], "a part that grows leaves the next one alone")
}

func FuzzClaims(f *testing.F) {
	for _, s := range []string{"a. b", "```\nx", "|a|\n|-|\n|b|", "[1] x", "**b**", "Sources:\n- a", "你好。数据", "\xff\x00. [", strings.Repeat("[", 50)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range verify.Claims(s) {
			if strings.TrimSpace(c) != c || c == "" || strings.Contains(c, "\n") {
				t.Errorf("claim %q of %q is not one trimmed line", c, s)
			}
		}
	})
}
