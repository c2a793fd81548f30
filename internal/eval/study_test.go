package eval_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/eval"
)

// bridges are two small sets for a study. Of xquad_en's questions some have their passage hidden, by their ids.
func bridges(t *testing.T) string {
	facts := [][2]string{{"Rome", "Trajan"}, {"Bath", "Pulteney"}, {"Prague", "Parler"}, {"Mostar", "Hayruddin"}, {"Paris", "Perronet"}, {"Florence", "Ammannati"}}
	files := map[string][]any{}
	for i, f := range facts {
		text := fmt.Sprintf("The stone bridge of %s was planned by %s. It has stood over the river for a long time.", f[0], f[1])
		question := fmt.Sprintf("Who planned the bridge of %s?", f[0])
		passage := object{"id": f[0], "title": "Bridges of " + f[0], "text": text}
		files["xquad/corpus_en.jsonl"] = append(files["xquad/corpus_en.jsonl"], passage)
		files["clapnq/corpus.jsonl"] = append(files["clapnq/corpus.jsonl"], passage)
		files["xquad/dev/queries_en.jsonl"] = append(files["xquad/dev/queries_en.jsonl"], object{
			"id": fmt.Sprint("q", i), "query": question, "relevant": object{f[0]: 1}, "answers": []any{object{"text": f[1], "start": 3}},
		})
		clapnq := object{"id": fmt.Sprint("c", i), "query": question, "passage": f[0], "answerable": i%2 == 0, "answers": []string{}}
		if i%2 == 0 {
			clapnq["answers"] = []string{f[1] + " planned it. It is of stone."}
		}
		files["clapnq/dev/queries.jsonl"] = append(files["clapnq/dev/queries.jsonl"], clapnq)
	}
	return data(t, files)
}

func study(t *testing.T, cfg eval.StudyConfig) []eval.Result {
	t.Helper()
	var all []eval.Result
	require.NoError(t, eval.Study(t.Context(), cfg, func(r eval.Result) error {
		r.ElapsedMS = 0
		all = append(all, r)
		return nil
	}))
	return all
}

func TestAStudyTellsEveryStageAtEveryPointAndSaysThatItIsSimulated(t *testing.T) {
	all := study(t, eval.StudyConfig{Data: bridges(t), Part: "dev", Questions: 3})
	stages := eval.StudyStages()
	require.Len(t, all, 2*11*len(stages), "two sets at eleven points")
	for i, r := range all {
		assert.Equal(t, "study", r.Task)
		assert.Equal(t, []string{"xquad_en", "clapnq"}[i/(11*len(stages))], r.Set)
		assert.Equal(t, 3, r.N)
		assert.Equal(t, stages[i%len(stages)], r.Config["stage"])
		assert.Equal(t, eval.StudySimulated, r.Config["simulated"])
		for _, name := range eval.StudyMetrics() {
			require.Contains(t, r.Metrics, name)
			low, high := r.Intervals[name][0], r.Intervals[name][1]
			assert.True(t, low <= r.Metrics[name]+1e-9 && r.Metrics[name] <= high+1e-9, "%s is outside its interval", name)
		}
		m := r.Metrics
		assert.InDelta(t, m["net"], m["accuracy"]-m["hallucinated"], 1e-9)
		assert.LessOrEqual(t, m["accuracy"]+m["hallucinated"]+m["flagged_right"]+m["flagged_wrong"], 1+1e-9)
		if i%len(stages) == 0 {
			assert.NotContains(t, m, "net"+eval.StudyChange)
			continue
		}
		for _, name := range []string{"accuracy", "hallucinated", "net", "calls", "tokens"} {
			assert.InDelta(t, m[name]-all[i-1].Metrics[name], m[name+eval.StudyChange], 1e-9, name)
		}
	}
}

func TestTheSameStudyGivesTheSameFiguresAndAnotherSeedOthers(t *testing.T) {
	cfg := eval.StudyConfig{Data: bridges(t), Part: "dev", Set: "clapnq", Questions: 3}
	first := study(t, cfg)
	assert.Equal(t, first, study(t, cfg))
	cfg.Seed = 5
	other := study(t, cfg)
	same := 0
	for i := range other {
		if other[i].Metrics["net"] == first[i].Metrics["net"] {
			same++
		}
	}
	assert.Less(t, same, len(other))
}

func TestASampleDoesNotDependOnTheOrderOfTheQuestions(t *testing.T) {
	rows := []any{}
	for i := range 8 {
		rows = append(rows, object{"id": fmt.Sprint(i), "query": "Who planned the bridge?", "passage": "Rome", "answerable": i%2 == 0, "answers": []string{fmt.Sprint("Planner ", i)}})
	}
	corpus := []any{object{"id": "Rome", "title": "Bridges", "text": "The bridge was planned by Trajan."}}
	results := func(rows []any) []eval.Result {
		dir := data(t, map[string][]any{"clapnq/corpus.jsonl": corpus, "clapnq/dev/queries.jsonl": rows})
		return study(t, eval.StudyConfig{Data: dir, Part: "dev", Set: "clapnq", Questions: 3})
	}
	first := results(rows)
	assert.Equal(t, 3, first[0].N)
	slices.Reverse(rows)
	for i, r := range results(rows) {
		assert.InDelta(t, first[i].Metrics["calls"], r.Metrics["calls"], 1e-9)
		assert.InDelta(t, first[i].Metrics["tokens"], r.Metrics["tokens"], 1e-9)
	}
}

func TestAStudyTellsItsProgress(t *testing.T) {
	var last int
	done := make(chan int, 6)
	study(t, eval.StudyConfig{Data: bridges(t), Part: "dev", Set: "xquad_en", Progress: func(set string, n, of int) {
		assert.Equal(t, "xquad_en", set)
		assert.Equal(t, 6, of)
		done <- n
	}})
	close(done)
	for n := range done {
		last = max(last, n)
	}
	assert.Equal(t, 6, last)
}

func TestAStudyOfWhatDoesNotExistIsAUsageError(t *testing.T) {
	dir := bridges(t)
	for name, c := range map[string]struct {
		cfg  eval.StudyConfig
		want string
	}{
		"a set":                  {eval.StudyConfig{Data: dir, Part: "dev", Set: "wice"}, `no set "wice"; its sets are xquad_en, clapnq`},
		"a part":                 {eval.StudyConfig{Data: dir, Part: "test"}, "dev or heldout"},
		"no folder":              {eval.StudyConfig{Part: "dev"}, "--data is missing"},
		"another folder":         {eval.StudyConfig{Data: t.TempDir(), Part: "dev"}, "there is no "},
		"less than one question": {eval.StudyConfig{Data: dir, Part: "dev", Questions: -1}, "a number from 1"},
	} {
		err := eval.Study(t.Context(), c.cfg, func(eval.Result) error { return nil })
		var usage *eval.UsageError
		require.ErrorAs(t, err, &usage, name)
		assert.ErrorContains(t, err, c.want, name)
	}
}

func TestAStudyStopsWhenItIsCancelledOrItsReaderFails(t *testing.T) {
	cfg := eval.StudyConfig{Data: bridges(t), Part: "dev", Questions: 1}
	full := errors.New("disk full")
	n := 0
	err := eval.Study(t.Context(), cfg, func(eval.Result) error { n++; return full })
	assert.ErrorIs(t, err, full)
	assert.Equal(t, 1, n)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = eval.Study(ctx, cfg, func(eval.Result) error { t.Error("a result of a cancelled study"); return nil })
	assert.ErrorIs(t, err, context.Canceled)
}
