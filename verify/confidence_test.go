package verify

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/state"
)

// documented are the components of the documented example.
func documented() state.Components {
	return state.Components{Relevance: new(.88), Consistency: new(.92), Grounding: new(.67), Completeness: new(.5), Classification: new(.85)}
}

func TestTheDocumentedConfidenceIs774(t *testing.T) {
	got := Score(documented(), DefaultWeights())
	assert.InDelta(t, .774, got.Total, 1e-9)
	assert.Empty(t, got.Missing)
	assert.Equal(t, documented(), got.Components)
}

func TestAMissingDimensionIsNamedAndItsWeightSpread(t *testing.T) {
	c := documented()
	c.Consistency, c.Classification = nil, nil
	got := Score(c, DefaultWeights())
	assert.Equal(t, []string{"consistency", "classification"}, got.Missing)
	assert.InDelta(t, (.25*.88+.25*.67+.15*.5)/.65, got.Total, 1e-9)
	assert.Nil(t, got.Components.Consistency)
	t.Run("nothing measured is a total of 0", func(t *testing.T) {
		none := Score(state.Components{}, DefaultWeights())
		assert.Zero(t, none.Total)
		assert.Equal(t, []string{"relevance", "consistency", "grounding", "completeness", "classification"}, none.Missing)
	})
	t.Run("what is measured but weighs nothing is no division by zero", func(t *testing.T) {
		assert.Zero(t, Score(state.Components{Relevance: new(1.)}, Weights{Grounding: 1}).Total)
	})
	t.Run("what is no number is missing", func(t *testing.T) {
		got := Score(state.Components{Relevance: new(math.NaN()), Grounding: new(2.)}, DefaultWeights())
		assert.Equal(t, 1.0, got.Total)
		assert.Nil(t, got.Components.Relevance)
		assert.Equal(t, 1.0, *got.Components.Grounding)
	})
}

func TestATotalLiesBetweenTheLowestAndTheHighestDimension(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Ptr(rapid.Float64Range(0, 1), true)
		c := state.Components{
			Relevance: value.Draw(t, "relevance"), Consistency: value.Draw(t, "consistency"), Grounding: value.Draw(t, "grounding"),
			Completeness: value.Draw(t, "completeness"), Classification: value.Draw(t, "classification"),
		}
		got := Score(c, DefaultWeights())
		low, high := 1.0, 0.0
		for _, d := range confDimensions(&c, DefaultWeights()) {
			if *d.value != nil {
				low, high = min(low, **d.value), max(high, **d.value)
			}
		}
		if len(got.Missing) < 5 {
			assert.GreaterOrEqual(t, got.Total, low-1e-9)
			assert.LessOrEqual(t, got.Total, high+1e-9)
		}
	})
}

func TestWeightsSumToOne(t *testing.T) {
	require.NoError(t, DefaultWeights().Validate())
	require.NoError(t, Weights{Relevance: .1 + .2, Grounding: .7}.Validate(), "0.1+0.2+0.7 is 1 within the tolerance")
	for want, w := range map[string]Weights{
		"they sum to 0.9":    {Relevance: .9},
		"they sum to 0":      {},
		"relevance is -0.5":  {Relevance: -.5, Grounding: 1.5},
		"grounding is NaN":   {Grounding: math.NaN()},
		"completeness is +I": {Completeness: math.Inf(1)},
	} {
		err := w.Validate()
		require.ErrorIs(t, err, ErrWeights)
		assert.ErrorContains(t, err, want)
	}
}

func TestLoadWeightsByCategory(t *testing.T) {
	got, err := LoadWeights(strings.NewReader(`{"CODE": {"grounding": 0.6, "relevance": 0.4}}`))
	require.NoError(t, err)
	assert.Equal(t, Weights{Grounding: .6, Relevance: .4}, got.For("CODE"))
	assert.Equal(t, got.For("CODE"), got.For("code_error"))
	assert.Equal(t, DefaultWeights(), got.For("how_to"))
	assert.Equal(t, DefaultWeights(), CategoryWeights(nil).For("code"))
	for claim, c := range map[string]struct{ text, want string }{
		"a wrong sum":         {`{"a": {"grounding": 1}, "b": {"grounding": 0.5}, "c": {}}`, "category b: bad weights: they sum to 0.5"},
		"all faults":          {`{"b": {"grounding": 0.5}, "c": {}}`, "category c: "},
		"an unknown name":     {"{\n\"a\": {\"grunding\": 1}}", "line 2: json: unknown field \"grunding\""},
		"broken JSON":         {"{\n\n\"a\": ]", "line 3: "},
		"a wrong type":        {"{\n\"a\": {\"grounding\": \"x\"}}", "line 2: "},
		"something behind it": {"{}\n{}", "something stands behind"},
		"one category twice":  {`{"a": {"grounding": 1}, "A": {"grounding": 1}}`, "stands twice"},
	} {
		_, err := LoadWeights(strings.NewReader(c.text))
		assert.ErrorContains(t, err, c.want, claim)
	}
	broken := errors.New("disk on fire")
	_, err = LoadWeights(iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken)
}

func TestRelevanceIsTheMeanGradeOfWhatWasGraded(t *testing.T) {
	assert.Nil(t, Relevance(nil))
	assert.Nil(t, Relevance([]state.Evidence{{}}))
	got := Relevance([]state.Evidence{{Grade: new(.92)}, {}, {Grade: new(.87)}, {Grade: new(.85)}})
	require.NotNil(t, got)
	assert.InDelta(t, .88, *got, 1e-9)
}

// doc is a passage of a document.
func doc(path, content string) state.Evidence { return state.Evidence{Path: path, Content: content} }

func claimed(texts ...string) (claims []state.Claim) {
	for _, text := range texts {
		claims = append(claims, state.Claim{Text: text})
	}
	return claims
}

func TestConsistencyIsNilUnlessTwoDocumentsSpeakOfAClaim(t *testing.T) {
	logs := claimed("Old logs are kept for 7 days.")
	for claim, items := range map[string][]state.Evidence{
		"no document":                {},
		"one document":               {doc("a", "Old logs are kept for 7 days.")},
		"two passages of a document": {doc("a", "Old logs are kept for 7 days."), doc("a", "Logs are kept for 7 days.")},
		"the other speaks of bread":  {doc("a", "Old logs are kept for 7 days."), doc("b", "Bread is baked for an hour.")},
		"the other holds one word":   {doc("a", "Old logs are kept for 7 days."), doc("b", "It rained for days.")},
	} {
		assert.Nil(t, Consistency(logs, items, nil), claim)
	}
	both := []state.Evidence{doc("a", "Old logs are kept for 7 days."), doc("b", "Old logs are kept for 7 days.")}
	assert.Nil(t, Consistency(nil, both, nil), "no claim")
	assert.Nil(t, Consistency(claimed("", "the"), both, nil), "no words")
}

func TestConsistency(t *testing.T) {
	value := func(claim string, contradicts func(a, b string) float64, documents ...string) float64 {
		var items []state.Evidence
		for i, content := range documents {
			items = append(items, doc(string(rune('a'+i)), content))
		}
		got := Consistency(claimed(claim), items, contradicts)
		require.NotNil(t, got)
		return *got
	}
	const claim = "The token expires after 1 hour."
	agree := value(claim, nil, "Sessions: the token expires after 1 hour. Then it is renewed.", "After 1 hour the token has expired.")
	assert.InDelta(t, 1, agree, 1e-9, "the same in other words")
	assert.InDelta(t, 1, value("It takes 7 days.", nil, "It takes seven days.", "It takes 7 days."), 1e-9, "numbers in words")
	differ := value(claim, nil, "The token expires after 1 hour.", "The token expires after 30 hours.")
	assert.Less(t, differ, .8, "another number is below the floor")
	negates := func(a, b string) float64 {
		if strings.Contains(a, "never") != strings.Contains(b, "never") {
			return .9
		}
		return 0
	}
	assert.InDelta(t, .1, value(claim, negates, "The token expires after 1 hour.", "Never mind. The token never expires after 1 hour."), .05)
	oneWay := func(a, _ string) float64 {
		if strings.HasPrefix(a, "After") {
			return 5
		}
		return -5
	}
	assert.Zero(t, value(claim, oneWay, "The token expires after 1 hour.", "After 1 hour the token expires."), "either direction counts, held to 0–1")
	three := value(claim, negates, "The token expires after 1 hour.", "The token expires after 1 hour.", "The token never expires after 1 hour.")
	assert.InDelta(t, 1.2/3, three, 1e-9, "the mean over the pairs")
	assert.InDelta(t, 1, value("旧日志保留七天", nil, "系统的旧日志保留七天。", "旧日志保留七天，然后删除。"), 1e-9)
	assert.InDelta(t, 1, value(claim, nil, "The token is short. It expires after 1 hour.", "The token expires after 1 hour."), 1e-9, "two sentences in a row")
}

func TestConsistencyIsFromZeroToOneForAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"alpha beta", "alpha 7", "数据库", "beta. Alpha 8."}))
		var items []state.Evidence
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			items = append(items, doc(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "path"), words.Draw(t, "content")))
		}
		got := Consistency(claimed(words.Draw(t, "claim"), strings.Repeat("w1 w2 w3 ", 40)), items, func(a, b string) float64 { return float64(len(a) - len(b)) })
		if got != nil {
			assert.True(t, *got >= 0 && *got <= 1, *got)
		}
	})
}

func TestConsistencyHoldsTheDocumentsAgainstEachOther(t *testing.T) {
	contradicts := func(a, b string) float64 { score, _ := Contradiction(a, b); return score }
	value := func(a, b string) float64 {
		got := Consistency(claimed(a), []state.Evidence{doc("a", a), doc("b", b)}, contradicts)
		require.NotNil(t, got)
		return *got
	}
	const claim = "The token expires after 1 hour."
	assert.InDelta(t, 1, value(claim, claim), 1e-9)
	assert.Less(t, value(claim, "The token expires after 30 hours."), .4)
	assert.Less(t, value(claim, "The token never expires."), .6)
	assert.Less(t, value("旧日志保留七天", "旧日志保留三十天"), .4)
}

func TestConsistencyAsksOnceForEachPairOfPassages(t *testing.T) {
	asked := map[[2]string]int{}
	Consistency(claimed("Logs are kept.", "The logs are kept."), []state.Evidence{doc("a", "Logs are kept."), doc("b", "All logs are kept.")}, func(a, b string) float64 {
		asked[[2]string{a, b}]++
		return 0
	})
	assert.Equal(t, map[[2]string]int{{"Logs are kept.", "All logs are kept."}: 1, {"All logs are kept.", "Logs are kept."}: 1}, asked)
}

func BenchmarkConsistency20Items10Claims(b *testing.B) {
	var items []state.Evidence
	var claims []state.Claim
	for i := range 20 {
		content := strings.Repeat(fmt.Sprintf("Server %d keeps old log files for seven days and rotates them every night. ", i), 14)
		items = append(items, doc(string(rune('a'+i)), content))
		claims = append(claims, state.Claim{Text: fmt.Sprintf("Server %d keeps old log files for 7 days.", i)})
	}
	contradicts := func(a, b string) float64 { score, _ := Contradiction(a, b); return score }
	for b.Loop() {
		Consistency(claims[:10], items, contradicts)
	}
}
