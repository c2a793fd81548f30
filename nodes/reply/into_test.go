package reply_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/nodes/reply"
)

type claim struct {
	Text      string `json:"text"`
	Supported bool   `json:"supported"`
	Source    *int   `json:"source"`
}

type inner struct {
	Score float64 `json:"score"`
}

type form struct {
	inner
	Name   string             `json:"name"`
	Weight float64            `json:"weight"`
	Count  int                `json:"count"`
	Words  []string           `json:"words"`
	Claims []claim            `json:"claims"`
	By     map[string]float64 `json:"by"`
	When   time.Time          `json:"when"`
	Raw    json.RawMessage    `json:"raw"`
	Any    any                `json:"any"`
	Plain  bool
	hidden string //nolint:unused // a reply must not reach it
}

func TestIntoTakesWhatTheTypeMakesClear(t *testing.T) {
	for name, c := range map[string]struct {
		raw  string
		want form
	}{
		"a number in quotes":                 {`{"weight": "0.25"}`, form{Weight: 0.25}},
		"per cent":                           {`{"weight": "25%"}`, form{Weight: 0.25}},
		"full-width digits":                  {`{"weight": "０．２５"}`, form{Weight: 0.25}},
		"a whole number as a float":          {`{"count": 3.0}`, form{Count: 3}},
		"a whole number in quotes":           {`{"count": "3"}`, form{Count: 3}},
		"a number where a text is due":       {`{"name": 42}`, form{Name: "42"}},
		"a text where a list is due":         {`{"words": "alpha"}`, form{Words: []string{"alpha"}}},
		"numbers where texts are due":        {`{"words": [1, "b"]}`, form{Words: []string{"1", "b"}}},
		"an object where a list is due":      {`{"claims": {"text": "x", "supported": "yes"}}`, form{Claims: []claim{{Text: "x", Supported: true}}}},
		"words for booleans":                 {`{"claims": [{"supported": "True"}, {"supported": "no"}]}`, form{Claims: []claim{{Supported: true}, {}}}},
		"a pointer":                          {`{"claims": [{"source": "2"}, {"source": null}]}`, form{Claims: []claim{{Source: new(2)}, {}}}},
		"a map":                              {`{"by": {"a": "0.5"}}`, form{By: map[string]float64{"a": 0.5}}},
		"a promoted field":                   {`{"score": "0.5"}`, form{inner: inner{Score: 0.5}}},
		"a field without a tag":              {`{"plain": "true"}`, form{Plain: true}},
		"what reads itself":                  {`{"when": "2024-05-06T07:08:09Z", "raw": {"n": 12345678901234567890}}`, form{When: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC), Raw: json.RawMessage(`{"n":12345678901234567890}`)}},
		"anything":                           {`{"any": ["1", 2]}`, form{Any: []any{"1", 2.0}}},
		"null as nothing":                    {`{"name": null, "words": null}`, form{}},
		"what was not asked for, not at all": {`{"hidden": true, "other": 1}`, form{}},
	} {
		t.Run(name, func(t *testing.T) {
			var got form
			require.NoError(t, reply.Into(c.raw, &got))
			assert.Equal(t, c.want, got)
		})
	}
}

func TestIntoRefusesAValueOfAnotherTypeAndLeavesTheTargetAlone(t *testing.T) {
	for name, c := range map[string]struct{ raw, reason string }{
		"a word for a number":     {`{"name": "new", "weight": "much"}`, "weight is a JSON string, and has to be a number"},
		"a fraction for a count":  {`{"name": "new", "weight": 1, "count": 1.5}`, "count is a JSON number 1.5, and has to be a whole number"},
		"a huge count":            {`{"name": "new", "weight": 1, "count": "99999999999999999999"}`, "count is a JSON number"},
		"a huge weight":           {`{"name": "new", "weight": 1e999}`, "weight is a JSON number 1e999"},
		"an object for a text":    {`{"name": {"first": "new"}, "weight": 1}`, "name is a JSON object, and has to be a string"},
		"a number for a boolean":  {`{"name": "new", "weight": 1, "plain": 3}`, "and has to be true or false"},
		"a text for an object":    {`{"name": "new", "weight": 1, "claims": ["x"]}`, "and has to be an object"},
		"a list for a map":        {`{"name": "new", "weight": 1, "by": [1]}`, "by is a JSON array"},
		"null for a key":          {`{"name": "new", "weight": null}`, "weight is null"},
		"a date that is none":     {`{"name": "new", "weight": 1, "when": "soon"}`, "soon"},
		"an object without a key": {`{"name": "new"}`, "has no weight"},
		"a word that is no value": {`{"name": "new", "weight": 1, "any": <x>}`, "no JSON value"},
	} {
		t.Run(name, func(t *testing.T) {
			got := form{Name: "old", Count: 5, Words: []string{"kept"}}
			err := reply.Into(c.raw, &got, "name", "weight")
			var parse *reply.ParseError
			require.ErrorAs(t, err, &parse)
			assert.Contains(t, parse.Reason, c.reason)
			assert.Equal(t, form{Name: "old", Count: 5, Words: []string{"kept"}}, got)
		})
	}
}

func TestIntoKeepsWhatTheReplyDoesNotMention(t *testing.T) {
	got := form{Name: "old", Count: 5}
	require.NoError(t, reply.Into(`{"name": "new"}`, &got))
	assert.Equal(t, form{Name: "new", Count: 5}, got)
}

func TestIntoNeedsAPointer(t *testing.T) {
	var invalid *json.InvalidUnmarshalError
	assert.ErrorAs(t, reply.Into(`{}`, form{}), &invalid)
	assert.ErrorAs(t, reply.Into(`{}`, nil), &invalid)
	assert.ErrorAs(t, reply.Into(`{}`, (*form)(nil)), &invalid)
}
