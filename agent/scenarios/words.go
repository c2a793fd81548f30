package scenarios

import (
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// Words implements scenario.Words: the names that the agent knows, by the place in a scenario.
func (s subject) Words() map[string][]string {
	roles := []string{nodes.RoleRouter, nodes.RolePlanner, nodes.RoleGrader, nodes.RoleSynthesizer, nodes.RoleVerifier, nodes.RoleExpander, nodes.RoleReranker}
	var ruleNames, toolNames []string
	sources := []string{"llm", "lexical", "fallback", string(state.EvaluatorSignals), string(state.EvaluatorHeuristic)}
	for _, r := range rules.Default() {
		ruleNames, sources = append(ruleNames, r.Name), append(sources, "rule:"+r.Name)
	}
	for _, t := range append(tools.Local(nil), tools.WebSearch(nil), tools.WebFetch(nil)) {
		toolNames = append(toolNames, t.Name)
	}
	strategies := words(state.StrategyHybrid, state.StrategyVector, state.StrategyKeyword, state.StrategyExpanded,
		state.StrategyDecomposed, state.StrategyReadFile, state.StrategyWeb)
	actions := words(state.ActionGenerate, state.ActionRefine, state.ActionReRetrieve)
	modes := words(state.ModeStrict, state.ModeBestEffort, state.ModeOpen)
	statuses := words(state.StatusAnswered, state.StatusAbstained, state.StatusPass, state.StatusCorrected, state.StatusWebSearch,
		state.StatusPendingReview, state.StatusLowConfidence)
	reviews := words(state.ReviewPending, state.ReviewInReview, state.ReviewApproved, state.ReviewCorrected, state.ReviewRejected)
	return map[string][]string{
		"given.tools[].tool": toolNames, "given.model[].role": roles, "given.roles[]": roles, "given.review_queue": {"down"},
		"when.mode": modes, "when.review.status": words(state.ReviewApproved, state.ReviewCorrected, state.ReviewRejected),
		"then.path[]": s.Topology().Nodes, "then.transitions[]": moves(), "then.status": statuses, "then.rule": ruleNames,
		"then.grade_source": sources, "then.grader_action": actions,
		"then.stop_reason": words(state.StopSufficient, state.StopMaxIterations, state.StopNoProgress, state.StopExhausted, state.StopBudget, state.StopChitchat),
		"then.route":       words(state.RouteChitchat, state.RouteSearch), "then.attempted_strategies[]": strategies,
		"then.model_calls[].role": roles, "then.audit[].action": auditActions, "then.audit_actions[]": auditActions,
		"then.action_taken":  words(state.DecidePass, state.DecideDeliver, state.DecideSelfCorrect, state.DecideWebSearch, state.DecideReview),
		"then.review.status": reviews, "then.submitted[].mode": words(state.ReviewProvisional, state.ReviewBlocking),
		"then.verification.outcome": words(state.OutcomeVerified, state.OutcomeUnknown, state.OutcomeNotVerifiable),
	}
}

// auditActions are the actions of audit lines.
var auditActions = []string{
	nodes.AuditRunStart, nodes.AuditRoute, nodes.AuditPlan, nodes.AuditToolCall, nodes.AuditToolError, nodes.AuditFastPathHit,
	nodes.AuditGradeResult, nodes.AuditGradeParseFailure, nodes.AuditGraderDegraded, nodes.AuditEvidenceRemoved, nodes.AuditTransition,
	nodes.AuditCapReached, nodes.AuditNoProgress, nodes.AuditBudget, nodes.AuditSynthesize, nodes.AuditCitationRemoved,
	nodes.AuditRefineContext, nodes.AuditRerank, nodes.AuditVerify, nodes.AuditDecide, nodes.AuditReview, nodes.AuditRunEnd, nodes.AuditLLMCall,
}

// words are named texts as texts.
func words[T ~string](list ...T) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}
