package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kbagent/kbagent/nodes/reply"
)

// parsing measures the reader of models' replies, package nodes/reply.
//
//   - preferred: the share of replies that give what is expected;
//   - harmless: the share that give that or something that does no harm;
//   - wrong: the number of replies that give any other value. A refusal is never wrong.
var parsing = task{
	name:  "parsing",
	about: "malformed replies of models",
	sets: []taskSet{
		{"float_array", func(s source) (measure, error) { return loadReplies(s, "float_array", parseScores) }},
		{"object", func(s source) (measure, error) { return loadReplies(s, "object", parseObject) }},
	},
}

// replyCase is one reply with what should become of it. null in an expected list is an item without a grade.
type replyCase struct {
	ID     string
	N      int
	Keys   []string
	Raw    string
	Expect any
	AlsoOK []any `json:"also_ok"`
}

// refused is what a parser gives that reports failure.
var refused = map[string]any{"fallback": true}

func loadReplies(s source, name string, parse func(replyCase) (any, error)) (measure, error) {
	list, err := cases[replyCase](s, "llm_outputs", name)
	return func(ctx context.Context) (Result, error) { return parseAll(ctx, list, parse) }, err
}

// parsed is how the reading of one reply came out.
type parsed struct{ preferred, harmless bool }

func parseAll(ctx context.Context, list []replyCase, parse func(replyCase) (any, error)) (Result, error) {
	all := make([]parsed, len(list))
	wrong := 0
	for i, c := range list {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		got, err := parse(c)
		if err != nil {
			return Result{}, fmt.Errorf("%s: %w", c.ID, err)
		}
		ok := equal(got, c.Expect)
		all[i] = parsed{ok, ok || slices.ContainsFunc(c.AlsoOK, func(also any) bool { return equal(got, also) })}
		if !all[i].harmless && !equal(got, refused) {
			wrong++
		}
	}
	preferred := func(list []parsed) float64 { return share(list, func(p parsed) bool { return p.preferred }) }
	harmless := func(list []parsed) float64 { return share(list, func(p parsed) bool { return p.harmless }) }
	return Result{
		N:         len(list),
		Config:    map[string]string{"parser": "nodes/reply"},
		Metrics:   map[string]float64{"preferred": preferred(all), "harmless": harmless(all), "wrong": float64(wrong)},
		Intervals: map[string][2]float64{"preferred": interval(all, preferred), "harmless": interval(all, harmless)},
	}, nil
}

func share[T any](list []T, holds func(T) bool) float64 {
	n := 0
	for _, x := range list {
		if holds(x) {
			n++
		}
	}
	return ratio(n, len(list))
}

// parseScores reads scores as the grader does.
func parseScores(c replyCase) (any, error) {
	ratings, err := reply.Scores(c.Raw, c.N)
	if err != nil {
		return refusal(err)
	}
	list := make([]any, len(ratings.Values))
	for i, x := range ratings.Values {
		if !slices.Contains(ratings.Ungraded, i) {
			list[i] = x
		}
	}
	return list, nil
}

// refusal is the value of a reply that the parser refused; another error stays one.
func refusal(err error) (any, error) {
	var parse *reply.ParseError
	if errors.As(err, &parse) {
		return refused, nil
	}
	return nil, err
}

// The forms of the objects: a route, and a list of claims, both typed as a node would have them.
type (
	routeObject struct {
		Route      string  `json:"route"`
		Query      string  `json:"query"`
		Confidence float64 `json:"confidence"`
	}
	claimsObject struct {
		Claims []claimObject `json:"claims"`
	}
	claimObject struct {
		Text      string `json:"text"`
		Supported bool   `json:"supported"`
		Source    *int   `json:"source"` // null: none was given
	}
)

// allowedRoutes are the routes of the data set.
var allowedRoutes = []string{"retrieve", "answer", "clarify", "tool"}

// parseObject reads an object as the nodes do: typed, then checked. Members that were not asked for are shown as they are.
func parseObject(c replyCase) (any, error) {
	if slices.Equal(c.Keys, []string{"claims"}) {
		var o claimsObject
		return typed(c, &o, func() bool { return true })
	}
	var o routeObject
	return typed(c, &o, func() bool {
		return slices.Contains(allowedRoutes, o.Route) && o.Confidence >= 0 && o.Confidence <= 1
	})
}

func typed(c replyCase, target any, valid func() bool) (any, error) {
	if err := reply.Into(c.Raw, target, c.Keys...); err != nil {
		return refusal(err)
	}
	if !valid() {
		return refused, nil
	}
	object, err := reply.Object(c.Raw, c.Keys...)
	if err != nil {
		return refusal(err)
	}
	data, err := json.Marshal(target)
	if err != nil {
		return nil, err
	}
	return object, json.Unmarshal(data, &object)
}

// equal compares decoded JSON, numbers within 1e-9.
func equal(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-9
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, x := range a {
			if y, has := b[k]; !has || !equal(x, y) {
				return false
			}
		}
		return true
	default:
		return a == b
	}
}
