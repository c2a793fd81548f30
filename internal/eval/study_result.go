package eval

// studyOutcome is what became of one question in one run.
type studyOutcome struct {
	right        bool // a right answer was given as certain, or an abstention where nothing answers
	hallucinated bool // a wrong answer was given as certain
	abstained    bool
	flaggedRight bool // a right answer was given, labelled as doubtful
	flaggedWrong bool
	lowEvidence  bool // hallucinated, from passages that grading had removed, with a warning that says so
	calls        int
	tokens       int
}

// studyMetrics are the figures of an outcome, in the order in which they are shown. change says that the difference to the
// stage before is shown too.
var studyMetrics = []struct {
	name   string
	change bool
	of     func(studyOutcome) float64
}{
	{"accuracy", true, func(o studyOutcome) float64 { return studyOne(o.right) }},
	{"hallucinated", true, func(o studyOutcome) float64 { return studyOne(o.hallucinated) }},
	{"net", true, func(o studyOutcome) float64 { return studyOne(o.right) - studyOne(o.hallucinated) }},
	{"abstained", false, func(o studyOutcome) float64 { return studyOne(o.abstained) }},
	{"flagged_right", false, func(o studyOutcome) float64 { return studyOne(o.flaggedRight) }},
	{"flagged_wrong", false, func(o studyOutcome) float64 { return studyOne(o.flaggedWrong) }},
	{"low_evidence", false, func(o studyOutcome) float64 { return studyOne(o.lowEvidence) }},
	{"calls", true, func(o studyOutcome) float64 { return float64(o.calls) }},
	{"tokens", true, func(o studyOutcome) float64 { return float64(o.tokens) }},
}

func studyOne(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// StudyMetrics are the names of the metrics of a study, each a mean over the questions:
//
//   - accuracy: a right answer given as certain, or an abstention where nothing in the knowledge base answers;
//   - hallucinated: a wrong answer given as certain;
//   - net: accuracy less hallucinated: a wrong answer costs what a right one earns, and a label neither;
//   - abstained, flagged_right, flagged_wrong: no answer, and answers labelled as doubtful (LOW_CONFIDENCE);
//   - low_evidence: the part of hallucinated that carries the weaker warning "low evidence";
//   - calls, tokens: of the model, a question. Tokens are estimated, 1.3 a word.
//
// accuracy, hallucinated, net, calls and tokens have a second metric with the suffix StudyChange: the difference to the stage
// before on the same questions.
func StudyMetrics() []string {
	names := make([]string, len(studyMetrics))
	for i, m := range studyMetrics {
		names[i] = m.name
	}
	return names
}

// StudyChange is the suffix of the metrics that compare a stage with the one before.
const StudyChange = "_change"

// studyResult is the metrics of one stage at one point of the rates.
func studyResult(all []studyOutcomes, stage int, p StudyRates) Result {
	r := Result{Metrics: map[string]float64{}, Intervals: map[string][2]float64{}}
	figures := func(stage int, of func(studyOutcome) float64) []float64 {
		list := make([]float64, len(all))
		for i, outcomes := range all {
			list[i] = of(outcomes[studyKeyOf(stage, p)])
		}
		return list
	}
	for _, m := range studyMetrics {
		now := figures(stage, m.of)
		r.add(m.name, now)
		if !m.change || stage == 0 {
			continue
		}
		for i, before := range figures(stage-1, m.of) {
			now[i] -= before
		}
		r.add(m.name+StudyChange, now)
	}
	return r
}

// add is the mean of a list with its interval.
func (r *Result) add(name string, list []float64) {
	r.Metrics[name], r.Intervals[name] = studyMean(list), interval(list, studyMean)
}

func studyMean(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// The verdicts on a stage.
const (
	StudyPays  = "pays"  // the interval of net_change lies above 0
	StudyCosts = "costs" // it lies below 0
	StudyEven  = "even"  // it does not tell
)

// StudyVerdict says whether a stage pays at its rates: by its net_change, "" for the first stage.
func StudyVerdict(r Result) string {
	i, ok := r.Intervals["net"+StudyChange]
	switch {
	case !ok:
		return ""
	case i[0] > studyZero:
		return StudyPays
	case i[1] < -studyZero:
		return StudyCosts
	default:
		return StudyEven
	}
}

// studyZero is what a sum of rounded numbers may miss 0 by.
const studyZero = 1e-9
