package scenarios

import (
	"strconv"

	"github.com/kbagent/kbagent/state"
)

// environmentOf is settings as variables, without those that have their defaults. A limit of time is left out: the clock of
// a scenario stands still. So is the evaluator llm, which needs a model by name: auto does the same where a model grades.
func environmentOf(s state.Settings) map[string]string {
	d := state.DefaultSettings()
	env := make(map[string]string)
	set := func(name string, value, usual any, text string) {
		if value != usual {
			env["KB_AGENT_"+name] = text
		}
	}
	number := func(name string, value, usual int) { set(name, value, usual, strconv.Itoa(value)) }
	share := func(name string, value, usual float64) {
		set(name, value, usual, strconv.FormatFloat(value, 'g', -1, 64))
	}
	toggle := func(name string, value, usual bool) {
		set(name, value, usual, map[bool]string{true: "on", false: "off"}[value])
	}
	number("MAX_ITERATIONS", s.MaxIterations, d.MaxIterations)
	number("AUTO_APPROVE_MAX_ITEMS", s.AutoApproveMaxItems, d.AutoApproveMaxItems)
	share("VECTOR_SCORE_THRESHOLD", s.VectorScoreThreshold, d.VectorScoreThreshold)
	share("EVIDENCE_MIN_SCORE", s.EvidenceMinScore, d.EvidenceMinScore)
	share("GENERATE_MIN_SCORE", s.GenerateMinScore, d.GenerateMinScore)
	number("MAX_CONTEXT_ITEMS", s.MaxContextItems, d.MaxContextItems)
	if s.Evaluator != state.EvaluatorLLM {
		set("EVALUATOR", s.Evaluator, d.Evaluator, string(s.Evaluator))
	}
	set("ANSWER_MODE", s.AnswerMode, d.AnswerMode, string(s.AnswerMode))
	toggle("QUERY_EXPANSION", s.QueryExpansion, d.QueryExpansion)
	number("LLM_MAX_CALLS", s.MaxLLMCalls, d.MaxLLMCalls)
	number("LLM_MAX_TOKENS", s.MaxLLMTokens, d.MaxLLMTokens)
	set("ABSTENTION", s.Abstention, d.Abstention, s.Abstention)
	toggle("REFINE_CONTEXT", s.RefineContext, d.RefineContext)
	if s.WebSearch != "" && s.WebSearch != state.WebOff {
		env["KB_AGENT_WEB_SEARCH"], env["KB_AGENT_SEARXNG_URL"] = string(s.WebSearch), "http://localhost:1"
	}
	toggle("WEB_REPLACE", s.WebReplace, d.WebReplace)
	toggle("VERIFY", s.Verify, d.Verify)
	share("VERIFY_THRESHOLD", s.VerifyMin, d.VerifyMin)
	number("VERIFY_MAX_ATTEMPTS", s.VerifyAttempts, d.VerifyAttempts)
	if s.VerifyRate {
		env["KB_AGENT_VERIFY_FORMULA"] = "rate"
	}
	toggle("VERIFY_SHOW_CLAIMS", s.ShowClaims, d.ShowClaims)
	toggle("CONFIDENCE", s.ScoreConfidence, d.ScoreConfidence)
	share("CONFIDENCE_PASS", s.ConfidencePass, d.ConfidencePass)
	share("CONFIDENCE_REVIEW", s.ConfidenceReview, d.ConfidenceReview)
	share("CONFIDENCE_CORRECT", s.ConfidenceCorrect, d.ConfidenceCorrect)
	share("CONFIDENCE_FLOOR_RELEVANCE", s.Floors.Relevance, d.Floors.Relevance)
	share("CONFIDENCE_FLOOR_GROUNDING", s.Floors.Grounding, d.Floors.Grounding)
	share("CONFIDENCE_FLOOR_CONSISTENCY", s.Floors.Consistency, d.Floors.Consistency)
	share("CONFIDENCE_FLOOR_COMPLETENESS", s.Floors.Completeness, d.Floors.Completeness)
	if s.ReviewMode != "" && s.ReviewMode != state.ReviewOff {
		env["KB_AGENT_REVIEW"] = string(s.ReviewMode)
	}
	return env
}
