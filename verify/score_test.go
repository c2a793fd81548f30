package verify_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/verify"
)

var evidence = []state.Evidence{
	{ID: "logs", Content: "Logs rotate daily.\nOld logs are kept\n  for 12.5 days."},
	{ID: "zh", Content: "日志保留七天。"},
}

// judged makes claims with verdicts, all with a quote that stands in the evidence.
func judged(supported, partial, unsupported int) []state.Claim {
	var claims []state.Claim
	for verdict, n := range map[state.ClaimVerdict]int{state.ClaimSupported: supported, state.ClaimPartial: partial, state.ClaimUnsupported: unsupported} {
		for range n {
			claims = append(claims, state.Claim{Text: "x", Verdict: verdict, Quote: "Logs rotate daily."})
		}
	}
	return claims
}

func TestTheConfidenceFollowsTheFormula(t *testing.T) {
	for _, c := range []struct {
		supported, partial, unsupported int
		standard, rate                  float64
		level                           state.Level
		grounded                        bool
	}{
		{4, 0, 1, 0.70, 0.80, state.LevelMedium, false}, // an unsupported claim is never grounded
		{4, 1, 0, 0.90, 0.80, state.LevelHigh, true},
		{5, 0, 0, 1.00, 1.00, state.LevelHigh, true},
		{0, 3, 0, 0.10, 0.00, state.LevelVeryLow, false},
		{3, 2, 0, 0.70, 0.60, state.LevelMedium, true},
		{7, 0, 3, 0.40, 0.70, state.LevelVeryLow, false},
		{20, 0, 3, 20.0/23 - 0.3, 20.0 / 23, state.LevelLow, false}, // three unsupported claims never reach 0.7
		{1, 0, 9, 0.00, 0.10, state.LevelVeryLow, false},
	} {
		t.Run(fmt.Sprintf("%d supported, %d partial, %d unsupported", c.supported, c.partial, c.unsupported), func(t *testing.T) {
			v := verify.Summarize(judged(c.supported, c.partial, c.unsupported), evidence, verify.Options{})
			assert.Equal(t, state.OutcomeVerified, v.Outcome)
			assert.InDelta(t, c.standard, v.Confidence, 1e-12)
			assert.Equal(t, c.level, v.Level)
			assert.Equal(t, c.grounded, v.Grounded)
			assert.Equal(t, []int{c.supported + c.partial + c.unsupported, c.supported, c.partial}, []int{v.Checked, v.Supported, v.Partial})
			rate := verify.Summarize(judged(c.supported, c.partial, c.unsupported), evidence, verify.Options{Formula: verify.FormulaRate})
			assert.InDelta(t, c.rate, rate.Confidence, 1e-12)
		})
	}
}

func TestLevelsBeginAtTheirThresholdsWithinTheTolerance(t *testing.T) {
	for confidence, want := range map[float64]state.Level{
		1: state.LevelHigh, 0.9: state.LevelHigh, 0.9 - 1e-10: state.LevelHigh, 0.899: state.LevelMedium,
		0.7: state.LevelMedium, 0.699: state.LevelLow, 0.5: state.LevelLow, 0.499: state.LevelVeryLow, 0: state.LevelVeryLow,
	} {
		assert.Equal(t, want, verify.LevelOf(confidence), confidence)
	}
}

func TestTheThresholdDecidesWhatIsGrounded(t *testing.T) {
	claims := judged(3, 2, 0) // 0.7 by the standard formula
	assert.True(t, verify.Summarize(claims, evidence, verify.Options{Threshold: 0.7}).Grounded)
	assert.False(t, verify.Summarize(claims, evidence, verify.Options{Threshold: 0.71}).Grounded)
	assert.False(t, verify.Summarize(judged(0, 1, 0), evidence, verify.Options{}).Grounded)
	assert.True(t, verify.Summarize(judged(0, 1, 0), evidence, verify.Options{Threshold: -1}).Grounded)
}

func TestAnAnswerWithoutClaimsIsNotVerifiable(t *testing.T) {
	v := verify.Summarize(nil, evidence, verify.Options{Threshold: -1})
	assert.Equal(t, state.Verification{Outcome: state.OutcomeNotVerifiable, Reason: verify.ReasonNoClaims}, v)
}

func TestAQuoteThatIsNotInTheEvidenceMakesAClaimUnsupported(t *testing.T) {
	claims := []state.Claim{
		{Text: "a", Verdict: state.ClaimSupported, Score: 1, Quote: "Logs rotate hourly.", ItemID: "logs"},
		{Text: "b", Verdict: state.ClaimPartial, Score: 0.5},
		{Text: "c", Verdict: state.ClaimSupported, Score: 1, Quote: "Old logs are kept for 12.5 days.", ItemID: "made up"},
		{Text: "d", Verdict: "MAYBE", Quote: "Logs rotate daily."},
	}
	v := verify.Summarize(claims, evidence, verify.Options{})
	assert.Equal(t, 1, v.Supported)
	assert.Equal(t, state.ClaimUnsupported, v.Claims[0].Verdict)
	assert.Equal(t, "the quote does not occur in the evidence", v.Claims[0].Reasoning)
	assert.Zero(t, v.Claims[0].Score)
	assert.Empty(t, v.Claims[0].ItemID)
	assert.Equal(t, state.ClaimUnsupported, v.Claims[1].Verdict, "a verdict needs a quote")
	assert.Equal(t, "logs", v.Claims[2].ItemID, "the item that holds the quote counts")
	assert.Equal(t, state.ClaimUnsupported, v.Claims[3].Verdict, "an unknown verdict supports nothing")
	assert.Equal(t, state.ClaimSupported, claims[0].Verdict, "the argument stays as it was")
}

func TestFindQuote(t *testing.T) {
	for quote, want := range map[string]string{
		"Logs rotate daily.":                "logs",
		"  logs   are\tkept for\n12.5 days": "logs",
		"日志保留七天":                            "zh",
		"留七":                                "zh",
		"rotate":                            "logs",
		"Logs rotate hourly":                "",
		"logs rotate daily":                 "", // another case
		"":                                  "",
		" . ":                               "",
		"2.5 days":                          "", // of 12.5
		"12":                                "",
		"5 days":                            "",
		"otate":                             "",
		"rotate dail":                       "",
	} {
		id, ok := verify.FindQuote(quote, evidence)
		assert.Equal(t, want, id, "%q", quote)
		assert.Equal(t, want != "", ok, "%q", quote)
	}
	_, ok := verify.FindQuote("a", nil)
	assert.False(t, ok)
}

func TestEveryRunOfWordsOfAnItemIsFoundInIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"aa", "a", "aab", "1", "1.5", "日志", "x."}), 1, 20).Draw(t, "words")
		space := rapid.SampledFrom([]string{" ", "\n", "\t \n"})
		text, from := "", rapid.IntRange(0, len(words)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(words)).Draw(t, "to")
		quote := ""
		for i, w := range words {
			text += w + space.Draw(t, "space")
			if i >= from && i < to {
				quote += w + " "
			}
		}
		if _, ok := verify.FindQuote(quote, []state.Evidence{{ID: "x", Content: text}}); !ok {
			t.Fatalf("%q is not found in %q", quote, text)
		}
	})
}
