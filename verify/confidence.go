package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/state"
)

// Weights say how much each dimension of a confidence counts. They are not negative and sum to 1.
type Weights struct {
	Relevance      float64 `json:"relevance"`      // default 0.25
	Consistency    float64 `json:"consistency"`    // default 0.20
	Grounding      float64 `json:"grounding"`      // default 0.25
	Completeness   float64 `json:"completeness"`   // default 0.15
	Classification float64 `json:"classification"` // default 0.15
}

// ErrWeights is the error of weights that cannot be used.
var ErrWeights = errors.New("bad weights")

// confTolerance is how far weights may miss the sum of 1.
const confTolerance = 1e-9

// DefaultWeights are the weights of a category that has none of its own.
func DefaultWeights() Weights {
	return Weights{Relevance: 0.25, Consistency: 0.20, Grounding: 0.25, Completeness: 0.15, Classification: 0.15}
}

// Validate returns ErrWeights when a weight is negative or no number, or when they do not sum to 1.
func (w Weights) Validate() error {
	sum := 0.0
	for _, d := range confDimensions(&state.Components{}, w) {
		if !(d.weight >= 0) || math.IsInf(d.weight, 0) {
			return fmt.Errorf("%w: %s is %v, not 0 or more", ErrWeights, d.name, d.weight)
		}
		sum += d.weight
	}
	if math.Abs(sum-1) > confTolerance {
		return fmt.Errorf("%w: they sum to %v, not 1", ErrWeights, sum)
	}
	return nil
}

// CategoryWeights are weights by category of the question. A nil map is ready to use.
type CategoryWeights map[string]Weights

// For is the weights of a category, or DefaultWeights.
func (c CategoryWeights) For(category string) Weights {
	if w, ok := c[compCategory(category)]; ok {
		return w
	}
	return DefaultWeights()
}

// LoadWeights reads weights by category from a JSON object, {"code": {"relevance": 0.2, …}, …}. A dimension that is
// not named weighs 0. The error is that of r, of the JSON, or ErrWeights with each category at fault.
func LoadWeights(r io.Reader) (CategoryWeights, error) {
	var read CategoryWeights
	if err := confDecode(r, &read); err != nil {
		return nil, fmt.Errorf("read weights: %w", err)
	}
	loaded := make(CategoryWeights, len(read))
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(read)) {
		if err := read[name].Validate(); err != nil {
			faults = append(faults, fmt.Errorf("category %s: %w", name, err))
		}
		if _, twice := loaded[compCategory(name)]; twice {
			faults = append(faults, fmt.Errorf("%w: category %s stands twice, in different cases", ErrWeights, name))
		}
		loaded[compCategory(name)] = read[name]
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return loaded, nil
}

// confDecode reads one JSON value whose fields are all known. A fault in the text names its line.
func confDecode(r io.Reader, into any) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	if err = d.Decode(into); err == nil {
		if _, more := d.Token(); errors.Is(more, io.EOF) {
			return nil
		}
		err = errors.New("something stands behind the JSON value")
	}
	offset := min(d.InputOffset(), int64(len(data)))
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	return fmt.Errorf("line %d: %w", 1+strings.Count(string(data[:min(offset, int64(len(data)))]), "\n"), err)
}

// confDimension is one dimension with its weight.
type confDimension struct {
	name   string
	value  **float64
	weight float64
}

// confDimensions are the dimensions of c, which they point into, in their order.
func confDimensions(c *state.Components, w Weights) []confDimension {
	return []confDimension{
		{"relevance", &c.Relevance, w.Relevance},
		{"consistency", &c.Consistency, w.Consistency},
		{"grounding", &c.Grounding, w.Grounding},
		{"completeness", &c.Completeness, w.Completeness},
		{"classification", &c.Classification, w.Classification},
	}
}

// Score is the confidence that the measured dimensions make up: their weighted mean, the weights of those that are missing
// spread over the rest. Missing ones are named; one that is no number counts as missing, others are held to 0–1. Without
// any dimension that weighs something the total is 0. c is not changed.
func Score(c state.Components, w Weights) state.Confidence {
	confidence := state.Confidence{Components: c}
	sum, total := 0.0, 0.0
	for _, d := range confDimensions(&confidence.Components, w) {
		if *d.value == nil || math.IsNaN(**d.value) {
			*d.value = nil
			confidence.Missing = append(confidence.Missing, d.name)
			continue
		}
		held := min(max(**d.value, 0), 1)
		*d.value = &held
		sum += d.weight * held
		total += d.weight
	}
	if total > 0 {
		confidence.Total = min(sum/total, 1)
	}
	return confidence
}

// Relevance is the mean grade, 0–1, of the evidence that an answer was written from. It is nil when none was graded;
// items without a grade have no say.
func Relevance(used []state.Evidence) *float64 {
	sum, n := 0.0, 0
	for _, item := range used {
		if item.Grade != nil {
			sum += *item.Grade
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return new(sum / float64(n))
}
