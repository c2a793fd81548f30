package rules

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/state"
)

// scored is an item with a retrieval score.
func scored(path, content string, kind state.ScoreKind, score float64) state.Evidence {
	return state.Evidence{ID: path, Path: path, Content: content, ScoreKind: kind, RetrievalScore: score}
}

const asyncText = "Async patterns in Python use asyncio library for concurrent execution"

func TestTheHeuristicGivesTheTwoDocumentedScores(t *testing.T) {
	for _, c := range []struct {
		query  string
		item   state.Evidence
		score  float64
		class  string
		action state.Action
	}{
		{"Python async patterns", scored("docs/async.md", asyncText, state.ScoreCosine, .92), 0.8375, ClassRelevant, state.ActionGenerate},
		{"Kubernetes deployment strategies", scored("docs/frontend.md", "React components use hooks for state management", state.ScoreCosine, .35),
			0.3035, ClassIrrelevant, state.ActionReRetrieve},
	} {
		e := EvaluateHeuristic(c.query, []state.Evidence{c.item}, false)
		assert.Equal(t, c.score, math.Round(e.Score*1e4)/1e4, c.query)
		assert.Equal(t, c.class, e.Class)
		assert.Equal(t, c.action, e.Action)
		assert.Empty(t, e.Missing)
		assert.Equal(t, []float64{c.item.RetrievalScore}, e.PerItem)
	}
}

func TestTheHeuristicNamesItsFiguresInOneSentence(t *testing.T) {
	e := EvaluateHeuristic("Python async patterns", []state.Evidence{scored("a.md", asyncText, state.ScoreCosine, .92)}, false)
	assert.Equal(t, map[string]float64{SignalOverlap: 1, SignalCoherence: .92, SignalLength: .13, SignalDiversity: 1}, e.Subscores)
	assert.Equal(t, "RELEVANT with a score of 0.8375 (relevant above 0.75, partial above 0.50) of keyword overlap 1.00, semantic coherence 0.92, length adequacy 0.13, diversity 1.00.", e.Reasoning)
}

func TestTheHeuristicsEdgesAreStrict(t *testing.T) {
	// One long item with all words and one source: 0.30 + 0.40·s + 0.15 + 0.15.
	long := "term " + strings.Repeat("word ", 100)
	for score, want := range map[float64]string{.375: ClassPartial, .376: ClassRelevant, .374: ClassPartial} {
		e := EvaluateHeuristic("term", []state.Evidence{scored("a", long, state.ScoreCosine, score)}, false)
		assert.Equal(t, want, e.Class, "%v gives %v", score, e.Score)
	}
	// Without the words: 0.40·s + 0.30.
	for score, want := range map[float64]string{.5: ClassIrrelevant, .501: ClassPartial} {
		e := EvaluateHeuristic("absent", []state.Evidence{scored("a", long, state.ScoreCosine, score)}, false)
		assert.Equal(t, want, e.Class, "%v gives %v", score, e.Score)
	}
}

func TestTheHeuristicCompares(t *testing.T) {
	one := func(content string) []state.Evidence {
		return []state.Evidence{scored("a.md", content, state.ScoreCosine, .5)}
	}
	for claim, c := range map[string]struct {
		query, content string
		want           float64
	}{
		"whole words, not letters":            {"go", "the algorithm is good", 0},
		"other forms of a word":               {"rotating logs", "A log is rotated.", 1},
		"without punctuation":                 {"rotation?", "(rotation)", 1},
		"without stop words":                  {"what is the rotation of it", "rotation", 1},
		"Chinese by pairs of characters":      {"日志保留", "旧日志会删除", 1. / 3},
		"a share of the words":                {"red green blue black", "red and blue", .5},
		"no words of an empty question":       {"", "text", 0},
		"no words of a question of stopwords": {"what is it", "what it is", 0},
	} {
		t.Run(claim, func(t *testing.T) {
			assert.InDelta(t, c.want, EvaluateHeuristic(c.query, one(c.content), false).Subscores[SignalOverlap], 1e-9)
		})
	}
}

func TestDiversityDoesNotCountWithASourceFilter(t *testing.T) {
	items := []state.Evidence{scored("a.md", asyncText, state.ScoreCosine, .9), scored("a.md", asyncText, state.ScoreCosine, .9)}
	e := EvaluateHeuristic("Python async", items, true)
	assert.Equal(t, []string{SignalDiversity}, e.Missing)
	assert.NotContains(t, e.Subscores, SignalDiversity)
	assert.InDelta(t, (.3*1+.4*.9+.15*.13)/.85, e.Score, 1e-9, "the other weights are scaled up")
	assert.Equal(t, .5, EvaluateHeuristic("Python async", items, false).Subscores[SignalDiversity])
}

func TestScoresThatSayNothingOfSimilarityAreReplacedByTheLexicalOnes(t *testing.T) {
	for claim, items := range map[string][]state.Evidence{
		"ranks":         {scored("a", asyncText, state.ScoreRRF, 1), scored("b", "bread", state.ScoreRRF, 1)},
		"several kinds": {scored("a", asyncText, state.ScoreCosine, 1), scored("b", "bread", state.ScoreBM25, 1)},
		"no scores":     {scored("a", asyncText, state.ScoreNone, 0), scored("b", "bread", state.ScoreNone, 0)},
	} {
		e := EvaluateHeuristic("Python async patterns", items, false)
		assert.Equal(t, Relevance("Python async patterns", items, TermStats{}), e.PerItem, claim)
	}
}

func TestCoherenceFallsWithTheScatterOfTheScores(t *testing.T) {
	assert.InDelta(t, .5*(1-.25), coherence([]float64{0, 1}), 1e-9, "the variance of the population")
	assert.InDelta(t, .5, coherence([]float64{.5, .5}), 1e-9)
	assert.Zero(t, coherence(nil))
}

// reranked are items of different places that hold all terms of "alpha beta", so that coverage and agreement are 1.
func reranked(scores ...float64) (list []state.Evidence) {
	for i, s := range scores {
		list = append(list, scored(fmt.Sprint(i), "alpha beta", state.ScoreRerank, s))
	}
	return list
}

func TestTheSignalsWeighRerankingCoverageAndAgreement(t *testing.T) {
	e := EvaluateSignals("alpha beta", reranked(.9, .1, .6, .3), nil)
	assert.InDelta(t, .6, e.Subscores[SignalRerank], 1e-9, "the mean of the three best")
	assert.InDelta(t, .4*.6+.3+.3, e.Score, 1e-9)
	assert.Equal(t, []float64{.9, .1, .6, .3}, e.PerItem)
	assert.Empty(t, e.Missing)
}

func TestTheSignalsEdges(t *testing.T) {
	// Two items that share no word of the question: coverage 1/2 of four terms, agreement 0: 0.4·r + 0.15.
	edge := func(rerank float64) Evaluation {
		items := reranked(rerank, rerank)
		items[0].Content, items[1].Content = "alpha", "beta"
		return EvaluateSignals("alpha beta gamma delta", items, nil)
	}
	// All words in both: 0.4·r + 0.6.
	full := func(rerank float64) Evaluation {
		return EvaluateSignals("alpha beta", reranked(rerank, rerank, rerank), nil)
	}
	for _, c := range []struct {
		e      Evaluation
		score  float64
		class  string
		action state.Action
	}{
		{full(.25), .70, ClassCorrect, state.ActionGenerate},
		{full(.24), .696, ClassAmbiguous, state.ActionRefine},
		{full(.26), .704, ClassCorrect, state.ActionGenerate},
		{edge(.375), .30, ClassIncorrect, state.ActionReRetrieve},
		{edge(.38), .302, ClassAmbiguous, state.ActionRefine},
		{edge(.37), .298, ClassIncorrect, state.ActionReRetrieve},
	} {
		assert.InDelta(t, c.score, c.e.Score, 1e-9)
		assert.Equal(t, c.class, c.e.Class, c.e.Reasoning)
		assert.Equal(t, c.action, c.e.Action)
	}
	assert.InDelta(t, .298, edge(.37).Score, 1e-9, "the score of a poor class is not turned round")
}

func TestAMissingSignalLeavesItsWeightToTheOthers(t *testing.T) {
	t.Run("a single item agrees with nobody", func(t *testing.T) {
		e := EvaluateSignals("alpha beta", reranked(.5), nil)
		assert.Equal(t, []string{SignalAgreement}, e.Missing)
		assert.InDelta(t, (.4*.5+.3*1)/.7, e.Score, 1e-9)
	})
	t.Run("a question without content words covers nothing", func(t *testing.T) {
		e := EvaluateSignals("what is it", reranked(.8, .8), nil)
		assert.Equal(t, []string{SignalCoverage, SignalAgreement}, e.Missing)
		assert.InDelta(t, .8, e.Score, 1e-9)
	})
	t.Run("without a re-ranker the best lexical grade stands in", func(t *testing.T) {
		items := []state.Evidence{scored("a", "alpha beta", state.ScoreCosine, .1), scored("b", "bread", state.ScoreCosine, .9)}
		e := EvaluateSignals("alpha beta", items, nil)
		assert.Equal(t, []string{SignalRerank}, e.Missing)
		assert.Equal(t, Relevance("alpha beta", items, TermStats{}), e.PerItem)
		assert.Equal(t, e.PerItem[0], e.Subscores[SignalLexical])
		assert.InDelta(t, .4*e.PerItem[0]+.3+.3*0, e.Score, 1e-9)
	})
	t.Run("agreement alone says nothing of relevance", func(t *testing.T) {
		items := []state.Evidence{scored("a", "x", state.ScoreNone, 0), scored("b", "x", state.ScoreNone, 0)}
		e := EvaluateSignals("", items, lists("q", []string{"a"}, []string{"a"}))
		assert.Equal(t, []string{SignalRerank, SignalCoverage}, e.Missing)
		assert.Equal(t, .5, e.Score)
		assert.Equal(t, ClassAmbiguous, e.Class)
	})
	t.Run("nothing retrieved is incorrect", func(t *testing.T) {
		e := EvaluateSignals("alpha", nil, nil)
		assert.Zero(t, e.Score)
		assert.Equal(t, ClassIncorrect, e.Class)
		assert.Contains(t, e.Reasoning, "nothing could be measured")
		assert.Equal(t, ClassIrrelevant, EvaluateHeuristic("alpha", nil, false).Class)
	})
}

// lists are the calls of different tools for one query in round 2.
func lists(query string, ids ...[]string) (history []state.ToolRecord) {
	for i, list := range ids {
		args, err := json.Marshal(map[string]any{"query": query, "k": i})
		if err != nil {
			panic(err)
		}
		history = append(history, state.ToolRecord{Round: 2, Name: fmt.Sprint("search", i), Args: args, ItemIDs: list})
	}
	return history
}

func TestListsAgreeByTheItemsThatTheyShare(t *testing.T) {
	a, b := []string{"a", "b", "c", "d"}, []string{"c", "d"}
	sameTool := lists("q", a, b)
	sameTool[1].Name = sameTool[0].Name
	failed := lists("q", a, b)
	failed[1].Error = "FAILED"
	earlier := append([]state.ToolRecord{{Round: 1, Name: "x", Args: json.RawMessage(`{"query":"q"}`), ItemIDs: []string{"z"}}}, lists("q", a, b)...)
	otherQuery := append(lists("q", a), lists("r", []string{"z"}, b)[1])
	for claim, c := range map[string]struct {
		history []state.ToolRecord
		want    float64
		known   bool
	}{
		"by the shorter list":               {lists("q", a, b), 1, true},
		"not at all":                        {lists("q", a, []string{"x"}), 0, true},
		"in the mean over the pairs":        {lists("q", []string{"a", "b"}, []string{"a", "x"}, []string{"a", "b"}), 2. / 3, true},
		"not within one tool":               {sameTool, 0, false},
		"not with a call that failed":       {failed, 0, false},
		"only in the last round":            {earlier, 1, true},
		"only for the same query":           {otherQuery, 0, false},
		"not with an empty list":            {lists("q", a, nil), 0, false},
		"not when there is no history":      {nil, 0, false},
		"not when arguments are unreadable": {[]state.ToolRecord{{Args: json.RawMessage(`{`), ItemIDs: a}, {Args: nil, ItemIDs: a}}, 0, false},
	} {
		t.Run(claim, func(t *testing.T) {
			got, known := listAgreement(c.history)
			assert.Equal(t, c.known, known)
			assert.InDelta(t, c.want, got, 1e-9)
		})
	}
}

func TestItemsAgreeByThePartOfTheQuestionThatTheyHold(t *testing.T) {
	agree := func(contents ...string) float64 {
		q := newQueryTerms("alpha beta gamma", TermStats{})
		var list []state.Evidence
		for _, c := range contents {
			list = append(list, state.Evidence{Content: c})
		}
		v, known := q.itemAgreement(q.study(list))
		require.True(t, known)
		return v
	}
	assert.InDelta(t, 1, agree("alpha beta", "beta and alpha"), 1e-9)
	assert.InDelta(t, .5, agree("alpha beta", "beta"), 1e-9)
	assert.Zero(t, agree("alpha", "beta"))
	assert.Zero(t, agree("bread", "butter"), "what holds nothing of the question does not agree on it")
	assert.InDelta(t, 1, agree("alpha", "alpha", "alpha", "alpha", "alpha", "bread"), 1e-9, "five items are compared")
}

func TestEvaluationsAreNumbersFromZeroToOneForAnything(t *testing.T) {
	kinds := []state.ScoreKind{state.ScoreCosine, state.ScoreRerank, state.ScoreRRF, state.ScoreNone, ""}
	rapid.Check(t, func(t *rapid.T) {
		query := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "the", "什么是", "alpha 数据库"})).Draw(t, "query")
		var items []state.Evidence
		for i := range rapid.IntRange(0, 4).Draw(t, "n") {
			score := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), -1})).Draw(t, "score")
			items = append(items, scored(fmt.Sprint(i%2), rapid.String().Draw(t, "content"), rapid.SampledFrom(kinds).Draw(t, "kind"), score))
		}
		for _, e := range []Evaluation{EvaluateHeuristic(query, items, len(items) == 1), EvaluateSignals(query, items, nil)} {
			assert.True(t, e.Score >= 0 && e.Score <= 1, e.Score)
			assert.Len(t, e.PerItem, len(items))
			assert.NotEmpty(t, e.Class)
			assert.NotContains(t, e.Reasoning, "NaN")
			for name, v := range e.Subscores {
				assert.True(t, v >= 0 && v <= 1, name)
			}
		}
	})
}

// twentyItems are 20 items of 200 words.
func twentyItems() (list []state.Evidence) {
	sentence := "The server keeps old log files for seven days and rotates them every night before the backup starts. "
	other := "A configuration file names each directory, its owner, and the largest size that it may reach over time. "
	for i := range 20 {
		content := strings.Repeat(sentence+other, 200/36+1)
		list = append(list, scored(fmt.Sprintf("docs/%d.md", i), content[:1150], state.ScoreRRF, 1-float64(i)/20))
	}
	return list
}

func BenchmarkEvaluate20Items(b *testing.B) {
	items := twentyItems()
	for b.Loop() {
		EvaluateHeuristic("How long does the server keep old log files?", items, false)
		EvaluateSignals("How long does the server keep old log files?", items, nil)
	}
}
