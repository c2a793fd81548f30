package nodes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/state"
)

func route(t *testing.T, question string, earlier ...string) RouteDecision {
	t.Helper()
	topic := ""
	for _, q := range earlier {
		if d := route(t, q); d.Topic != "" { // as AnalyzeAndRoute keeps it
			topic = d.Topic
		}
	}
	d, err := heuristicRouter{}.Route(t.Context(), RouteRequest{Question: question, Topic: topic})
	require.NoError(t, err)
	return d
}

func TestSmallTalkIsRecognisedAndQuestionsAreNot(t *testing.T) {
	for _, s := range []string{"hi", "Hello!", "hello there", "Thanks a lot!", "thank you very much", "good morning", "bye", "who are you?", "你好！", "谢谢啊", "?!", "..."} {
		assert.Equal(t, state.RouteChitchat, route(t, s).Route, s)
	}
	for _, s := range []string{"hi, how do I rotate logs?", "What does hello.go print?", "Who are you going to call in ghostbusters.md?", "thanks to which change is it faster?", "日志怎么轮转", "goodbye message configuration"} {
		assert.Equal(t, state.RouteSearch, route(t, s).Route, s)
	}
}

func TestCategories(t *testing.T) {
	for question, want := range map[string]string{
		"Why does Go not have exceptions?":                    "why",
		"Why are maps unordered?":                             "why",
		"How do I add a tool?":                                "how_to",
		"What is a superstep?":                                "definition",
		"What is the difference between a rule and a grader?": "comparison",
		"Which files are skipped?":                            "list",
		"Is the index safe to read?":                          "yes_no",
		"The build fails with an error":                       "troubleshooting",
		"如何轮转日志？":                                             "how_to",
		"tell me about supersteps":                            "other",
	} {
		assert.Equal(t, want, route(t, question).Category, question)
	}
}

func TestAFollowUpTakesThePreviousQuestionAlong(t *testing.T) {
	first := "How do I rotate the logs of the server?"
	for _, q := range []string{"and on Windows?", "What about macOS?", "How long are they kept on the disk of the machine?", "why?", "Is it safe?", "那么在 Windows 上呢？"} {
		assert.Equal(t, first+"\n"+q, route(t, q, first).Query, q)
	}
	t.Run("one that stands alone does not", func(t *testing.T) {
		q := "Which license covers the software sources?"
		assert.Equal(t, q, route(t, q, first).Query)
	})
	t.Run("a second follow-up follows the same question", func(t *testing.T) {
		d, err := heuristicRouter{}.Route(t.Context(), RouteRequest{Question: "and on Windows?", Topic: first})
		require.NoError(t, err)
		d, err = heuristicRouter{}.Route(t.Context(), RouteRequest{Question: "and on macOS?", Topic: d.Topic})
		require.NoError(t, err)
		assert.Equal(t, first+"\nand on macOS?", d.Query)
	})
	t.Run("thanks in between change nothing", func(t *testing.T) {
		assert.Equal(t, first+"\nand on Windows?", route(t, "and on Windows?", first, "thanks!").Query)
	})
	t.Run("a department is no pronoun", func(t *testing.T) {
		q := "Which department runs the IT help desk?"
		assert.Equal(t, q, route(t, q, first).Query)
	})
	t.Run("small talk is nothing to follow", func(t *testing.T) {
		assert.Equal(t, "and on Windows?", route(t, "and on Windows?", "hello").Query)
	})
	t.Run("only the last question is taken", func(t *testing.T) {
		assert.Equal(t, "What are supersteps in graphs?\nand why?", route(t, "and why?", first, "What are supersteps in graphs?").Query)
	})
}

func TestAQuestionThatAsksForSeveralThingsFallsApart(t *testing.T) {
	for question, want := range map[string][]string{
		"How do I add a tool and where are tools registered?": {"How do I add a tool", "where are tools registered"},
		"What is a rule? What is a grader?":                   {"What is a rule", "What is a grader"},
		"日志如何轮转？备份在哪里？":                                       {"日志如何轮转", "备份在哪里"},
		"How do I read and write files?":                      nil,
		"How do I add a tool?":                                nil,
		"rotate; compress; delete the logs":                   {"rotate", "compress", "delete the logs"},
	} {
		assert.Equal(t, want, parts(question), question)
	}
}

func TestAnExcerptIsCutAtASentenceEndAndSaysSo(t *testing.T) {
	text := strings.Repeat("This is a sentence. ", 20)
	got := excerpt(text, 100)
	assert.True(t, strings.HasPrefix(got, "This is a sentence. This is a sentence."))
	assert.Contains(t, got, "[cut here: 99 of 400 characters are shown]")
	assert.Equal(t, text, excerpt(text, 400))
	assert.Contains(t, excerpt(strings.Repeat("长", 300), 100), "[cut here: 100 of 300 characters are shown]", "text without a sentence end is cut where it must")
}
