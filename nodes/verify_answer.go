package nodes

import (
	"context"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/verify"
)

// Verifier judges the claims of an answer by the evidence that it was written from.
type Verifier interface {
	Verify(ctx context.Context, q VerifyRequest) (state.Verification, error)
}

// VerifyRequest is what a verifier sees.
type VerifyRequest struct {
	Question string
	Answer   string
	Items    []state.Evidence // all that the answer was written from
	Options  verify.Options
}

// VerifyAnswer is the node verify_answer: it checks each factual claim of the answer against its evidence. A model that
// fails leaves the outcome unknown, never grounded; without a model, words, numbers and names are compared.
func (n *Nodes) VerifyAnswer() graph.NodeFunc[state.AgentState, state.Update] {
	return n.run(NameVerifyAnswer, func(ctx context.Context, t *turn) error {
		v, err := t.verify(ctx)
		if err != nil {
			return err
		}
		t.update.Verification = &v
		return t.audit(ctx, AuditVerify, details{
			"outcome": v.Outcome, "by": v.By, "confidence": v.Confidence, "level": v.Level, "is_grounded": v.Grounded,
			"claims_checked": v.Checked, "claims_supported": v.Supported, "claims_partial": v.Partial, "reason": v.Reason,
		})
	})
}

func (t *turn) verify(ctx context.Context) (state.Verification, error) {
	s := t.state
	if s.Status == state.StatusAbstained {
		return state.Verification{Outcome: state.OutcomeNotVerifiable, Reason: "the answer is an abstention"}, nil
	}
	request := VerifyRequest{
		Question: s.Query(), Answer: s.Answer, Items: Written(s),
		Options: verify.Options{Threshold: s.Settings.VerifyMin},
	}
	if s.Settings.VerifyRate {
		request.Options.Formula = verify.FormulaRate
	}
	if t.nodes.verifier.model == nil {
		v, err := t.nodes.verifier.builtIn.Verify(ctx, request)
		if err != nil {
			return v, fmt.Errorf("verify the answer: %w", err)
		}
		return v, nil
	}
	v, err := (*t.nodes.verifier.model).Verify(ctx, request)
	switch {
	case err == nil:
		return v, nil
	case ctx.Err() != nil:
		return v, context.Cause(ctx)
	}
	return t.unknown(ctx, err)
}

// unknown is the verification of a verifier that failed.
func (t *turn) unknown(ctx context.Context, reason error) (state.Verification, error) {
	if errors.Is(reason, errBudget) {
		t.update.StopReason = new(state.StopBudget)
		if err := t.audit(ctx, AuditBudget, details{"used": oneLine(reason), "role": RoleVerifier}); err != nil {
			return state.Verification{}, err
		}
	}
	t.warn("the answer could not be verified (%s)", oneLine(reason))
	return state.Verification{Outcome: state.OutcomeUnknown, By: sourceLLM, Reason: oneLine(reason)}, nil
}

// lexicalVerifier compares words, numbers and names.
type lexicalVerifier struct{ lib Library }

// Verify implements Verifier.
func (v lexicalVerifier) Verify(ctx context.Context, q VerifyRequest) (state.Verification, error) {
	var corpus verify.Corpus
	if v.lib != nil {
		corpus = v.lib
	}
	return verify.Lexical(ctx, q.Answer, q.Items, corpus, q.Options)
}
