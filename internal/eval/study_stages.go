package eval

import "github.com/kbagent/kbagent/state"

// StudyRates are how often the simulated model errs. All are probabilities, 0–1.
type StudyRates struct {
	Grader        float64 // an item's relevance is taken for its opposite
	Hallucination float64 // a wrong answer is written although the right one stands in the evidence
	Distraction   float64 // what each irrelevant item of the evidence adds to Hallucination
	Verifier      float64 // a true claim is taken for unsupported, or a false one for supported
	Abstains      float64 // the answer does not stand in the evidence, and the model says so instead of inventing one
}

// studyBase is the point of the rates from which one at a time is changed.
var studyBase = StudyRates{Grader: 0.1, Hallucination: 0.15, Verifier: 0.1, Abstains: 0.5}

// The rates of a study.
var (
	studyGrader        = []float64{0, 0.1, 0.3}
	studyHallucination = []float64{0.05, 0.15, 0.3}
	studyDistraction   = []float64{0, 0.03, 0.1}
	studyVerifier      = []float64{0, 0.1, 0.3}
	studyAbstains      = []float64{0.1, 0.5, 0.9}
)

// studyPoints are the points of the rates: the base, and then one rate changed at a time; or, with grid, every combination
// of the three error rates, and the changes of the others.
func studyPoints(grid bool) []StudyRates {
	points := []StudyRates{studyBase}
	add := func(p StudyRates) {
		if p != studyBase {
			points = append(points, p)
		}
	}
	for _, g := range studyGrader {
		for _, h := range studyHallucination {
			for _, v := range studyVerifier {
				p := studyBase
				p.Grader, p.Hallucination, p.Verifier = g, h, v
				if grid || p.changes() == 1 {
					add(p)
				}
			}
		}
	}
	for _, d := range studyDistraction {
		p := studyBase
		p.Distraction = d
		add(p)
	}
	for _, a := range studyAbstains {
		p := studyBase
		p.Abstains = a
		add(p)
	}
	return points
}

// changes is how many rates differ from those of the base.
func (p StudyRates) changes() int {
	n := 0
	for _, differs := range []bool{
		p.Grader != studyBase.Grader, p.Hallucination != studyBase.Hallucination, p.Distraction != studyBase.Distraction,
		p.Verifier != studyBase.Verifier, p.Abstains != studyBase.Abstains,
	} {
		if differs {
			n++
		}
	}
	return n
}

// studyStage is one stage of the agent, on top of those before it.
type studyStage struct {
	name string
	add  func(*state.Settings)
	// matter keeps of the rates those that can change a run with this stage and those before it.
	matter func(StudyRates) StudyRates
}

// studyStages are the stages in the order in which they are added.
var studyStages = []studyStage{
	{"plain", func(s *state.Settings) {
		s.AutoApproveMaxItems, s.MaxIterations, s.Verify, s.ScoreConfidence = 100, 1, false, false
	}, studyUngraded},
	{"grading", func(s *state.Settings) { s.AutoApproveMaxItems = state.DefaultSettings().AutoApproveMaxItems }, studyUnverified},
	{"loop", func(s *state.Settings) { s.MaxIterations = state.DefaultSettings().MaxIterations }, studyUnverified},
	{"verification", func(s *state.Settings) { s.Verify, s.VerifyAttempts = true, 0 }, studyAllRates},
	{"correction", func(s *state.Settings) { s.VerifyAttempts = state.DefaultSettings().VerifyAttempts }, studyAllRates},
	{"confidence", func(s *state.Settings) { s.ScoreConfidence = true }, studyAllRates},
	{"strict", func(s *state.Settings) { s.AnswerMode = state.ModeStrict }, studyAllRates},
}

func studyUngraded(p StudyRates) StudyRates {
	p.Grader, p.Verifier = 0, 0
	return p
}

func studyUnverified(p StudyRates) StudyRates {
	p.Verifier = 0
	return p
}

func studyAllRates(p StudyRates) StudyRates { return p }

// StudyStages are the names of the stages, in the order in which they are added to plain retrieval: plain (everything that
// is found is approved), grading (one round, irrelevant items are dropped), loop (up to three rounds), verification (the
// answer's claims are checked and the answer is labelled), correction (up to two of an answer that does not hold),
// confidence (the decision is made by a score), strict (what is not certain is not answered).
func StudyStages() []string {
	names := make([]string, len(studyStages))
	for i, s := range studyStages {
		names[i] = s.name
	}
	return names
}

// studySettings are the settings of a run with the stages up to that of index stage.
func studySettings(stage int) state.Settings {
	s := state.DefaultSettings()
	for _, one := range studyStages[:stage+1] {
		one.add(&s)
	}
	return s
}
