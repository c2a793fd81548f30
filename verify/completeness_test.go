package verify

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTheDocumentedAnswerIsHalfComplete(t *testing.T) {
	// S0's example: cause and fix are there, code location and verification are not.
	score, missing, ok := Completeness("401 Unauthorized on login", "CODE_ERROR", "The request fails because the token has expired. Increase the lifetime of the token to one hour.")
	assert.True(t, ok)
	assert.Equal(t, .5, score)
	assert.Equal(t, []string{"code_location", "verification"}, missing)
}

func TestCompleteness(t *testing.T) {
	const (
		tokenCode = "The token expires because `ttl` is 60 seconds. Set it to 3600 in auth/middleware.go:42. Then run the tests again; the login should now succeed."
	)
	for _, c := range []struct {
		question, category, answer string
		missing                    []string
	}{
		// Errors.
		{"401 on login", "CODE", tokenCode, nil},
		{"401 on login", "CODE", "Something is odd with it.", []string{"root_cause", "fix_steps", "code_location", "verification"}},
		{"登录报错 401", "CODE", "原因是令牌过期。请在 auth/middleware.go 第 42 行把有效期改为一小时，然后重新运行测试确认。", nil},
		{"登录报错 401", "CODE", "请把有效期改为一小时。", []string{"root_cause", "code_location", "verification"}},
		{"Builds hang", "INFRA", "The disk of the build node is full. Remove old images, then check that the job starts.", nil},
		{"Builds hang", "INFRA", "It is due to too many images. Remove them and try again.", []string{"affected_component"}},
		{"Wrong database", "CONFIG", "`DATABASE_URL` is not set. Set it in .env and restart. Verify with `app doctor`.", nil},
		{"Wrong database", "CONFIG", "It happens when a wrong value is used. Choose the right one and try again.", []string{"setting"}},
		{"Import fails", "DEPENDENCY", "The error is caused by left-pad 1.2, which dropped the function. Update it to 1.3.0, then rerun the build.", nil},
		{"Import fails", "DEPENDENCY", "The error is caused by an old library. Update it, then rerun the build.", []string{"package_version"}},
		{"Flaky test", "TEST", "TestLogin fails since it sleeps. Replace the sleep with a signal, then run it again with -count=100.", nil},
		{"Flaky test", "TEST", "It fails since it sleeps. Replace the sleep with a signal.", []string{"test_name", "verification"}},
		{"Something odd", "UNKNOWN", "No idea.", []string{"root_cause", "fix_steps", "verification"}},

		// Definitions.
		{"What is a checkpoint?", "definition", "A checkpoint is the stored state of a run after a step. A run resumes from its last one.", nil},
		{"What is a checkpoint?", "definition", "Runs are resumed.", []string{"subject", "definition", "detail"}},
		{"What is a checkpoint?", "definition", "Checkpoints are states.", []string{"detail"}},
		{"什么是检查点？", "definition", "检查点是一次运行在某一步之后保存下来的状态，运行从最后一个检查点恢复。", nil},
		{"什么是检查点？", "definition", "运行会恢复。", []string{"subject", "definition", "detail"}},

		// How to.
		{"How do I rotate the logs?", "how_to", "To rotate the logs:\n\n1. Stop the server.\n2. Run `logrotate -f`.\n3. Start it again.", nil},
		{"How do I rotate the logs?", "how_to", "Run `logrotate -f /etc/logrotate.conf` to rotate logs.", nil},
		{"How do I rotate the logs?", "how_to", "Logs are rotated at times.", []string{"steps", "specifics"}},
		{"How do I request parental leave?", "how_to", "First, tell your manager. Then send the request for parental leave to the office.", nil},
		{"如何安装索引器？", "how_to", "首先下载索引器，然后运行 `make install`。", nil},
		{"如何安装索引器？", "how_to", "索引器很好。", []string{"steps", "specifics"}},

		{"How does the index work?", "how_to", "The index keeps passages with their terms. A search ranks them.", nil},
		{"How do I become an agent?", "how_to", "To become an agent, you would typically need to take a course and pass an exam.", nil},

		// Comparisons.
		{"What is the difference between a rule and a tool?", "comparison", "A rule decides without a model, while a tool retrieves evidence. [1]", nil},
		{"What is the difference between a rule and a tool?", "comparison", "A rule decides without a model.", []string{"both_sides", "contrast", "detail"}},
		{"SQLite vs PostgreSQL?", "comparison", "| | SQLite | PostgreSQL |\n|---|---|---|\n| server | none | one |", nil},
		{"SQLite vs PostgreSQL?", "comparison", "SQLite needs no server and is one file. It is small.", []string{"both_sides", "contrast"}},
		{"规则和工具有什么区别？", "comparison", "规则不用模型就能决定，而工具负责检索证据。工具由计划调用。", nil},
		{"规则和工具有什么区别？", "comparison", "规则不用模型就能决定。规则很快。", []string{"both_sides", "contrast"}},

		{"What is the difference between a rule and a tool?", "comparison", "Rules are pure functions. Tools are what a plan calls.", nil},

		// Why.
		{"Why does Go have no exceptions?", "why", "Go has no exceptions because they make control flow convoluted.", nil},
		{"Why does Go have no exceptions?", "why", "Go has no exceptions.", []string{"reason"}},
		{"Why are writes serialized?", "why", "Writes are serialized to avoid conflicts.", nil},
		{"为什么旧日志会被删除？", "why", "为了节省磁盘空间，旧日志在七天后删除。", nil},
		{"为什么旧日志会被删除？", "why", "旧日志在七天后删除。", []string{"reason"}},

		// Lists.
		{"Which strategies are there?", "list", "The strategies are:\n- hybrid\n- vector\n- keyword", nil},
		{"Which strategies are there?", "list", "The strategies are hybrid, vector and keyword.", nil},
		{"Which strategies are there?", "list", "Strategies exist.", []string{"items"}},
		{"Which strategies are there?", "list", "There is only one strategy.", nil},
		{"有哪些检索策略？", "list", "检索策略有混合、向量、关键词。", nil},
		{"有哪些检索策略？", "list", "检索策略很多。", []string{"items"}},

		{"Which port is used by default?", "list", "The server listens on port 8080 by default.", nil},

		// Yes or no.
		{"Does kbagent support PostgreSQL?", "yes_no", "Yes, kbagent stores checkpoints in PostgreSQL when a URL is set.", nil},
		{"Does kbagent support PostgreSQL?", "yes_no", "kbagent supports PostgreSQL and SQLite as stores.", nil},
		{"Does kbagent support PostgreSQL?", "yes_no", "Yes.", []string{"support"}},
		{"Does kbagent support PostgreSQL?", "yes_no", "Databases are stores of data for programs of all sorts.", []string{"verdict"}},
		{"Is it safe to delete old logs?", "yes_no", "It is safe to delete logs that are older than a week.", nil},
		{"可以删除旧日志吗？", "yes_no", "可以，超过七天的旧日志可以删除。", nil},

		{"Could you tell me about reducers?", "yes_no", "Reducers fold the updates of parallel nodes into one state.", nil},

		// Troubleshooting.
		{"The server does not start", "troubleshooting", "The port is not available because another process holds it. Stop that process, then check that the server starts.", nil},
		{"The server does not start", "troubleshooting", "Restart it.", []string{"root_cause", "verification"}},
		{"服务器启动失败", "troubleshooting", "由于端口冲突，请先停止占用端口的进程，然后重新启动并确认服务正常。", nil},
	} {
		t.Run(c.category+": "+c.answer, func(t *testing.T) {
			score, missing, ok := Completeness(c.question, c.category, c.answer)
			require.True(t, ok)
			assert.Equal(t, c.missing, missing)
			parts := DefaultChecklists().Parts(c.category)
			assert.InDelta(t, 1-float64(len(c.missing))/float64(len(parts)), score, 1e-9)
		})
	}
}

func TestTheCategoryIsToldFromTheQuestionWhereItIsNotKnown(t *testing.T) {
	for question, want := range map[string]string{
		"Why is the sky blue?": "why", "What is a reducer?": "definition", "How do I add a tool?": "how_to", "How does it work?": "", "Can you tell me why it rains?": "why", "Can you list the tools?": "",
		"Which tools are there?": "list", "What are the strategies?": "list", "Is it fast?": "yes_no", "SQLite vs PostgreSQL": "comparison",
		"The build fails with exit code 1": "troubleshooting", "Tell me about logs": "", "": "",
		"为什么是蓝色？": "why", "什么是规则？": "definition", "如何添加工具？": "how_to", "有哪些工具？": "list", "支持 Windows 吗？": "yes_no",
		"规则和工具的区别": "comparison", "编译报错": "troubleshooting",
	} {
		assert.Equal(t, want, compDetect(question), question)
		for _, category := range []string{"", "other", "no such category"} {
			_, _, ok := Completeness(question, category, "Because.")
			assert.Equal(t, want != "", ok, question)
		}
	}
	_, _, ok := Completeness("Tell me about logs", "WHY", "Because.")
	assert.True(t, ok, "a known category needs no form, and no case")
}

func TestBothSidesOfAComparisonAreFound(t *testing.T) {
	for question, want := range map[string][2]string{
		"What is the difference between a rule and a tool?": {"rule", "tool"},
		"SQLite vs. PostgreSQL":                             {"SQLite", "PostgreSQL"},
		"How does BM25 differ from cosine?":                 {"bm25", "cosine"},
		"Compare Redis with Memcached, please.":             {"redis", "memcached"},
		"Do goroutines and threads differ?":                 {"goroutines", "threads"},
		"Should I use a map instead of a slice?":            {"map", "slice"},
		"Is Go faster than Python?":                         {"go", "python"},
		"规则和工具有什么区别？":                                       {"规则", "工具"},
		"比较向量与关键词":                                          {"向量", "关键词"},
		"索引跟缓存的不同":                                          {"索引", "缓存"},
	} {
		a, b, ok := compCompared(question)
		if assert.True(t, ok, question) {
			assert.Equal(t, [2][]string{compSubject(want[0]), compSubject(want[1])}, [2][]string{a, b}, question)
		}
	}
	for _, question := range []string{"", "What is a rule?", "What is the difference between them?"} {
		_, _, ok := compCompared(question)
		assert.False(t, ok, question)
	}
}

func TestAnAnswerWithoutTextIsNotComplete(t *testing.T) {
	for _, answer := range []string{"", " \n", "[1]"} {
		score, missing, ok := Completeness("Why?", "why", answer)
		assert.True(t, ok)
		assert.Zero(t, score)
		assert.Equal(t, []string{"subject", "reason"}, missing)
	}
}

func TestMarkersOfCitationsAreNoNumbersOfSteps(t *testing.T) {
	with := compRead("", "Yes [1].\n[2] No [3, 4].")
	assert.Equal(t, "Yes.\n No.", with.prose)
	assert.Zero(t, with.numbered)
}

func TestLoadChecklists(t *testing.T) {
	c, err := LoadChecklists(strings.NewReader(`{
		"checklists": {"Incident": ["root_cause", "owner"], "why": ["reason"], "how_to": ["steps", "verification"]},
		"parts": {"owner": ["owner:", "On call", "负责人"], "verification": ["smoke test"]}
	}`))
	require.NoError(t, err)
	for answer, want := range map[string][]string{
		"Because of rain. Owner: Ann.":    nil,
		"Because of rain. She is ON CALL": nil,
		"由于下雨，负责人是安。":                     nil,
		"Because of rain. Colon calls.":   {"owner"},
		"The landowner: nobody, because":  {"owner"},
	} {
		_, missing, ok := c.Completeness("", "INCIDENT", answer)
		assert.True(t, ok)
		assert.Equal(t, want, missing, answer)
	}
	score, _, _ := c.Completeness("Why does it rain?", "why", "Because.")
	assert.Equal(t, 1.0, score, "a built-in list is replaced")
	_, missing, _ := c.Completeness("How?", "how_to", "Run it. Verify that it runs.")
	assert.Equal(t, []string{"verification"}, missing, "a built-in part is replaced")
	assert.Equal(t, []string{"subject", "items"}, c.Parts("list"), "the others stay")
	assert.NotEqual(t, c.Parts("why"), DefaultChecklists().Parts("why"))
	assert.Nil(t, c.Parts("nothing"))
	_, _, ok := Checklists{}.Completeness("Why?", "why", "Because.")
	assert.False(t, ok, "the zero value knows no category")
}

func TestLoadChecklistsNamesAllFaults(t *testing.T) {
	_, err := LoadChecklists(strings.NewReader(`{"checklists": {"a": ["no_part", "steps"], "b": []}, "parts": {"p": [], "q": [" "]}}`))
	require.ErrorIs(t, err, ErrChecklists)
	for _, want := range []string{`category "a" names part "no_part"`, `category "b" needs parts`, `part "p" needs words`, `part "q" needs words`} {
		assert.ErrorContains(t, err, want)
	}
	_, err = LoadChecklists(strings.NewReader("{\n\"checklist\": {}}"))
	assert.ErrorContains(t, err, "line 2:")
	_, err = LoadChecklists(strings.NewReader("{\n\n]"))
	assert.ErrorContains(t, err, "line 3:")
	broken := errors.New("disk on fire")
	_, err = LoadChecklists(iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken)
}

func TestEveryBuiltInListNamesPartsThatExistAndEveryPartIsUsed(t *testing.T) {
	c := DefaultChecklists()
	used := map[string]bool{}
	assert.Len(t, c.parts, 13)
	for category, parts := range c.parts {
		for _, part := range parts {
			assert.True(t, c.knows(part), "%s: %s", category, part)
			used[part] = true
		}
	}
	for part := range compParts {
		assert.True(t, used[part], part)
	}
}

func TestCompletenessIsAShareForAnything(t *testing.T) {
	categories := rapid.SampledFrom([]string{"", "code", "how_to", "comparison", "list", "yes_no", "definition", "config"})
	words := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"What is the difference between", "a and b", "1. x\n2. y", "```", "因为", "| a |\n|---|\n"}))
	rapid.Check(t, func(t *rapid.T) {
		answer := strings.Join(rapid.SliceOf(words).Draw(t, "answer"), " ")
		score, missing, ok := Completeness(words.Draw(t, "question"), categories.Draw(t, "category"), answer)
		assert.True(t, score >= 0 && score <= 1)
		assert.True(t, ok || score == 0 && missing == nil)
		assert.Equal(t, ok && len(missing) == 0, score == 1)
	})
}

func BenchmarkCompleteness(b *testing.B) {
	answer := strings.Repeat("The server rotates its logs because the disk is small. Run `logrotate -f` in /etc first. ", 20)
	for b.Loop() {
		Completeness("Why does the server rotate the logs?", "troubleshooting", answer)
	}
}
