package eval_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/eval"
)

// one measures one set of the small data.
func one(t *testing.T, task, set string) eval.Result {
	t.Helper()
	return run(t, eval.Config{Task: task, Data: small(t), Part: "dev", Set: set})[set]
}

func TestRetrievalLeavesQuestionsWithoutRelevantPassagesOut(t *testing.T) {
	r := one(t, "retrieval", "clapnq")
	assert.Equal(t, 1, r.N, "b is not answerable")
	for _, name := range []string{"recall@1", "recall@5", "recall@10", "recall@20", "mrr@10", "ndcg@10"} {
		assert.InDelta(t, 1, r.Metrics[name], 1e-12, name)
		assert.Contains(t, r.Intervals, name)
	}
}

func TestRetrievalFoldsTheTurnBeforeIntoAFollowUp(t *testing.T) {
	r := one(t, "retrieval", "mtrag_un")
	assert.Equal(t, 1, r.N)
	assert.InDelta(t, 1, r.Metrics["recall@1"], 1e-12, "the bananas of the turn before, not the logs of the agent's answer")
}

func TestRetrievalNamesAPassageThatTheCorpusLacks(t *testing.T) {
	dir := small(t)
	overwrite(t, dir, "xquad/dev/queries_en.jsonl", object{"id": "q1", "query": "x", "relevant": object{"gone": 1}})
	err := eval.Run(t.Context(), eval.Config{Task: "retrieval", Data: dir, Part: "dev", Set: "xquad_en"}, func(eval.Result) error { return nil })
	assert.ErrorContains(t, err, "no passage gone of query q1")
}

func TestSplittingCountsTheAnswersThatNoPassageHolds(t *testing.T) {
	r := one(t, "splitting", "covidqa")
	assert.Equal(t, 2, r.N)
	assert.EqualValues(t, 2, r.Metrics["answers"])
	assert.Zero(t, r.Metrics["cut"], "white space around an answer is no part of it, and places count characters")
	assert.InDelta(t, 1, r.Metrics["recall@1"], 1e-12)
}

func TestAnAnswerThatDoesNotStandAtItsPlaceIsNamed(t *testing.T) {
	dir := small(t)
	overwrite(t, dir, "covidqa/dev/queries.jsonl", object{"id": "v1", "query": "x", "relevant": object{"d1": 1}, "answers": []any{object{"text": "nine days", "start": 3}}})
	for _, task := range []string{"splitting", "extraction"} {
		err := eval.Run(t.Context(), eval.Config{Task: task, Data: dir, Part: "dev", Set: "covidqa"}, func(eval.Result) error { return nil })
		assert.ErrorContains(t, err, "query v1 does not stand at its place in document d1", task)
	}
}

func TestExtractionComparesWords(t *testing.T) {
	r := one(t, "extraction", "xquad_en")
	assert.Equal(t, 2, r.N)
	assert.InDelta(t, 0.5, r.Metrics["accuracy"], 1e-12, `"Seven days." is in the sentence about logs; no passage answers q2`)
}

func TestExtractionKeepsTheAnswersThatAPassageHolds(t *testing.T) {
	r := one(t, "extraction", "covidqa")
	assert.Equal(t, 2, r.N)
	assert.InDelta(t, 1, r.Metrics["accuracy"], 1e-12)
}

func TestAbstentionTakesThePassageOfSomeQuestionsOut(t *testing.T) {
	dir := small(t)
	// sha256("absta")[0] is 213, sha256("abstb")[0] is 122: b loses its passage.
	overwrite(t, dir, "xquad/dev/queries_en.jsonl",
		object{"id": "a", "query": "How long are old logs kept?", "relevant": object{"p1": 1}, "answers": []any{object{"text": "seven days"}}},
		object{"id": "b", "query": "How long are old logs kept?", "relevant": object{"p1": 1}, "answers": []any{object{"text": "seven days"}}})
	r := run(t, eval.Config{Task: "abstention", Data: dir, Part: "dev"})["xquad_en"]
	assert.Equal(t, map[string]float64{"accuracy": 1, "answered": 1, "abstained": 1}, r.Metrics)
}

func TestSufficiencyIsMeasuredOverAWholeCorpus(t *testing.T) {
	for set, n := range map[string]int{"clapnq_kb": 2, "xquad_en": 4, "mtrag_un": 2} {
		r := one(t, "sufficiency", set)
		assert.Equal(t, n, r.N, set)
		assert.Contains(t, r.Metrics, "auc", set)
		assert.Len(t, r.Cases, n, set)
	}
	assert.InDelta(t, 1, one(t, "sufficiency", "clapnq_kb").Metrics["auc"], 1e-12)
	assert.InDelta(t, 1, one(t, "sufficiency", "mtrag_un").Metrics["auc"], 1e-12)
}

func overwrite(t *testing.T, dir, name string, rows ...any) {
	t.Helper()
	var lines []byte
	for _, row := range rows {
		line, err := json.Marshal(row)
		require.NoError(t, err)
		lines = append(append(lines, line...), '\n')
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), lines, 0o600))
}
