package eval

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/state"
)

// harbours is a set of three questions with an answer and three without: of the first of these the passage is hidden.
func harbours() studySet {
	set := studySet{name: "harbours", decoys: []string{"Hadrian", "Agrippina", "Ferdinand the Elder", "eleven cranes"}}
	facts := []struct{ town, builder string }{
		{"Lisbon", "Hadrian"}, {"Cologne", "Agrippina"}, {"Antwerp", "Ferdinand the Elder"}, {"Gdansk", "Casimir"}, {"Bergen", "Olaf"}, {"Riga", "Albert"},
	}
	for _, f := range facts {
		set.corpus = append(set.corpus, index.Record{
			Path: f.town, Title: "Harbour of " + f.town,
			Text: fmt.Sprintf("The harbour of %s was built by %s. Ships of many towns have stopped at its walls since then.", f.town, f.builder),
		})
	}
	ask := func(town string) studyQuestion {
		return studyQuestion{id: town, text: "Who built the harbour of " + town + "?"}
	}
	for _, f := range facts[:3] {
		q := ask(f.town)
		q.gold, q.answers = f.town, []string{f.builder}
		set.questions = append(set.questions, q)
	}
	hidden := ask("Gdansk")
	hidden.hidden = "Gdansk"
	set.questions = append(set.questions, hidden, ask("Genoa"), ask("Split"))
	return set
}

// opened is the world of a set, closed when the test ends.
func opened(t *testing.T, set studySet) *studyWorld {
	t.Helper()
	w, err := openStudyWorld(t.Context(), set)
	require.NoError(t, err)
	t.Cleanup(func() {
		var err error
		w.close(&err)
		assert.NoError(t, err)
	})
	return w
}

// means are the metrics of every stage for all questions at one point.
func means(t *testing.T, p StudyRates) map[string]map[string]float64 {
	t.Helper()
	set := harbours()
	w := opened(t, set)
	var all []studyOutcomes
	for _, q := range set.questions {
		one, err := w.askAll(t.Context(), q, []StudyRates{p}, 1)
		require.NoError(t, err)
		all = append(all, one)
	}
	stages := map[string]map[string]float64{}
	for i, s := range studyStages {
		stages[s.name] = studyResult(all, i, p).Metrics
	}
	return stages
}

func TestAModelThatNeverErrsIsRightAtEveryStage(t *testing.T) {
	for stage, m := range means(t, StudyRates{Abstains: 1}) {
		if stage != "confidence" && stage != "strict" { // whose floors doubt right answers, too
			assert.InDelta(t, 1, m["accuracy"], 1e-9, stage)
		}
		assert.Zero(t, m["hallucinated"], stage)
	}
}

func TestAVerifierThatNeverErrsLetsNothingWrongPass(t *testing.T) {
	stages := means(t, StudyRates{Grader: 0.3, Hallucination: 1, Abstains: 0})
	assert.InDelta(t, 1, stages["plain"]["hallucinated"], 1e-9, "without it all is wrong")
	for _, stage := range []string{"verification", "correction", "confidence", "strict"} {
		assert.Zero(t, stages[stage]["hallucinated"], stage)
	}
	assert.Zero(t, stages["strict"]["flagged_wrong"], "strict gives no doubtful answer")
	assert.Positive(t, stages["verification"]["flagged_wrong"])
}

func TestAVerifierThatAlwaysErrsFlagsWhatIsRight(t *testing.T) {
	stages := means(t, StudyRates{Verifier: 1, Abstains: 1})
	assert.InDelta(t, 0.5, stages["verification"]["flagged_right"], 1e-9, "all that has an answer")
	wrong := means(t, StudyRates{Verifier: 1, Hallucination: 1, Abstains: 1})
	assert.InDelta(t, 0.5, wrong["verification"]["hallucinated"], 1e-9, "and lets pass what is wrong")
}

func TestTheLoopTurnsInventionsIntoAbstentions(t *testing.T) {
	stages := means(t, StudyRates{})
	assert.InDelta(t, 0.5, stages["plain"]["hallucinated"], 1e-9, "half of the questions have no answer, and all are invented")
	assert.InDelta(t, 0.5, stages["grading"]["low_evidence"], 1e-9, "one round answers from what was dropped")
	assert.InDelta(t, 1, stages["loop"]["accuracy"], 1e-9)
	assert.InDelta(t, 0.5, stages["loop"]["accuracy_change"], 1e-9)
	assert.InDelta(t, 0.5, stages["loop"]["abstained"], 1e-9)
}

func TestGradingPaysWhenIrrelevantItemsMislead(t *testing.T) {
	stages := means(t, StudyRates{Distraction: 1, Abstains: 1})
	assert.InDelta(t, 0.5, stages["plain"]["hallucinated"], 1e-9, "whatever has an answer is answered wrongly beside other items")
	assert.InDelta(t, 1, stages["grading"]["accuracy"], 1e-9, "which grading drops")
}

func TestAPassageThatIsHiddenIsFoundByNoTool(t *testing.T) {
	set := harbours()
	w := opened(t, set)
	for _, c := range []struct {
		hidden string
		found  int
	}{{"", 1}, {"Gdansk", 0}} {
		ix, err := w.index(t.Context(), studyQuestion{hidden: c.hidden})
		require.NoError(t, err)
		hits, err := ix.Keyword(t.Context(), "Casimir", 10)
		require.NoError(t, err)
		assert.Len(t, hits, c.found, "keyword search")
		hits, err = ix.Grep(t.Context(), "Casimir", 10)
		require.NoError(t, err)
		assert.Len(t, hits, c.found, "grep")
		files, err := ix.Files(t.Context(), "")
		require.NoError(t, err)
		assert.Len(t, files, 5+c.found, "files")
		hits, err = ix.Keyword(t.Context(), "harbour", 5)
		require.NoError(t, err)
		assert.Len(t, hits, 5, "another passage takes its place")
	}
}

func TestRatesThatDoNotMatterChangeNothing(t *testing.T) {
	set := harbours()
	w := opened(t, set)
	p := StudyRates{Grader: 0.4, Hallucination: 0.4, Distraction: 0.05, Verifier: 0.4, Abstains: 0.4}
	for _, q := range set.questions {
		ix, err := w.index(t.Context(), q)
		require.NoError(t, err)
		for i, stage := range studyStages {
			ask := func(p StudyRates) studyOutcome {
				o, err := w.ask(t.Context(), q, studyKey{i, p}, 3, func(s *studyScript) (*agent.Agent, error) {
					return studyAgent(studyTools(ix), ix, i, s)
				})
				require.NoError(t, err)
				return o
			}
			assert.Equal(t, ask(p), ask(stage.matter(p)), "%s of %s", stage.name, q.id)
		}
	}
}

func TestADefectOfTheScriptIsNoAnswerOfTheAgent(t *testing.T) {
	set := harbours()
	set.decoys = nil
	w := opened(t, set)
	_, err := w.askAll(t.Context(), set.questions[0], []StudyRates{{Hallucination: 1}}, 1)
	require.ErrorContains(t, err, "no other question has another answer")
	assert.ErrorContains(t, err, "stage plain")
}

func TestTheIndexOfAStudyIsRemoved(t *testing.T) {
	w, err := openStudyWorld(t.Context(), harbours())
	require.NoError(t, err)
	require.DirExists(t, w.dir)
	w.close(&err)
	require.NoError(t, err)
	_, err = os.Stat(w.dir)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestThePointsChangeOneRateAtATimeOrAll(t *testing.T) {
	for _, c := range []struct {
		grid bool
		n    int
	}{{false, 11}, {true, 31}} {
		points := studyPoints(c.grid)
		assert.Len(t, points, c.n)
		assert.Equal(t, studyBase, points[0])
		seen := map[StudyRates]bool{}
		for _, p := range points {
			assert.False(t, seen[p], "%+v twice", p)
			seen[p] = true
			assert.True(t, c.grid || p.changes() <= 1, "%+v", p)
		}
	}
}

func TestStagesAddUp(t *testing.T) {
	plain, strict := studySettings(0), studySettings(len(studyStages)-1)
	assert.Equal(t, 100, plain.AutoApproveMaxItems)
	assert.Equal(t, 1, plain.MaxIterations)
	assert.False(t, plain.Verify || plain.ScoreConfidence)
	want := state.DefaultSettings()
	want.Verify, want.ScoreConfidence, want.AnswerMode = true, true, state.ModeStrict
	assert.Equal(t, want, strict, "all stages are the defaults with verification, confidence and strict")
}

func TestAStagePaysWhenTheIntervalOfItsChangeLiesAboveNought(t *testing.T) {
	for want, interval := range map[string][2]float64{StudyPays: {0.01, 0.2}, StudyCosts: {-0.2, -0.01}, StudyEven: {0, 0.2}} {
		assert.Equal(t, want, StudyVerdict(Result{Intervals: map[string][2]float64{"net_change": interval}}))
	}
	assert.Empty(t, StudyVerdict(Result{}))
}
