package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/nodes/reply"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/verify"
)

// modelVerifier asks a model for a verdict and a quote for each claim. The claims are cut by package verify, so that the
// model cannot leave one out, and a quote that does not stand in the evidence makes its claim unsupported.
type modelVerifier struct{ m *Model }

// VerifierRunes is how much of an answer one call of a verifier judges, in characters; a longer one is verified in parts,
// never cut.
const VerifierRunes = 6000

// Verify implements Verifier. It fails when a reply cannot be read after its repair.
func (v modelVerifier) Verify(ctx context.Context, q VerifyRequest) (state.Verification, error) {
	var claims []state.Claim
	var corrections []string
	for _, part := range verify.Parts(verify.Claims(q.Answer), VerifierRunes) {
		judged, hints, err := v.judge(ctx, q, part)
		if err != nil {
			return state.Verification{}, err
		}
		claims, corrections = append(claims, judged...), append(corrections, hints...)
	}
	result := summarize(claims, q.Items, q.Options)
	result.By, result.Corrections = sourceLLM, corrections
	return result, nil
}

// summarize counts the claims. What a model has quoted against a claim, or made up, stays only when it stands in an item.
func summarize(claims []state.Claim, items []state.Evidence, o verify.Options) state.Verification {
	v := verify.Summarize(claims, items, o)
	for i := range v.Claims {
		c := &v.Claims[i]
		if c.Verdict != state.ClaimUnsupported {
			continue
		}
		id, ok := verify.FindQuote(c.Quote, items)
		if c.ItemID = id; !ok {
			c.Quote = ""
		}
	}
	return v
}

// verdict is what the model says about a claim.
type verdict struct {
	Claim     int    `json:"claim"`
	Verdict   string `json:"verdict"`
	Passage   int    `json:"passage"`
	Quote     string `json:"quote"`
	Reasoning string `json:"reasoning"`
}

func (v modelVerifier) judge(ctx context.Context, q VerifyRequest, claims []string) ([]state.Claim, []string, error) {
	asked := v.m.prompts.get(promptVerifier)
	data := verifierData{Question: q.Question, Items: promptItems(q.Items, synthesisRunes), fencing: newFencing(v.m.fence())}
	for _, claim := range claims {
		data.Claims = append(data.Claims, oneLineText(claim))
	}
	msgs, err := asked.messages(data, nil)
	if err != nil {
		return nil, nil, err
	}
	type judgement struct {
		claims      []state.Claim
		corrections []string
	}
	read := func(c *llms.ContentChoice) (judgement, error) {
		judged, hints, err := readVerdicts(c.Content, claims, q.Items)
		return judgement{judged, hints}, err
	}
	j, err := repaired(ctx, v.m, asked.call(RoleVerifier), msgs, read, v.m.schema("verdicts", verdictSchema)...)
	return j.claims, j.corrections, err
}

// readVerdicts reads a reply that must judge each claim once.
func readVerdicts(text string, claims []string, items []state.Evidence) ([]state.Claim, []string, error) {
	var answer struct {
		Verdicts    []verdict `json:"verdicts"`
		Corrections []string  `json:"suggested_corrections"`
	}
	if err := reply.Into(text, &answer, "verdicts"); err != nil {
		return nil, nil, err
	}
	judged := make([]state.Claim, len(claims))
	for _, d := range answer.Verdicts {
		if d.Claim < 1 || d.Claim > len(claims) {
			return nil, nil, fmt.Errorf("there is no claim %d, they are numbered from 1 to %d", d.Claim, len(claims))
		}
		c := &judged[d.Claim-1]
		if c.Text != "" {
			return nil, nil, fmt.Errorf("claim %d is judged twice", d.Claim)
		}
		kind, score, err := readVerdict(d.Verdict)
		if err != nil {
			return nil, nil, err
		}
		*c = state.Claim{Text: claims[d.Claim-1], Verdict: kind, Score: score, Quote: d.Quote, Reasoning: clip(oneLineText(d.Reasoning), 300)}
		if d.Passage >= 1 && d.Passage <= len(items) {
			c.ItemID = items[d.Passage-1].ID
		}
	}
	for i := range judged {
		if judged[i].Text == "" {
			return nil, nil, fmt.Errorf("claim %d is not judged", i+1)
		}
	}
	for i, hint := range answer.Corrections {
		answer.Corrections[i] = clip(oneLineText(hint), 300)
	}
	return judged, answer.Corrections[:min(len(answer.Corrections), 5)], nil
}

// errVerdict reports a word that is no verdict.
var errVerdict = errors.New("a verdict is SUPPORTED, PARTIALLY_SUPPORTED or UNSUPPORTED")

func readVerdict(word string) (state.ClaimVerdict, float64, error) {
	switch kind := state.ClaimVerdict(strings.ToUpper(strings.TrimSpace(word))); kind {
	case state.ClaimSupported:
		return kind, 1, nil
	case state.ClaimPartial, "PARTIAL", "PARTIALLY SUPPORTED":
		return state.ClaimPartial, 0.5, nil
	case state.ClaimUnsupported, "NOT_SUPPORTED", "NOT SUPPORTED":
		return state.ClaimUnsupported, 0, nil
	default:
		return "", 0, fmt.Errorf("%w, not %q", errVerdict, clip(word, 40))
	}
}

func oneLineText(s string) string { return strings.Join(strings.Fields(s), " ") }

var verdictSchema = json.RawMessage(`{"type":"object","properties":{"verdicts":{"type":"array","items":{"type":"object","properties":{"claim":{"type":"integer"},"verdict":{"type":"string","enum":["SUPPORTED","PARTIALLY_SUPPORTED","UNSUPPORTED"]},"passage":{"type":"integer"},"quote":{"type":"string"},"reasoning":{"type":"string"}},"required":["claim","verdict","passage","quote","reasoning"],"additionalProperties":false}},"suggested_corrections":{"type":"array","items":{"type":"string"}}},"required":["verdicts","suggested_corrections"],"additionalProperties":false}`)
