package eval_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/eval"
)

func TestALexicalFitReportsItsWeightsAndIsNotRandom(t *testing.T) {
	dir := small(t)
	for of, want := range map[string][]string{
		"grading":     {"xquad_en ", "scifact ", "cross-validated", "var gradeWeights = [...]float64{"},
		"extraction":  {"xquad_en ", "covidqa ", "cross-validated", "features: own, ", "var answerWeights = [...]float64{"},
		"sufficiency": {"clapnq ", "clapnq_kb ", "mtrag_un ", "var aloneWeights = ", "var amongWeights = "},
	} {
		first, err := eval.FitLexical(t.Context(), dir, of)
		require.NoError(t, err, of)
		for _, w := range want {
			assert.Contains(t, first, w, of)
		}
		second, err := eval.FitLexical(t.Context(), dir, of)
		require.NoError(t, err, of)
		assert.Equal(t, first, second, of)
	}
	var usage *eval.UsageError
	_, err := eval.FitLexical(t.Context(), dir, "weather")
	assert.ErrorAs(t, err, &usage)
	_, err = eval.FitLexical(t.Context(), "", "grading")
	assert.ErrorAs(t, err, &usage)
}
