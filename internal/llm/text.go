package llm

import (
	"encoding/json"
	"strings"
	"unicode"
)

// serverMessage takes the message out of an error answer: the error object of the protocol, or the
// start of whatever it is, on one line.
func serverMessage(body string) string {
	var answer struct {
		Error *wireError `json:"error"`
	}
	if json.Unmarshal([]byte(body), &answer) == nil && answer.Error != nil {
		body = answer.Error.Message
	}
	return clip(oneLine(body), 300)
}

// oneLine replaces every run of white space and control characters by one space.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// clip keeps at most limit bytes, whole characters, and marks the cut.
func clip(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	end := 0
	for i := range s {
		if i > limit-len("…") {
			break
		}
		end = i
	}
	return s[:end] + "…"
}
