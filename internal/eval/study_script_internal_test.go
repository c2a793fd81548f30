package eval

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

func TestDrawsDependOnNothingButTheCallAndWhatItIsFor(t *testing.T) {
	d := studyDraws{seed: 1, question: "q", role: nodes.RoleGrader, call: 1}
	assert.InDelta(t, d.draw("x"), d.draw("x"), 0)
	for name, other := range map[string]studyDraws{
		"the seed":     {2, "q", nodes.RoleGrader, 1},
		"the question": {1, "r", nodes.RoleGrader, 1},
		"the role":     {1, "q", nodes.RoleVerifier, 1},
		"the call":     {1, "q", nodes.RoleGrader, 2},
	} {
		assert.NotEqual(t, d.draw("x"), other.draw("x"), name)
	}
	const n = 2000
	below, sum := 0, 0.0
	for i := range n {
		x := d.draw(fmt.Sprint(i))
		require.True(t, x >= 0 && x < 1, x)
		sum += x
		if x < 0.3 {
			below++
		}
	}
	assert.InDelta(t, 0.5, sum/n, 0.03)
	assert.InDelta(t, 0.3, float64(below)/n, 0.04)
}

func TestAnErrorAtOneRateIsOneAtEveryHigherRate(t *testing.T) {
	asked := studyPrompt{}
	for i := range 200 {
		asked.items = append(asked.items, studyItem{path: fmt.Sprint(i), text: "x"})
	}
	wrong := map[string]bool{}
	before := 0
	for _, rate := range []float64{0, 0.1, 0.3, 1} {
		s := &studyScript{question: studyQuestion{id: "q"}, rates: StudyRates{Grader: rate}}
		reply, err := s.grade(asked, studyDraws{1, "q", nodes.RoleGrader, 1})
		require.NoError(t, err)
		var grades []float64
		require.NoError(t, json.Unmarshal([]byte(reply), &grades))
		n := 0
		for i, g := range grades {
			if g > 0.5 { // nothing is relevant
				n++
				wrong[fmt.Sprint(i)] = true
			} else {
				assert.False(t, wrong[fmt.Sprint(i)], "item %d was graded wrong at a lower rate", i)
			}
		}
		assert.GreaterOrEqual(t, n, before)
		assert.InDelta(t, 200*rate, n, 20)
		before = n
	}
}

func TestOnlyAFaultlessReadingOfThePromptIsTaken(t *testing.T) {
	p, err := readStudyPrompt("Question: q\n\n" + studyFence + " BEGIN CLAIMS\n1. one. two\n2. three\n" + studyFence + " END CLAIMS\n\n" +
		studyFence + " BEGIN 1\na/b.md:3-9 › Title › Section\nfirst line\nsecond line\n" + studyFence + " END 1\n\nVerdicts:")
	require.NoError(t, err)
	assert.Equal(t, []string{"one. two", "three"}, p.claims)
	assert.Equal(t, []studyItem{{path: "a/b.md", text: "first line\nsecond line\n"}}, p.items)
	assert.Equal(t, "first line second line", p.items[0].quote())
	for name, prompt := range map[string]string{
		"an open fence":           studyFence + " BEGIN 1\na:1-2\nx",
		"an item without a place": studyFence + " BEGIN 1\nnowhere\nx\n" + studyFence + " END 1",
		"a claim without number":  studyFence + " BEGIN CLAIMS\nx\n" + studyFence + " END CLAIMS",
	} {
		_, err := readStudyPrompt(prompt)
		assert.Error(t, err, name)
	}
}

func TestTheScriptPlaysItsRolesOnly(t *testing.T) {
	s := &studyScript{}
	_, err := s.GenerateContent(t.Context(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "x")})
	require.Error(t, err)
	assert.ErrorIs(t, s.fault(), err, "and the fault is kept, for the agent would do without the model")
}

func TestOnlyTheAnswerItselfIsComparedWithTheRightOnes(t *testing.T) {
	q := studyQuestion{text: "How many cranes did “Old Harbour” have in 11 A.D.?", answers: []string{"11", "the eleven cranes"}}
	for answer, want := range map[string]bool{
		q.sentence("11") + " [3]":                 true,
		q.sentence("Eleven cranes!") + " [1]":     true,
		q.sentence("twelve") + " [11]":            false, // neither the marker nor the question counts
		q.sentence("111") + " [1]":                false, // whole words
		"There were eleven cranes.":               true,
		state.DefaultAbstention:                   false,
		q.sentence("the seventeen eleven cranes"): true,
	} {
		assert.Equal(t, want, q.right(answer), answer)
	}
	assert.False(t, studyHolds("anything", " the "), "nothing is held by nothing")
	assert.True(t, q.claimed("How many cranes did Old Harbour have"), "a part of a right sentence")
	assert.False(t, q.claimed("How many cranes did Old Harbour have in 11 A.D: twelve"))
}

func TestADecoyIsNoRightAnswerInOtherWords(t *testing.T) {
	set := studySet{decoys: []string{"the Hadrian", "emperor Hadrian the Great", "Olaf"}}
	for _, where := range []float64{0, 0.4, 0.99} {
		got, ok := set.decoy(studyQuestion{answers: []string{"Hadrian"}}, where)
		require.True(t, ok)
		assert.Equal(t, "Olaf", got)
	}
	_, ok := set.decoy(studyQuestion{answers: []string{"Hadrian", "Olaf"}}, 0.5)
	assert.False(t, ok)
}
