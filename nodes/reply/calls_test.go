package reply_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/nodes/reply"
)

// Every reply calls grep with {"pattern": "<a> & \d+"} and then list_files without arguments.
func TestCallsAreReadFrom(t *testing.T) {
	for name, raw := range map[string]string{
		"a list":                       `[{"name": "grep", "args": {"pattern": "<a> & \\d+"}}, {"name": "list_files", "args": {}}]`,
		"a list in a fence with prose": "I will search.\n```json\n[{\"name\": \"grep\", \"arguments\": {\"pattern\": \"<a> & \\\\d+\"}}, {\"name\": \"list_files\"}]\n```\nThen I read on.",
		"arguments in a string":        `[{"name": "grep", "arguments": "{\"pattern\": \"<a> & \\\\d+\"}"}, {"name": "list_files", "arguments": ""}]`,
		"a wrapper":                    `{"tool_calls": [{"tool": "grep", "parameters": {"pattern": "<a> & \\d+"}}, {"tool": "list_files", "parameters": null}]}`,
		"a provider's own form":        `{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "grep", "arguments": "{\"pattern\": \"<a> & \\\\d+\"}"}}, {"function": {"name": "list_files", "arguments": "{}"}}]}`,
		"a line each":                  "{\"name\": \"grep\", \"input\": {\"pattern\": \"<a> & \\\\d+\"}}\n{\"name\": \"list_files\"}",
		"a tag each":                   "<tool_call>\n{\"name\": \"grep\", \"arguments\": {\"pattern\": \"<a> & \\\\d+\"}}\n</tool_call>\n<tool_call>{\"action\": \"list_files\", \"action_input\": {}}</tool_call>",
		"an escape that JSON has not":  `[{"name": "grep", "args": {"pattern": "<a> & \d+"}}, {"name": "list_files"}]`,
		"single quotes":                `[{'name': 'grep', 'args': {'pattern': '<a> & \\d+'}}, {'name': 'list_files', 'args': None}]`,
		"a JSON string":                `"[{\"name\": \"grep\", \"args\": {\"pattern\": \"<a> & \\\\d+\"}}, {\"name\": \"list_files\"}]"`,
		"the same list twice":          `[{"name": "grep", "args": {"pattern": "<a> & \\d+"}}, {"name": "list_files"}] [{"name": "grep", "args": {"pattern": "<a> & \\d+"}}, {"name": "list_files"}]`,
		"a list beside a citation":     `As [1] says: [{"name": "grep", "args": {"pattern": "<a> & \\d+"}}, {"name": "list_files"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := reply.Calls(raw)
			require.NoError(t, err)
			require.Len(t, got, 2)
			assert.Equal(t, reply.Call{Name: "grep", Args: json.RawMessage(`{"pattern":"<a> & \\d+"}`)}, got[0])
			assert.Equal(t, reply.Call{Name: "list_files", Args: json.RawMessage(`{}`)}, got[1])
		})
	}
}

func TestACallKeepsLargeNumbers(t *testing.T) {
	got, err := reply.Calls(`{"name": "read_file", "args": {"path": "a.md", "start_line": 9007199254740993}}`)
	require.NoError(t, err)
	assert.Equal(t, `{"path":"a.md","start_line":9007199254740993}`, string(got[0].Args))
}

func TestCallsAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ raw, reason string }{
		"when the reply is empty":             {"", "the reply is empty"},
		"when there is prose only":            {"I would search for the word.", "no JSON array of tool calls"},
		"when there are citations only":       {"See [1] and [2].", "no JSON array of tool calls"},
		"when the list is empty":              {"[]", "no JSON array of tool calls"},
		"when a wrapper is empty":             {`{"tool_calls": []}`, "the list of tool calls is empty"},
		"when a call has no name":             {`[{"args": {}}]`, "has no name"},
		"when a name is empty":                {`[{"name": " ", "args": {}}]`, "has no name"},
		"when arguments are a list":           {`[{"name": "grep", "args": ["x"]}]`, `the arguments of "grep" are no JSON object`},
		"when arguments are a text":           {`[{"name": "grep", "args": "x"}]`, `the arguments of "grep" are no JSON object`},
		"when arguments are no JSON":          {`[{"name": "grep", "args": {"n": NaN}}]`, "no JSON value"},
		"when a call is a word":               {`{"calls": ["grep"]}`, "is no tool call"},
		"when the list was cut":               {`[{"name": "grep", "args": {"pattern": "x"}}, {"name": "li`, "before its JSON was complete"},
		"when the list was cut between calls": {`[{"name": "grep", "args": {"pattern": "x"}}`, "before its JSON was complete"},
		"when the last of several was cut":    {"{\"name\": \"grep\"}\n{\"name\": \"list", "before its JSON was complete"},
		"when two lists differ":               {`[{"name": "grep"}] or [{"name": "list_files"}]`, "several different answers"},
		"when thinking never ends":            {`<think>[{"name": "grep"}]`, "before the thinking did"},
		"when wrappers are without end":       {`{"calls": {"calls": {"calls": {"calls": {"calls": {"calls": {"calls": {"name": "x"}}}}}}}}`, "no JSON array of tool calls"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := reply.Calls(c.raw)
			var parse *reply.ParseError
			require.ErrorAs(t, err, &parse, "got %v", got)
			assert.Contains(t, parse.Reason, c.reason)
			assert.Nil(t, got)
		})
	}
}
