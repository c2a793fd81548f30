package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/state"
)

// situation is one in which the answer passes: everything measured, everything high.
func situation(change func(*Situation)) Situation {
	s := Situation{
		Verification: state.Verification{Outcome: state.OutcomeVerified, Confidence: .95, Grounded: true},
		Confidence: &state.Confidence{Total: .9, Components: state.Components{
			Relevance: new(.9), Consistency: new(.9), Grounding: new(.95), Completeness: new(.9), Classification: new(.9),
		}},
		Retrieved: true, MaxCorrections: 2, Improved: true, WebPossible: true, ReviewOn: true, Thresholds: DefaultThresholds(),
	}
	change(&s)
	return s
}

func total(t float64) func(*Situation) { return func(s *Situation) { s.Confidence.Total = t } }

func both(changes ...func(*Situation)) func(*Situation) {
	return func(s *Situation) {
		for _, change := range changes {
			change(s)
		}
	}
}

func TestDecideAnswer(t *testing.T) {
	unverified := func(o state.VerificationOutcome) func(*Situation) {
		return func(s *Situation) { s.Verification.Outcome = o }
	}
	verified := func(c float64) func(*Situation) { return func(s *Situation) { s.Verification.Confidence = c } }
	unscored := func(s *Situation) { s.Confidence = nil }
	noReview := func(s *Situation) { s.ReviewOn = false }
	noWeb := func(s *Situation) { s.WebPossible = false }
	spent := func(s *Situation) { s.Corrections = 2 }
	worse := func(s *Situation) { s.Corrections, s.Improved = 1, false }
	nothing := func(s *Situation) { s.Retrieved = false }
	for claim, c := range map[string]struct {
		change   func(*Situation)
		decision state.Decision
		row      string
		high     bool
	}{
		"a verifier that failed asks a person":               {unverified(state.OutcomeUnknown), state.DecideReview, RowUnverified, false},
		"nothing to verify asks a person":                    {unverified(state.OutcomeNotVerifiable), state.DecideReview, RowUnverified, false},
		"what was not verified at all asks a person":         {unverified(""), state.DecideReview, RowUnverified, false},
		"it is delivered when there is no person":            {both(unverified(state.OutcomeUnknown), noReview), state.DecideDeliver, RowUnverified, false},
		"it does so without a score, too":                    {both(unverified(state.OutcomeUnknown), unscored), state.DecideReview, RowUnverified, false},
		"it is urgent below .40":                             {both(unverified(state.OutcomeUnknown), total(.39)), state.DecideReview, RowUnverified, true},
		"without a score .70 passes":                         {both(unscored, verified(.7)), state.DecidePass, RowGrounded, false},
		"without a score .69 is corrected":                   {both(unscored, verified(.69)), state.DecideSelfCorrect, RowUngrounded, false},
		"without a score and corrections it is delivered":    {both(unscored, verified(.69), spent), state.DecideDeliver, RowUngroundedFinal, false},
		"a correction that did not improve is the last":      {both(unscored, verified(.69), worse), state.DecideDeliver, RowUngroundedFinal, false},
		"without a score what was retrieved does not matter": {both(unscored, nothing), state.DecidePass, RowGrounded, false},
		"nothing retrieved searches the web":                 {nothing, state.DecideWebSearch, RowNothingRetrieved, false},
		"nothing retrieved asks a person without the web":    {both(nothing, noWeb), state.DecideReview, RowNothingRetrieved, false},
		"nothing retrieved is urgent below .40":              {both(nothing, noWeb, total(.2)), state.DecideReview, RowNothingRetrieved, true},
		"nothing retrieved abstains without either":          {both(nothing, noWeb, noReview), state.DecideDeliver, RowNothingRetrieved, false},
		".85 passes":                                           {total(.85), state.DecidePass, RowConfident, false},
		".85 within the tolerance passes":                      {total(.85 - 1e-10), state.DecidePass, RowConfident, false},
		".84 asks a person":                                    {total(.84), state.DecideReview, RowMediumConfidence, false},
		".84 is delivered without review":                      {both(total(.84), noReview), state.DecideDeliver, RowMediumConfidence, false},
		"a total without grounding in the evidence is no pass": {verified(.69), state.DecideSelfCorrect, RowCorrectable, false},
		"nor with corrections spent":                           {both(verified(.69), spent), state.DecideReview, RowExhausted, true},
		".65 asks a person":                                    {total(.65), state.DecideReview, RowMediumConfidence, false},
		".65 ungrounded is corrected":                          {both(total(.65), verified(.69)), state.DecideSelfCorrect, RowCorrectable, false},
		".64 is corrected":                                     {total(.64), state.DecideSelfCorrect, RowCorrectable, false},
		".40 is corrected":                                     {total(.40), state.DecideSelfCorrect, RowCorrectable, false},
		".40 without corrections asks a person":                {both(total(.40), spent), state.DecideReview, RowExhausted, true},
		".40 with no correction allowed is not urgent":         {both(total(.40), func(s *Situation) { s.MaxCorrections = 0 }), state.DecideReview, RowExhausted, false},
		".40 does not search the web":                          {both(total(.40), spent, noReview), state.DecideDeliver, RowExhausted, false},
		".39 searches the web":                                 {total(.39), state.DecideWebSearch, RowVeryLowConfidence, false},
		".39 without the web asks a person at once":            {both(total(.39), noWeb), state.DecideReview, RowExhausted, true},
		".39 without the web and a person is delivered":        {both(total(.39), noWeb, noReview), state.DecideDeliver, RowExhausted, false},
	} {
		t.Run(claim, func(t *testing.T) {
			got := DecideAnswer(situation(c.change))
			assert.Equal(t, c.decision, got.Decision, got.Reason)
			assert.Equal(t, c.row, got.Row, got.Reason)
			assert.Equal(t, c.high, got.Priority)
			assert.NotEmpty(t, got.Reason)
		})
	}
}

func TestEachFloorMustBeExceeded(t *testing.T) {
	for name, floor := range map[string]struct {
		of    func(*state.Components) **float64
		floor float64
	}{
		"relevance":    {func(c *state.Components) **float64 { return &c.Relevance }, .80},
		"grounding":    {func(c *state.Components) **float64 { return &c.Grounding }, .85},
		"consistency":  {func(c *state.Components) **float64 { return &c.Consistency }, .80},
		"completeness": {func(c *state.Components) **float64 { return &c.Completeness }, .75},
	} {
		t.Run(name, func(t *testing.T) {
			with := func(v *float64) Outcome {
				return DecideAnswer(situation(func(s *Situation) { *floor.of(&s.Confidence.Components) = v }))
			}
			assert.Equal(t, state.DecidePass, with(new(floor.floor+.01)).Decision)
			at := with(new(floor.floor))
			assert.Equal(t, state.DecideReview, at.Decision, "the floor itself does not suffice")
			assert.Contains(t, at.Reason, name)
			assert.Equal(t, state.DecideReview, with(new(floor.floor-.01)).Decision)
			missing := state.DecidePass
			if name == "grounding" {
				missing = state.DecideReview
			}
			assert.Equal(t, missing, with(nil).Decision, "what was not measured has no floor, except grounding")
		})
	}
}

func TestEverySituationHasADecisionAndNonePassesWithoutGrounding(t *testing.T) {
	share := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64(), rapid.SampledFrom([]float64{.4, .65, .7, .8, .85, 1}))
	rows := []string{RowUnverified, RowGrounded, RowUngrounded, RowUngroundedFinal, RowNothingRetrieved, RowConfident, RowMediumConfidence, RowCorrectable, RowVeryLowConfidence, RowExhausted}
	rapid.Check(t, func(t *rapid.T) {
		s := Situation{
			Verification: state.Verification{
				Outcome:    rapid.SampledFrom([]state.VerificationOutcome{"", state.OutcomeVerified, state.OutcomeUnknown, state.OutcomeNotVerifiable}).Draw(t, "outcome"),
				Confidence: share.Draw(t, "verification"),
			},
			Retrieved: rapid.Bool().Draw(t, "retrieved"), Corrections: rapid.IntRange(0, 3).Draw(t, "corrections"), MaxCorrections: rapid.IntRange(0, 2).Draw(t, "max"),
			Improved: rapid.Bool().Draw(t, "improved"), WebPossible: rapid.Bool().Draw(t, "web"), ReviewOn: rapid.Bool().Draw(t, "review"), Thresholds: DefaultThresholds(),
		}
		if rapid.Bool().Draw(t, "scored") {
			value := rapid.Ptr(share, true)
			s.Confidence = &state.Confidence{Total: share.Draw(t, "total"), Components: state.Components{
				Relevance: value.Draw(t, "relevance"), Consistency: value.Draw(t, "consistency"), Grounding: value.Draw(t, "grounding"), Completeness: value.Draw(t, "completeness"),
			}}
		}
		got := DecideAnswer(s)
		assert.Contains(t, rows, got.Row)
		switch got.Decision {
		case state.DecidePass:
			assert.Equal(t, state.OutcomeVerified, s.Verification.Outcome)
			assert.True(t, AtLeast(s.Verification.Confidence, .7))
			assert.True(t, s.Confidence == nil || s.Confidence.Components.Grounding != nil)
		case state.DecideSelfCorrect:
			assert.Less(t, s.Corrections, s.MaxCorrections)
		case state.DecideWebSearch:
			assert.True(t, s.WebPossible)
		case state.DecideReview:
			assert.True(t, s.ReviewOn)
		default:
			assert.Equal(t, state.DecideDeliver, got.Decision)
		}
		assert.False(t, got.Priority && got.Decision != state.DecideReview)
	})
}

func TestACorrectionIsAcceptedWhenItIsGoodEnoughAndBetter(t *testing.T) {
	for _, c := range []struct {
		before, after float64
		want          bool
	}{
		{.60, .65, true}, {.60, .64, false}, {.61, .65, false}, {.61, .66, true}, {.70, .75, true},
		{.70, .74, false}, {.9, .9, false}, {.9, .2, false}, {.1, .6, false}, {.6, .649999999999, true},
	} {
		assert.Equal(t, c.want, Accept(c.before, c.after), "%v to %v", c.before, c.after)
	}
}

func BenchmarkDecideAnswer(b *testing.B) {
	s := situation(total(.64))
	for b.Loop() {
		DecideAnswer(s)
	}
}
