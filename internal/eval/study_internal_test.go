package eval

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/nodes"
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
	p := StudyRates{Grader: 0.4, Hallucination: 0.4, Verifier: 0.4, Abstains: 0.4}
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

func TestDrawsDependOnNothingButTheCallAndWhatItIsFor(t *testing.T) {
	d := studyDraws{seed: 1, question: "q", role: nodes.RoleGrader, call: 1}
	assert.InDelta(t, d.draw("x"), d.draw("x"), 0)
	for name, other := range map[string]studyDraws{
		"the seed":     {2, "q", nodes.RoleGrader, 1},
		"the question": {1, "r", nodes.RoleGrader, 1},
		"the role":     {1, "q", nodes.RoleVerifier, 1},
		"the call":     {1, "q", nodes.RoleGrader, 2},
	} {
		assert.NotEqual(t, d.draw("x"), other.draw("x"), name) //nolint:testifylint // draws are equal or they are not
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

func TestThePointsChangeOneRateAtATimeOrAll(t *testing.T) {
	for _, c := range []struct {
		grid bool
		n    int
	}{{false, 9}, {true, 29}} {
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
