package metrics

import (
	"encoding/json"
	"math"
	"reflect"

	"github.com/kbagent/kbagent/state"
)

// details are the details of a line: Go values when it comes from a node, JSON values when it was read from a log.
type details map[string]any

// text is a string; "" for anything else.
func (d details) text(key string) string {
	switch v := d[key].(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		if r := reflect.ValueOf(v); r.Kind() == reflect.String { // a named string type, like state.Action
			return r.String()
		}
		return ""
	}
}

// number is a finite number; ok is false for anything else.
func (d details) number(key string) (float64, bool) { return number(d[key]) }

// count is a number, or 0.
func (d details) count(key string) float64 {
	if n, ok := number(d[key]); ok {
		return max(n, 0)
	}
	return 0
}

func number(v any) (float64, bool) {
	var n float64
	switch v := v.(type) {
	case float64:
		n = v
	case int:
		n = float64(v)
	case int64:
		n = float64(v)
	default:
		return 0, false
	}
	return n, !math.IsNaN(n) && !math.IsInf(n, 0)
}

func (d details) flag(key string) bool {
	v, _ := d[key].(bool)
	return v
}

// numbers calls yield for each finite number of a list.
func (d details) numbers(key string, yield func(float64)) {
	switch v := d[key].(type) {
	case []float64:
		for _, n := range v {
			if n, ok := number(n); ok {
				yield(n)
			}
		}
	case []any:
		for _, n := range v {
			if n, ok := number(n); ok {
				yield(n)
			}
		}
	}
}

// some says whether a list holds anything.
func (d details) some(key string) bool {
	switch v := d[key].(type) {
	case nil:
		return false
	case []any:
		return len(v) > 0
	default:
		r := reflect.ValueOf(v)
		return r.Kind() == reflect.Slice && r.Len() > 0
	}
}

// usage is what a run cost, as the line run_end has it.
func (d details) usage() state.Usage {
	u, _ := decoded[state.Usage](d["usage"])
	return u
}

// passThreshold is the confidence from which answers pass, of the settings in a line run_start.
func (d details) passThreshold() (float64, bool) {
	s, ok := decoded[state.Settings](d["settings"])
	return s.ConfidencePass, ok && s.ConfidencePass > 0
}

// decoded is v as a T: itself, or what its JSON says. ok is false when it is neither.
func decoded[T any](v any) (value T, ok bool) {
	if value, ok = v.(T); ok || v == nil {
		return value, ok
	}
	text, err := json.Marshal(v)
	if err != nil {
		return value, false
	}
	var read T
	if json.Unmarshal(text, &read) != nil {
		return value, false
	}
	return read, true
}
