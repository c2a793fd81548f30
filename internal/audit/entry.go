package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/kbagent/kbagent/internal/mask"
)

// Entry is one decision of a run.
type Entry struct {
	Time   time.Time
	Thread string
	Run    string
	Step   int // the superstep of the run
	Action string
	// Details are whatever explains the decision, in a form that encoding/json takes: no NaN, no channels; an error has
	// to be given as its text. Nil is written as {}.
	Details map[string]any
}

// line is the form of an entry in the log.
type line struct {
	Time    time.Time       `json:"time"`
	Thread  string          `json:"thread"`
	Run     string          `json:"run"`
	Step    int             `json:"step"`
	Action  string          `json:"action"`
	Details json.RawMessage `json:"details"`
}

// Option changes how a log writes.
type Option func(*hider)

// WithSecrets names keys that must never appear in the log: they are replaced by asterisks. See [mask.Secrets] for very
// short ones.
func WithSecrets(secrets ...string) Option {
	return func(h *hider) { h.secrets = append(h.secrets, secrets...) }
}

// hider knows what has to be hidden.
type hider struct{ secrets []string }

func newHider(opts []Option) hider {
	var h hider
	for _, opt := range opts {
		opt(&h)
	}
	h.secrets = slices.Clip(h.secrets)
	return h
}

func (h hider) hide(s string) string { return mask.Cards(mask.Secrets(s, h.secrets...)) }

// encode writes an entry as one line of JSON, with its newline. Strings are masked, member names included.
func (h hider) encode(e Entry) ([]byte, error) {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	details, err := marshal(e.Details)
	if err == nil {
		details, err = h.hideStrings(details)
	}
	var text []byte
	if err == nil {
		text, err = marshal(line{e.Time, h.hide(e.Thread), h.hide(e.Run), e.Step, e.Action, details})
	}
	if err != nil {
		return nil, fmt.Errorf("the audit line %q cannot be encoded: %w", e.Action, err)
	}
	return append(text, '\n'), nil
}

// marshal is json.Marshal without escaping <, > and &, for people who read the log.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// hideStrings masks every string of a JSON text. Everything else, the order of members included, stays.
func (h hider) hideStrings(text []byte) ([]byte, error) {
	var out bytes.Buffer
	for {
		start := bytes.IndexByte(text, '"')
		if start < 0 {
			out.Write(text)
			return out.Bytes(), nil
		}
		end := start + stringLength(text[start:])
		var s string
		if err := json.Unmarshal(text[start:end], &s); err != nil {
			return nil, err
		}
		masked, err := marshal(h.hide(s))
		if err != nil {
			return nil, err
		}
		out.Write(text[:start])
		out.Write(masked)
		text = text[end:]
	}
}

// stringLength is the length of the JSON string at the start of text, quotes included.
func stringLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
