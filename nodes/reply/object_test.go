package reply_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/nodes/reply"
)

var objectKeys = []string{"kind", "text", "weight"}

// Every reply says {"kind": "search", "text": "install on Linux", "weight": 0.75}.
func TestAnObjectIsReadFrom(t *testing.T) {
	for name, raw := range map[string]string{
		"a plain object":                          `{"kind": "search", "text": "install on Linux", "weight": 0.75}`,
		"a fence":                                 "```json\n{\"kind\": \"search\", \"text\": \"install on Linux\", \"weight\": 0.75}\n```",
		"a fence without an end":                  "```\n{\"kind\": \"search\", \"text\": \"install on Linux\", \"weight\": 0.75}",
		"prose around":                            `Sure! {"kind": "search", "text": "install on Linux", "weight": 0.75} Does {that} help [you]?`,
		"a thinking block in front":               `<thinking>{"kind": "chat", "text": "", "weight": 1}</thinking>{"kind": "search", "text": "install on Linux", "weight": 0.75}`,
		"single quotes":                           `{'kind': 'search', 'text': 'install on Linux', 'weight': 0.75}`,
		"curly quotes":                            `{“kind”: “search”, “text”: “install on Linux”, “weight”: 0.75}`,
		"keys without quotes":                     `{kind: "search", text: "install on Linux", weight: .75}`,
		"a word without quotes":                   `{"kind": search, "text": "install on Linux", "weight": 0.75}`,
		"full-width punctuation":                  `｛＂kind＂：＂search＂，＂text＂：＂install on Linux＂，＂weight＂：０．７５｝`,
		"comments and a comma at the end":         "{\"kind\": \"search\", // not chat\n \"text\": \"install on Linux\", /* in full */ \"weight\": 0.75,\n}",
		"a missing comma between lines":           "{\n\"kind\": \"search\"\n\"text\": \"install on Linux\",\n\"weight\": 0.75\n}",
		"keys in other case and with underscores": `{"Kind": "search", "TEXT": "install on Linux", "_weight": 0.75}`,
		"the last of two equal keys":              `{"kind": "chat", "text": "install on Linux", "weight": 0.75, "kind": "search"}`,
		"a JSON string":                           `"{\"kind\": \"search\", \"text\": \"install on Linux\", \"weight\": 0.75}"`,
		"a text with all quotes escaped":          `{\"kind\": \"search\", \"text\": \"install on Linux\", \"weight\": 0.75}`,
		"a list of one":                           `[{"kind": "search", "text": "install on Linux", "weight": 0.75}]`,
		"a tool call":                             `{"name": "route", "parameters": {"kind": "search", "text": "install on Linux", "weight": 0.75}}`,
		"a tool call whose last brace is missing": `{"name": "route", "arguments": {"kind": "search", "text": "install on Linux", "weight": 0.75}`,
		"a tool call with a string":               `{"function": {"name": "route", "arguments": "{\"kind\": \"search\", \"text\": \"install on Linux\", \"weight\": 0.75}"}}`,
		"the same object twice":                   `{"kind": "search", "text": "install on Linux", "weight": 0.75} {"weight": 0.750, "kind": "search", "text": "install on Linux"}`,
		"an example and the answer":               `For example {"kind": "chat", "text": "hello", "weight": 1}. Here: {"kind": "search", "text": "install on Linux", "weight": 0.75}`,
		"a corrected answer":                      `{"kind": "chat", "text": "hello", "weight": 1} Corrected: {"kind": "search", "text": "install on Linux", "weight": 0.75}`,
		"objects of another form besides":         `{"thought": "easy"} {"kind": "search", "text": "install on Linux", "weight": 0.75}`,
		"much prose":                              strings.Repeat("Let me think [carefully] about {this}. ", 3000) + `{"kind": "search", "text": "install on Linux", "weight": 0.75}`,
		"a final channel":                         `<|channel|>analysis<|message|>{"kind": "chat", "text": "", "weight": 0}<|end|><|start|>assistant<|channel|>final<|message|>{"kind": "search", "text": "install on Linux", "weight": 0.75}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := reply.Object(raw, objectKeys...)
			require.NoError(t, err)
			assert.Equal(t, map[string]any{"kind": "search", "text": "install on Linux", "weight": 0.75}, got)
		})
	}
}

func TestATextInAnObjectKeeps(t *testing.T) {
	for name, c := range map[string]struct{ raw, want string }{
		"escapes":                       {`{"text": "a \"b\" \\ \/ \t\u00e9 \ud83d\ude00"}`, "a \"b\" \\ / \té 😀"},
		"half an emoji as unreadable":   {`{"text": "a \ud83d b"}`, "a \uFFFD b"},
		"escapes that JSON has not":     {`{"text": "grep \d+\.go"}`, `grep \d+\.go`},
		"braces and brackets":           {`{"text": "} {{x}} ] [ {"}`, "} {{x}} ] [ {"},
		"line breaks":                   {"{\"text\": \"one\ntwo\"}", "one\ntwo"},
		"quotes that were not escaped":  {`{"text": "what is "kb" for"}`, `what is "kb" for`},
		"an apostrophe":                 {`{'text': 'what's new'}`, "what's new"},
		"an inch sign":                  {`{"text": "a 5" screen"}`, `a 5" screen`},
		"comment signs":                 {`{"text": "see http://x.org/#a /* b */"}`, "see http://x.org/#a /* b */"},
		"full-width characters":         {`{"text": "Ａ，Ｂ：１"}`, "Ａ，Ｂ：１"},
		"angle brackets and ampersands": {`{"text": "<a> & <b>"}`, "<a> & <b>"},
		"digits":                        {`{"text": "007"}`, "007"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := reply.Object(c.raw, "text")
			require.NoError(t, err)
			assert.Equal(t, map[string]any{"text": c.want}, got)
		})
	}
}

func TestAnObjectKeepsWhatWasNotAskedFor(t *testing.T) {
	got, err := reply.Object(`{"text": "x", "n": 7, "on": True, "off": false, "none": None, "list": [1, "a", {"b": 2e0}]}`, "text")
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"text": "x", "n": 7.0, "on": true, "off": false, "none": nil,
		"list": []any{1.0, "a", map[string]any{"b": 2.0}}}, got)
}

func TestAnObjectIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ raw, reason string }{
		"when the reply is empty":                  {"", "the reply is empty"},
		"when there is prose only":                 {"Kind: search. Text: install. Weight: 0.75.", "holds no JSON object"},
		"when there is a list of numbers":          {"[1, 2]", "holds no JSON object"},
		"when a key is missing":                    {`{"kind": "search", "weight": 0.75}`, "the JSON object has no text"},
		"when it is an error":                      {`{"error": {"message": "overloaded"}}`, "has no kind, text, weight"},
		"when thinking never ends":                 {`<think>{"kind": "search", "text": "x", "weight": 1}`, "before the thinking did"},
		"when a string was cut":                    {`{"kind": "search", "text": "install, run and de`, "before its JSON was complete"},
		"when a number may have been cut":          {`{"kind": "search", "text": "x", "weight": 0.7`, "before its JSON was complete"},
		"when a key was cut":                       {`{"kind": "search", "text": "x", "wei`, "before its JSON was complete"},
		"when an escape was cut":                   {`{"kind": "search", "text": "x\u00`, "before its JSON was complete"},
		"when two differ":                          {`{"kind": "chat", "text": "x", "weight": 1} {"kind": "search", "text": "x", "weight": 1}`, "several different answers"},
		"when a list holds two":                    {`[{"kind": "chat", "text": "x", "weight": 1}, {"kind": "search", "text": "x", "weight": 1}]`, "several different answers"},
		"when the form was repeated":               {`{"kind": "<search|chat>", "text": "<text>", "weight": 0.5}`, "placeholder"},
		"when the form was repeated bare":          {`{"kind": "search", "text": "x", "weight": <0-1>}`, "placeholder"},
		"when dots stand for values":               {`{"kind": "...", "text": "...", "weight": 1}`, "placeholder"},
		"when the types were repeated":             {`{"kind": "string", "text": "string", "weight": "number"}`, "repeats the schema"},
		"when the schema was repeated":             {`{"kind": {"type": "string"}, "text": {"type": "string"}, "weight": {"type": "number"}}`, "repeats the schema"},
		"when the schema was repeated as a whole":  {`{"type": "object", "properties": {"kind": {"type": "string"}, "text": {"type": "string"}, "weight": {"type": "number"}}}`, "has no kind"},
		"when a number is none":                    {`{"kind": "search", "text": "x", "weight": NaN}`, "no JSON value"},
		"when a number is too large":               {`{"kind": "search", "text": "x", "weight": 1e999}`, "too large"},
		"when quotes leave the meaning open":       {`{"kind": "search", "text": "say "a", "b" loud", "weight": 1}`, "holds no JSON object"},
		"when it is an example":                    {`Give me a question, for example: {"kind": "chat", "text": "x", "weight": 1}`, "an example only"},
		"when it is nested deeper than any answer": {strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000), "JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := reply.Object(c.raw, objectKeys...)
			var parse *reply.ParseError
			require.ErrorAs(t, err, &parse, "got %v", got)
			assert.Contains(t, parse.Reason, c.reason)
			assert.Nil(t, got)
		})
	}
}

func TestAnErrorShowsTheStartOfTheReply(t *testing.T) {
	_, err := reply.Object("<think>日</think>"+strings.Repeat("本\xff", 300), "a")
	var parse *reply.ParseError
	require.ErrorAs(t, err, &parse)
	assert.True(t, strings.HasPrefix(parse.Excerpt, "<think>日</think>本\uFFFD"))
	assert.Len(t, []rune(parse.Excerpt), 200)
	assert.Equal(t, parse.Reason, parse.Error())
}
