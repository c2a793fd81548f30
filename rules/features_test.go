package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/state"
)

func texts(list ...string) []state.Evidence {
	var items []state.Evidence
	for _, c := range list {
		items = append(items, state.Evidence{Content: c})
	}
	return items
}

func TestAWordThatAllItemsHoldTellsLittle(t *testing.T) {
	const query = "When was the harbour of Rotterdam built?"
	answer := "The harbour of Rotterdam was built in 1872."
	alone := Relevance(query, texts("Rotterdam has a harbour.", "Bread is baked daily.", "Bread again."), TermStats{})
	crowded := Relevance(query, texts("Rotterdam has a harbour.", answer, answer), TermStats{})
	assert.Greater(t, alone[0], crowded[0])
	assert.Greater(t, crowded[1], crowded[0])
}

func TestItemsThatAllAnswerAreAllGood(t *testing.T) {
	for _, score := range Relevance("How do I rotate the logs?", texts("Rotate the logs with logrotate.", "Rotate the logs with logrotate.", "Rotate the logs by hand."), TermStats{}) {
		assert.GreaterOrEqual(t, score, 0.7)
	}
}

func TestSufficiencyIsThatOfTheBestItem(t *testing.T) {
	const query = "When was the harbour of Rotterdam built?"
	good, bad := "The harbour of Rotterdam was built in 1872.", "Bread is baked daily, said Mr Rotterdam."
	assert.Greater(t, Sufficiency(query, texts(bad, good, bad), TermStats{}), 0.7)
	assert.Less(t, Sufficiency(query, texts(bad, bad, bad), TermStats{}), 0.5)
	assert.Greater(t, Sufficiency(query, texts(good), TermStats{}), Sufficiency(query, texts(bad), TermStats{}))
	assert.Zero(t, Sufficiency(query, nil, TermStats{}))
	assert.Zero(t, Sufficiency(query, texts("Nothing at all."), TermStats{}))
	assert.Zero(t, Sufficiency("", texts(good), TermStats{}))
}

func TestEveryFeatureHasANameAndAWeight(t *testing.T) {
	items := texts("The harbour was built in 1872.", "x")
	require.Len(t, itemFeatureNames, allFeatures)
	assert.Len(t, GradeFeatures("When was the harbour built?", items, TermStats{})[0], len(GradeFeatureNames()))
	assert.Len(t, SufficiencyFeatures("When was the harbour built?", items, TermStats{}), len(SufficiencyFeatureNames()))
	assert.Len(t, gradeWeights, 1+len(GradeFeatureNames()))
	assert.Len(t, amongWeights, 1+len(SufficiencyFeatureNames()))
	assert.Len(t, aloneWeights, 1+len(SufficiencyFeatureNames()))
	for _, x := range GradeFeatures("when WAS the Harbour Built 1872?", items, TermStats{})[0][:gradeFeatures] {
		assert.True(t, x >= 0 && x <= 1, "%v", x)
	}
}

func TestWhatAQuestionAsksForIsReadFromItsWords(t *testing.T) {
	for query, want := range map[string]kind{
		"How many people live there?": kindNumber, "When was it built?": kindTime, "In what year did it end?": kindTime,
		"Who built it?": kindPerson, "Where is it?": kindPlace, "Why is it so?": kindOther, "": kindOther, "Whenever it rains": kindOther,
	} {
		assert.Equal(t, want, kindOf(query), query)
	}
	for sentence, c := range map[string]struct {
		query string
		want  bool
	}{
		"It has 4,000 rooms.":         {"How many rooms?", true},
		"It has rooms.":               {"How many rooms?", false},
		"It opened in 1872.":          {"When did it open?", true},
		"It opened late in 1872 .":    {"When did the 1872 fair open?", false},
		"The tower is by G. Eiffel.":  {"Who built the tower?", true},
		"the tower is by an engineer": {"Who built the tower?", false},
		"It stands near Paris.":       {"Where is it?", true},
	} {
		assert.Equal(t, c.want, newQuestion(c.query, TermStats{}).holds(sentence), sentence)
	}
}

func TestNothingIsQuotedFromItemsThatHardlyAnswer(t *testing.T) {
	const query = "how is the archive of a server restored after a failure"
	weak := texts("A failure of the bread is common.", "A failure of the cake is not.")
	assert.NotZero(t, Sufficiency(query, weak, TermStats{}))
	assert.Empty(t, Extract(query, "", weak, TermStats{}, 2))
	assert.NotEmpty(t, Extract(query, "", texts("The archive of a server is restored after a failure by one command.", "Bread again."), TermStats{}, 2))
}
