package reply

import (
	"encoding/json"
	"strings"
)

// Call is a tool call that a model spelled out in its text.
type Call struct {
	// Name is the name of the tool; never empty. Whether there is such a tool is not known here.
	Name string
	// Args is a JSON object; {} when the model gave none.
	Args json.RawMessage
}

// Calls reads the tool calls of a reply: a JSON array of objects, a single object, or several one after another, with
// the tool under name, tool, tool_name, function or action and its arguments under args, arguments, parameters, params,
// input or action_input, as an object or as a string that holds one. Prose around them is left out.
//
// A reply without calls, with a call that cannot be read, with several lists that differ, or whose end is missing gives
// a [*ParseError].
func Calls(raw string) ([]Call, error) {
	body, err := content(raw)
	if err != nil {
		return nil, parseError(err, raw)
	}
	calls, err := callsIn(body)
	for range maxEncodings {
		inner, ok := decoded(body)
		if err == nil || !ok {
			break
		}
		body = inner
		if again, inside := callsIn(body); inside == nil {
			calls, err = again, nil
		}
	}
	if err != nil {
		return nil, parseError(err, raw)
	}
	return calls, nil
}

const faultNoCalls fault = "the reply holds no JSON array of tool calls"

func callsIn(s string) ([]Call, error) {
	groups, err := scan(s)
	if err != nil {
		return nil, err
	}
	var lists []found[[]Call]
	var single []Call
	for i, g := range groups {
		if g.key != "" && !wrapperKeys[plain(g.key)] || !likeCalls(g.val) {
			continue
		}
		calls, err := callsOf(g.val, 0)
		if err != nil {
			return nil, err
		}
		if g.val.kind == kindObject {
			single = append(single, calls...)
		}
		lists = append(lists, locate(s, groups, i, calls, callsKey(calls)))
	}
	switch {
	case len(lists) == 0:
		return nil, faultNoCalls
	case len(single) > 0 && allObjects(groups):
		return single, nil
	}
	return choose(lists)
}

// likeCalls tells calls from other brackets in prose.
func likeCalls(v value) bool {
	if v.kind == kindList {
		return len(v.list) > 0 && all(v.list, func(e value) bool { return e.kind == kindObject })
	}
	return true
}

func allObjects(groups []group) bool {
	for _, g := range groups {
		if g.val.kind != kindObject && likeCalls(g.val) {
			return false
		}
	}
	return true
}

// The keys of a call, best first.
var (
	callKeys = []string{"name", "tool", "tool_name", "function", "action"}
	argsKeys = []string{"args", "arguments", "parameters", "params", "input", "action_input"}
	listKeys = []string{"tool_calls", "calls", "tools", "actions", "function_call", "tool_call"}
)

// callsOf reads a list of calls, a wrapper around one, or one call.
func callsOf(v value, wrappers int) ([]Call, error) {
	if wrappers > maxWrappers {
		return nil, faultNoCalls
	}
	if v.kind == kindList {
		var out []Call
		for _, e := range v.list {
			calls, err := callsOf(e, wrappers+1)
			if err != nil {
				return nil, err
			}
			out = append(out, calls...)
		}
		if len(out) == 0 {
			return nil, fault("the list of tool calls is empty")
		}
		return out, nil
	}
	if v.kind != kindObject {
		return nil, faultf("%s is no tool call", brief(v.text))
	}
	for _, key := range callKeys {
		switch f, ok := v.last(key); {
		case ok && f.kind == kindString && trim(f.text) != "":
			args, err := argsOf(v, f.text)
			return []Call{{Name: trim(f.text), Args: args}}, err
		case ok && f.kind == kindObject: // {"type": "function", "function": {…}}
			return callsOf(f, wrappers+1)
		}
	}
	for _, key := range listKeys {
		if f, ok := v.last(key); ok {
			return callsOf(f, wrappers+1)
		}
	}
	return nil, fault("a tool call has no name")
}

// argsOf reads the arguments of a call as a JSON object.
func argsOf(call value, name string) (json.RawMessage, error) {
	args := value{kind: kindObject}
	for _, key := range argsKeys {
		if f, ok := call.last(key); ok {
			args = f
			break
		}
	}
	if args.kind == kindString {
		text := strings.TrimSpace(args.text)
		inner, ok := whole(text)
		switch {
		case text == "":
			args = value{kind: kindObject}
		case ok:
			args = inner
		}
	}
	switch args.kind {
	case kindNull:
		args = value{kind: kindObject}
	case kindObject:
	default:
		return nil, faultf("the arguments of %s are no JSON object", brief(name))
	}
	tree, err := args.any()
	if err != nil {
		return nil, err
	}
	return encode(tree)
}

func callsKey(calls []Call) string {
	var b strings.Builder
	for _, c := range calls {
		b.WriteString(c.Name + " " + string(c.Args) + "\n")
	}
	return b.String()
}
