package reply

import (
	"regexp"
	"strings"
)

// thinkTag finds the tags that models put around their thinking. The first group is the slash of a closing tag.
var thinkTag = regexp.MustCompile(`(?i:[<◁](/?)(?:(?:seed:)?think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad)(?:\s[^<>]{0,100})?[>▷])|\[(/?)THINK\]`)

// finalChannel is where the answer starts in the format of models that reply on several channels.
const (
	anyChannel   = "<|channel|>"
	finalChannel = "<|channel|>final<|message|>"
	// maxChannelStart is how far behind the begin of a reply the first channel may be named; later it is quoted.
	maxChannelStart = 40
)

// StripThinking is the reply without its thinking blocks: <think>, <thinking>, <thought>, <reasoning>, <reflection>,
// <analysis>, <scratchpad> and [THINK], in any case. A closing tag without an opening one ends a block that began with the reply. A
// block that never ends takes the rest of the reply with it, so that a reply that was cut while the model was thinking
// leaves nothing. A tag in quotes or backticks is a mention and stays. White space around the answer is left as it is.
func StripThinking(raw string) string {
	if i := strings.Index(raw, anyChannel); i >= 0 && i < maxChannelStart {
		_, raw, _ = cutLast(raw, finalChannel)
	}
	var kept strings.Builder
	rest, open := 0, false
	for _, m := range thinkTag.FindAllStringSubmatchIndex(raw, -1) {
		start, end := m[0], m[1]
		if mentioned(raw, start, end) {
			continue
		}
		closing := m[3] > m[2] || m[5] > m[4]
		switch {
		case open && closing:
			open, rest = false, end
		case closing:
			kept.Reset()
			rest = end
		case !open:
			kept.WriteString(raw[rest:start])
			open = true
		}
	}
	if !open {
		kept.WriteString(raw[rest:])
	}
	return kept.String()
}

// mentioned says whether the tag stands in quotes or backticks.
func mentioned(s string, start, end int) bool {
	return start > 0 && strings.IndexByte("`\"'", s[start-1]) >= 0 && end < len(s) && s[end] == s[start-1]
}

// cutLast is strings.Cut at the last separator. Without one, after is empty.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// content is the reply without thinking, or a fault when nothing is left.
func content(raw string) (string, error) {
	if strings.TrimSpace(raw) == "" {
		return "", faultEmpty
	}
	body := StripThinking(raw)
	if strings.TrimSpace(body) == "" {
		return "", faultThinking
	}
	return body, nil
}
