package reply

import (
	"fmt"
	"strings"
)

// ParseError reports a reply that could not be read.
type ParseError struct {
	// Reason says in one sentence, without a full stop, what is wrong with the reply, in words that help the model to
	// do better, e.g. "3 scores are needed, not 2".
	Reason string
	// Excerpt is the start of the raw reply, thinking included: at most 200 runes.
	Excerpt string
}

// Error is the reason. The excerpt is left out, because the text may go back to the model.
func (e *ParseError) Error() string { return e.Reason }

const excerptRunes = 200

// fault is a reason on its way to becoming a ParseError.
type fault string

func (f fault) Error() string { return string(f) }

func faultf(format string, args ...any) fault { return fault(fmt.Sprintf(format, args...)) }

const (
	faultEmpty     fault = "the reply is empty"
	faultThinking  fault = "the reply ended before the thinking did, so that it holds no answer"
	faultCut       fault = "the reply ended before its JSON was complete"
	faultTangled   fault = "the reply holds too many brackets that never close"
	faultAmbiguous fault = "the reply holds several different answers and does not say which one counts"
	faultExample   fault = "the reply holds an example only, and no answer"
)

// parseError makes the exported error of a fault.
func parseError(err error, raw string) *ParseError {
	return &ParseError{Reason: err.Error(), Excerpt: clip(raw, excerptRunes)}
}

// clip is the start of s: at most n runes, valid UTF-8.
func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			s = s[:i]
			break
		}
		n--
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// brief shows a part of a reply within a reason.
func brief(s string) string {
	if short := clip(s, 40); short != s {
		return fmt.Sprintf("%q…", short)
	}
	return fmt.Sprintf("%q", s)
}
