package nodes

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/verify"
)

// doors are two passages; the end of the first and the begin of the second would make a sentence.
var doors = []state.Evidence{
	{ID: "a", Path: "a.md", Content: "The red door is open. The blue door"},
	{ID: "b", Path: "b.md", Content: "is shut. The red door was painted."},
}

// judged is what a reply of a verifier makes of two claims.
func judged(t *testing.T, text string) state.Verification {
	t.Helper()
	claims, _, err := readVerdicts(text, []string{"The red door is open.", "The blue door is shut."}, doors)
	require.NoError(t, err)
	return summarize(claims, doors, verify.Options{})
}

func verdictsOf(second string) string {
	return `{"verdicts":[{"claim":1,"verdict":"SUPPORTED","passage":1,"quote":"The red door is open","reasoning":""},` + second + `]}`
}

func TestNoReplyOfAVerifierMakesAClaimHoldWithoutAQuote(t *testing.T) {
	for name, second := range map[string]string{
		"a quote over the border of two passages": `{"claim":2,"verdict":"SUPPORTED","passage":1,"quote":"The blue door is shut"}`,
		"no quote":                      `{"claim":2,"verdict":"SUPPORTED","passage":1,"quote":""}`,
		"a quote of punctuation":        `{"claim":2,"verdict":"SUPPORTED","passage":1,"quote":"."}`,
		"a quote with other words":      `{"claim":2,"verdict":"SUPPORTED","passage":1,"quote":"The blue door is locked"}`,
		"half a word":                   `{"claim":2,"verdict":"SUPPORTED","passage":1,"quote":"he blue doo"}`,
		"the claim itself as the quote": `{"claim":2,"verdict":"PARTIALLY_SUPPORTED","passage":2,"quote":"The blue door is shut."}`,
	} {
		t.Run(name, func(t *testing.T) {
			v := judged(t, verdictsOf(second))
			assert.Equal(t, state.ClaimUnsupported, v.Claims[1].Verdict)
			assert.Empty(t, v.Claims[1].ItemID+v.Claims[1].Quote, "what was made up is not kept")
			assert.False(t, v.Grounded)
		})
	}
}

func TestTheItemOfAClaimIsTheOneThatHoldsTheQuoteWhateverPassageTheReplyNames(t *testing.T) {
	for _, passage := range []string{"1", "2", "0", "-1", "99"} {
		v := judged(t, verdictsOf(`{"claim":2,"verdict":"supported","passage":`+passage+`,"quote":"The red  door\nwas painted."}`))
		assert.Equal(t, "b", v.Claims[1].ItemID, "passage %s", passage)
		assert.Equal(t, state.ClaimSupported, v.Claims[1].Verdict)
	}
}

func TestAQuoteAgainstAClaimIsKeptWithItsItem(t *testing.T) {
	v := judged(t, verdictsOf(`{"claim":2,"verdict":"UNSUPPORTED","passage":1,"quote":"The red door was painted"}`))
	assert.Equal(t, "b", v.Claims[1].ItemID)
	assert.Equal(t, "The red door was painted", v.Claims[1].Quote)
}

func TestAReplyThatDoesNotJudgeEachClaimOnceIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"a claim is left out":     `{"verdicts":[{"claim":1,"verdict":"SUPPORTED","quote":"x"}]}`,
		"a claim is judged twice": verdictsOf(`{"claim":1,"verdict":"UNSUPPORTED"}`),
		"claim 0":                 verdictsOf(`{"claim":0,"verdict":"UNSUPPORTED"}`),
		"a claim too many":        verdictsOf(`{"claim":2,"verdict":"UNSUPPORTED"},{"claim":3,"verdict":"SUPPORTED"}`),
		"a word of its own":       verdictsOf(`{"claim":2,"verdict":"PROBABLY"}`),
		"no verdicts":             `{"verdicts":[]}`,
		"prose":                   `All claims are SUPPORTED.`,
		"a list":                  `[1, 1]`,
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := readVerdicts(text, []string{"The red door is open.", "The blue door is shut."}, doors)
			assert.Error(t, err)
		})
	}
}

func TestWhatAVerifierSaysBesidesIsBounded(t *testing.T) {
	long := strings.Repeat("because ", 100_000)
	hints := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%q,", long), 8), ",")
	claims, corrections, err := readVerdicts(`{"verdicts":[{"claim":1,"verdict":"UNSUPPORTED","reasoning":"`+long+`"}],"suggested_corrections":[`+hints+`]}`,
		[]string{"The red door is open."}, doors)
	require.NoError(t, err)
	assert.LessOrEqual(t, len([]rune(claims[0].Reasoning)), 301)
	assert.Len(t, corrections, 5)
	made := summarize([]state.Claim{{Text: "The red door is open.", Verdict: state.ClaimUnsupported, Quote: long}}, doors, verify.Options{})
	assert.Empty(t, made.Claims[0].Quote)
	assert.LessOrEqual(t, len([]rune(corrections[0])), 301)
}

// parted is a verifier that supports every claim that it is asked about, and remembers how many that were.
type parted struct {
	llms.Model
	asked []int
}

func (p *parted) GenerateContent(_ context.Context, msgs []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	n := len(regexp.MustCompile(`(?m)^\d+\. The door`).FindAllString(fmt.Sprint(msgs[len(msgs)-1].Parts[0]), -1))
	p.asked = append(p.asked, n)
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"claim":%d,"verdict":"SUPPORTED","passage":1,"quote":"The red door is open"}`, i+1))
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: `{"verdicts":[` + strings.Join(list, ",") + `]}`}}}, nil
}

func TestAVeryLongAnswerIsVerifiedInPartsAndWhole(t *testing.T) {
	var answer strings.Builder
	const claims = 300
	for i := range claims {
		fmt.Fprintf(&answer, "The door with the number %d is open during the whole day and closed at night. ", 1000+i)
	}
	model := &parted{}
	v, err := modelVerifier{&Model{LLM: model}}.Verify(t.Context(), VerifyRequest{Answer: answer.String(), Items: doors})
	require.NoError(t, err)
	assert.Equal(t, claims, v.Checked)
	assert.Equal(t, claims, v.Supported)
	assert.Greater(t, len(model.asked), 2)
	sum := 0
	for _, n := range model.asked {
		sum += n
	}
	assert.Equal(t, claims, sum)
}
