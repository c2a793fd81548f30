package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/eval"
)

// data writes files of JSON lines and returns their folder.
func data(t *testing.T, files map[string][]any) string {
	t.Helper()
	dir := t.TempDir()
	for name, rows := range files {
		var b strings.Builder
		for _, row := range rows {
			line, err := json.Marshal(row)
			require.NoError(t, err)
			b.Write(line)
			b.WriteByte('\n')
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	}
	return dir
}

type object = map[string]any

// small are a few cases of every set of the two tasks.
func small(t *testing.T) string {
	wice := []any{
		object{"id": "1", "claim": "Logs are kept for seven days.", "label": "supported", "evidence": []string{"# Logs", "Old logs are kept for 7 days.", "Bananas are yellow."}},
		object{"id": "2", "claim": "Logs are kept for seven days on every server in Berlin.", "label": "partially_supported", "evidence": []string{"Old logs are kept for 7 days."}},
		object{"id": "3", "claim": "The harbour of Berlin was built by Hadrian.", "label": "not_supported", "evidence": []string{"Old logs are kept for 7 days."}},
		object{"id": "4", "claim": "Bananas are yellow.", "label": "supported", "evidence": []string{"Bananas are yellow when they are ripe."}},
		object{"id": "5", "claim": "Bananas are blue in winter and cost 9 euros.", "label": "partially_supported", "evidence": []string{"Bananas are yellow."}},
		object{"id": "6", "claim": "The index is a file.", "label": "supported", "evidence": []string{"The index is one file."}},
	}
	abstract := "Aspirin reduces the risk of stroke in adults."
	return data(t, map[string][]any{
		"wice/dev/claims.jsonl":     wice,
		"wice/heldout/claims.jsonl": wice[:3],
		"faithbench/dev/summaries.jsonl": {
			object{"id": "1", "source": abstract, "summary": "Aspirin reduces stroke risk.", "worst": "Consistent"},
			object{"id": "2", "source": abstract, "summary": "Aspirin reduces risk. Doctors in Rome disagree.", "worst": "Unwanted"},
			object{"id": "3", "source": abstract, "summary": "Aspirin reduces the risk of stroke.", "worst": "Benign"},
			object{"id": "4", "source": abstract, "summary": "Penicillin cures pneumonia quickly.", "worst": "Questionable"},
		},
		"scifact/corpus.jsonl": {object{"id": "9", "title": "Aspirin", "sentences": []string{abstract}}},
		"scifact/dev/claims.jsonl": {
			object{"id": "1:9", "claim": "Aspirin lowers the risk of stroke.", "doc_id": "9", "label": "SUPPORT"},
			object{"id": "2:9", "claim": "Aspirin increases the risk of stroke.", "doc_id": "9", "label": "CONTRADICT"},
			object{"id": "3:9", "claim": "Ibuprofen causes headaches.", "doc_id": "9", "label": "NEI"},
			object{"id": "4:7", "claim": "Its document is not in the corpus.", "doc_id": "7", "label": "NEI"},
			object{"id": "5:9", "claim": "Aspirin reduces stroke risk in adults.", "doc_id": "9", "label": "SUPPORT"},
			object{"id": "6:9", "claim": "Aspirin raises stroke risk in adults.", "doc_id": "9", "label": "CONTRADICT"},
			object{"id": "7:9", "claim": "Vitamins are sold in Norway.", "doc_id": "9", "label": "NEI"},
		},
		"halueval_qa/dev/pairs.jsonl": {
			object{"id": "a", "knowledge": "The head office is in Delhi.", "right_answer": "Delhi", "hallucinated": object{"one_turn": "Mumbai, the capital.", "multi_turn": "It has no office in Asia."}},
		},
		"xquad/corpus_en.jsonl": {
			object{"id": "p1", "title": "Logs", "text": "Old logs are kept for seven days."},
			object{"id": "p2", "title": "Fruit", "text": "Bananas are yellow."},
		},
		"xquad/dev/queries_en.jsonl": {
			object{"id": "q1", "query": "How long are logs kept?", "relevant": object{"p1": 1}, "answers": []any{object{"text": "Seven days.", "start": 23}}},
			object{"id": "q2", "query": "No negatives", "relevant": object{"p2": 1}, "answers": []any{object{"text": "yellow", "start": 12}}},
		},
		"xquad/dev/negatives_en.jsonl": {object{"id": "q1", "negatives": []string{"p2"}}},
		"scifact/dev/queries.jsonl":    {object{"id": "s1", "query": "aspirin stroke risk", "relevant": object{"9": 1}}},
		"scifact/dev/negatives.jsonl":  {object{"id": "s1", "negatives": []string{"9"}}},
		"rgb/dev/en_fact.jsonl": {object{"id": "r1", "query": "How long are logs kept?", "answer": []any{[]string{"7 days", "a week"}}, "fake_answer": "9 days",
			"positive": []string{"Logs are kept for 7 days.", "Old logs are kept for 7 days only."}, "positive_wrong": []string{"Logs are kept for 9 days.", "Old logs are kept for 9 days only."},
			"negative": []string{"Bananas are yellow.", "Logs are large."}}},
		"rgb/dev/zh_refine.jsonl": {object{"id": "r2", "query": "日志保留多久？", "positive": []string{"日志保留七天。"}, "negative": []string{"香蕉是黄色的。"}}},
		"clapnq/corpus.jsonl":     {object{"id": "c1", "title": "Logs", "text": "Old logs are kept for seven days."}},
		"clapnq/dev/queries.jsonl": {
			object{"id": "a", "query": "how long are old logs kept", "answerable": true, "passage": "c1"},
			object{"id": "b", "query": "who wrote the harbour plan", "answerable": false, "passage": "c1", "answers": []any{"a text without a place"}},
		},
		"mtrag_un/corpus.jsonl": {
			object{"id": "m1", "title": "Logs", "text": "Old logs are kept for seven days."},
			object{"id": "m2", "title": "Fruit", "text": "Bananas are yellow and cost three euros."},
		},
		"mtrag_un/dev/tasks.jsonl": {
			object{"id": "t1", "query": "How much do they cost?", "answerability": "ANSWERABLE", "contexts": []string{"m2"}, "history": []any{
				object{"speaker": "user", "text": "Which colour do bananas have?"}, object{"speaker": "agent", "text": "Yellow, unlike logs."}}},
			object{"id": "t2", "query": "Who built the harbour of Berlin?", "answerability": "UNANSWERABLE", "contexts": []string{}},
			object{"id": "t3", "query": "Which one?", "answerability": "UNDERSPECIFIED", "contexts": []string{}},
		},
		"covidqa/corpus.jsonl": {
			object{"id": "d1", "title": "Virüs", "text": "Virüs\n\nThe virüs lives for nine days on steel.\n\nBananas are not affected."},
		},
		"covidqa/dev/queries.jsonl": {
			object{"id": "v1", "query": "How long does the virus live on steel?", "relevant": object{"d1": 1}, "answers": []any{object{"text": " nine days ", "start": 27}}},
			object{"id": "v2", "query": "What is not affected?", "relevant": object{"d1": 1}, "answers": []any{object{"text": " Bananas", "start": 48}}},
		},
		"llm_outputs/dev/float_array.jsonl": {
			object{"id": "f1", "n": 2, "raw": "[0.5, 1]", "expect": []any{0.5, 1}, "also_ok": []any{}},
			object{"id": "f2", "n": 2, "raw": "[null, 1]", "expect": []any{nil, 1}, "also_ok": []any{object{"fallback": true}}},
			object{"id": "f3", "n": 2, "raw": "no idea", "expect": object{"fallback": true}, "also_ok": []any{}},
			object{"id": "f4", "n": 2, "raw": "[0.1, 0.2]", "expect": []any{0.9, 0.9}, "also_ok": []any{[]any{0.1, 0.2}}},
			object{"id": "f5", "n": 2, "raw": "[0.1, 0.2]", "expect": []any{0.9, 0.9}, "also_ok": []any{}},
		},
		"llm_outputs/dev/object.jsonl": {
			object{"id": "o1", "keys": []string{"route", "query", "confidence"}, "raw": `{"route":"retrieve","query":"q","confidence":"80%","why":"x"}`,
				"expect": object{"route": "retrieve", "query": "q", "confidence": 0.8, "why": "x"}},
			object{"id": "o2", "keys": []string{"route", "query", "confidence"}, "raw": `{"route":"fly","query":"q","confidence":0.8}`, "expect": object{"fallback": true}},
			object{"id": "o3", "keys": []string{"claims"}, "raw": `{"claims":{"text":"t","supported":"yes","source":null}}`,
				"expect": object{"claims": []any{object{"text": "t", "supported": true, "source": nil}}}},
			object{"id": "o4", "keys": []string{"claims"}, "raw": `nothing`, "expect": object{"claims": []any{}}},
		},
	})
}

func run(t *testing.T, cfg eval.Config) map[string]eval.Result {
	t.Helper()
	got := make(map[string]eval.Result)
	require.NoError(t, eval.Run(t.Context(), cfg, func(r eval.Result) error {
		got[r.Set] = r
		return nil
	}))
	return got
}

func TestGroundingCountsTheCasesThatTheProtocolNames(t *testing.T) {
	got := run(t, eval.Config{Task: "grounding", Data: small(t), Part: "dev"})
	for set, want := range map[string]struct{ n, positives int }{
		"faithbench": {4, 2}, "wice": {6, 3}, "scifact_nei": {4, 2}, "scifact_contradict": {4, 2}, "halueval_qa": {3, 1}, "rgb_en": {4, 2}, "rgb_consistency": {4, 2},
	} {
		r := got[set]
		assert.Equal(t, want.n, r.N, set)
		assert.EqualValues(t, want.positives, r.Metrics["positives"], set)
		assert.Equal(t, []string{"grounding", set, "dev"}, []string{r.Task, r.Set, r.Part})
		for _, name := range []string{"auc", "accuracy", "balanced_accuracy", "ece"} {
			assert.Contains(t, r.Metrics, name, set)
		}
		low, high := r.Intervals["auc"][0], r.Intervals["auc"][1]
		assert.LessOrEqual(t, low, r.Metrics["auc"], set)
		assert.GreaterOrEqual(t, high, r.Metrics["auc"], set)
	}
	assert.Len(t, got, 7)
	for set, want := range map[string]float64{"scifact_contradict": 1, "rgb_en": 1} {
		assert.InDelta(t, want, got[set].Metrics["contradiction_auc"], 1e-12, set)
		assert.Contains(t, got[set].Intervals, "contradiction_auc", set)
	}
	assert.NotContains(t, got["wice"].Metrics, "contradiction_auc", "its claims are not all contradicted")
	for _, set := range []string{"wice", "faithbench", "scifact_nei", "scifact_contradict"} {
		assert.InDelta(t, 1, got[set].Metrics["auc"], 1e-12, "%s: these cases are easy", set)
	}
}

func TestParsingTellsPreferredHarmlessAndWrongApart(t *testing.T) {
	got := run(t, eval.Config{Task: "parsing", Data: small(t), Part: "dev"})
	floats := got["float_array"].Metrics
	assert.InDelta(t, 0.6, floats["preferred"], 1e-12, "f1, f2, f3")
	assert.InDelta(t, 0.8, floats["harmless"], 1e-12, "f4 as well")
	assert.EqualValues(t, 1, floats["wrong"], "f5")
	objects := got["object"].Metrics
	assert.InDelta(t, 0.75, objects["preferred"], 1e-12)
	assert.InDelta(t, 0.75, objects["harmless"], 1e-12)
	assert.Zero(t, objects["wrong"], "a refusal is not wrong")
}

func TestGradingCountsWhatStaysInTheContext(t *testing.T) {
	got := run(t, eval.Config{Task: "grading", Data: small(t), Part: "dev"})
	for set, want := range map[string]struct {
		n, positives int
		auc          float64
	}{"xquad_en": {2, 1, 1}, "scifact": {2, 1, 0.5}, "rgb_en": {4, 2, 1}, "rgb_zh": {2, 1, 1}} {
		assert.Equal(t, want.n, got[set].N, set)
		assert.EqualValues(t, want.positives, got[set].Metrics["positives"], set)
		assert.InDelta(t, want.auc, got[set].Metrics["auc"], 1e-12, set)
	}
	assert.InDelta(t, 1, got["xquad_en"].Metrics["kept_relevant"], 1e-12)
	assert.InDelta(t, 0, got["xquad_en"].Metrics["kept_irrelevant"], 1e-12)
	assert.InDelta(t, got["scifact"].Metrics["kept_relevant"], got["scifact"].Metrics["kept_irrelevant"], 1e-12, "the same passage on both sides")
}

func TestSufficiencyTellsAnswerableQuestionsFromOthers(t *testing.T) {
	got := run(t, eval.Config{Task: "sufficiency", Data: small(t), Part: "dev"})["clapnq"]
	assert.Equal(t, 2, got.N)
	assert.InDelta(t, 1, got.Metrics["auc"], 1e-12)
}

func TestAPassageThatTheCorpusLacksIsNamed(t *testing.T) {
	dir := small(t)
	path := filepath.Join(dir, "xquad", "dev", "negatives_en.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"id":"q1","negatives":["gone"]}`), 0o644))
	err := eval.Run(t.Context(), eval.Config{Task: "grading", Data: dir, Part: "dev", Set: "xquad_en"}, func(eval.Result) error { return nil })
	assert.ErrorContains(t, err, "no passage gone of query q1")
}

func TestTheSameCallGivesTheSameFigures(t *testing.T) {
	dir := small(t)
	cfg := eval.Config{Task: "grounding", Data: dir, Part: "dev", Set: "wice"}
	first, second := run(t, cfg)["wice"], run(t, cfg)["wice"]
	first.ElapsedMS, second.ElapsedMS = 0, 0
	assert.Equal(t, first, second)
}

func TestPartsAreReadApart(t *testing.T) {
	got := run(t, eval.Config{Task: "grounding", Data: small(t), Part: "heldout", Set: "wice"})
	assert.Equal(t, 3, got["wice"].N)
	assert.Equal(t, "heldout", got["wice"].Part)
}

func TestWhatDoesNotExistIsAUsageError(t *testing.T) {
	dir := small(t)
	for name, c := range map[string]struct {
		cfg  eval.Config
		says string
	}{
		"a task":         {eval.Config{Task: "guessing", Data: dir, Part: "dev"}, `no task "guessing"; the tasks are grounding, parsing, grading, sufficiency, retrieval, splitting, extraction, abstention, fusion`},
		"a set":          {eval.Config{Task: "parsing", Data: dir, Part: "dev", Set: "wice"}, `no set "wice"; its sets are float_array, object`},
		"a part":         {eval.Config{Task: "parsing", Data: dir, Part: "test"}, `dev or heldout, not "test"`},
		"a folder":       {eval.Config{Task: "parsing", Data: filepath.Join(dir, "no"), Part: "dev"}, "there is no "},
		"a set's part":   {eval.Config{Task: "parsing", Data: dir, Part: "heldout"}, "there is no "},
		"no data at all": {eval.Config{Task: "parsing", Part: "dev"}, "--data is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			err := eval.Run(t.Context(), c.cfg, func(eval.Result) error { return nil })
			var usage *eval.UsageError
			require.ErrorAs(t, err, &usage)
			assert.Contains(t, err.Error(), c.says)
		})
	}
}

func TestABrokenLineIsNamed(t *testing.T) {
	dir := small(t)
	path := filepath.Join(dir, "wice", "dev", "claims.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{\"id\":\"1\"}\n\n{broken\n"), 0o644))
	err := eval.Run(t.Context(), eval.Config{Task: "grounding", Data: dir, Part: "dev", Set: "wice"}, func(eval.Result) error { return nil })
	assert.ErrorContains(t, err, "claims.jsonl line 3")
}

func TestARunStopsWhenItIsCancelledOrItsReaderFails(t *testing.T) {
	cfg := eval.Config{Task: "grounding", Data: small(t), Part: "dev"}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, eval.Run(ctx, cfg, func(eval.Result) error { return nil }), context.Canceled)
	full := errors.New("the disk is full")
	calls := 0
	err := eval.Run(t.Context(), cfg, func(eval.Result) error { calls++; return full })
	assert.ErrorIs(t, err, full)
	assert.Equal(t, 1, calls)
}

func TestAFitReportsItsWeightsFittedAndCrossValidated(t *testing.T) {
	r, err := eval.Fit(t.Context(), small(t))
	require.NoError(t, err)
	assert.Len(t, r.Weights, len(r.Features)+1)
	assert.Len(t, r.Sets, 3)
	for _, s := range r.Sets {
		assert.GreaterOrEqual(t, s.Fitted, 0.5, s.Name)
		assert.Contains(t, r.String(), s.Name)
	}
	again, err := eval.Fit(t.Context(), small(t))
	require.NoError(t, err)
	assert.Equal(t, r, again, "nothing in it is random")
	var usage *eval.UsageError
	_, err = eval.Fit(t.Context(), "")
	assert.ErrorAs(t, err, &usage)
}
