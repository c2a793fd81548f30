package reply

import (
	"regexp"
	"strings"
)

// controlToken finds what servers of models take for the parts of a chat: control tokens such as <|im_start|>, [INST] or
// <end_of_turn>. Some of them read such tokens also in the text of a message.
var controlToken = regexp.MustCompile(`<[|｜][^|｜<>\n]{1,40}[|｜]>|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<</?SYS>>|</?(?:s|bos|eos|start_of_turn|end_of_turn|tool_call|tool_response)>`)

// Defuse is a text for a prompt in which nothing is a tag of thinking or a control token any more: behind the bracket of
// each stands a space. A document that holds such a tag could otherwise end the message that it is quoted in, and an
// answer that quotes it would lose what stands in front: [StripThinking] takes a lone closing tag for the end of thinking.
// What is mentioned in quotes or backticks stays, unless it is a control token. It is idempotent.
func Defuse(text string) string {
	if !strings.ContainsAny(text, "<[◁") {
		return text
	}
	text = controlToken.ReplaceAllStringFunc(text, defused)
	var out strings.Builder
	last := 0
	for _, m := range thinkTag.FindAllStringIndex(text, -1) {
		if !mentioned(text, m[0], m[1]) {
			out.WriteString(text[last:m[0]] + defused(text[m[0]:m[1]]))
			last = m[1]
		}
	}
	return out.String() + text[last:]
}

// defused is a tag with a space behind its bracket.
func defused(tag string) string {
	bracket := len(tag) - len(strings.TrimLeft(tag, "<[◁"))
	return tag[:bracket] + " " + tag[bracket:]
}
