package metrics

import (
	"strings"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// other stands for every value of a label that is not in its set.
const other = "other"

// none stands where a label has nothing to name.
const none = "none"

// set is the values that a label may have.
type set map[string]bool

func setOf[S ~string](values ...S) set {
	s := set{}
	for _, v := range values {
		s[string(v)] = true
	}
	return s
}

// of is v when the label may have it; none for "", other for everything else.
func (s set) of(v string) string {
	switch {
	case s[v]:
		return v
	case v == "":
		return none
	default:
		return other
	}
}

// The strategies of corrections that are no retrieval strategies.
const (
	correctRefine     = "refine"       // more evidence of the same strategy, beside what was kept
	correctReRetrieve = "re_retrieve"  // another way to search, of those without a name of their own
	correctAnswer     = "self_correct" // evidence for claims that lack support
	correctRerank     = "rerank"       // another order and choice of what was found
	correctWeb        = "web_search"
	correctExpansion  = "query_expansion"
	correctDecompose  = "decompose"
)

// correctionOf names the correction that a retrieval strategy is, once another one was attempted before it.
func correctionOf(strategy string) string {
	switch state.Strategy(strategy) {
	case state.StrategyExpanded:
		return correctExpansion
	case state.StrategyDecomposed:
		return correctDecompose
	case state.StrategyWeb:
		return correctWeb
	default:
		return correctReRetrieve
	}
}

// mendingOf names the correction of an answer.
func mendingOf(mending string) string {
	if state.Mending(mending) == state.MendRerank {
		return correctRerank
	}
	return correctAnswer
}

// categories are the words of crag_decisions_total for the actions of the grader.
var categories = map[string]string{
	string(state.ActionGenerate): "RELEVANT", string(state.ActionRefine): "PARTIAL", string(state.ActionReRetrieve): "IRRELEVANT",
}

func categoryOf(action string) string {
	if c, ok := categories[action]; ok {
		return c
	}
	return set(nil).of(action)
}

const sourceRule = "rule" // the grade source "rule:<name>" without the name

// Values of labels that are fixed.
var (
	routes    = setOf(state.RouteChitchat, state.RouteSearch)
	questions = setOf("definition", "how_to", "comparison", "why", "list", "yes_no", "troubleshooting", "other",
		"CODE", "INFRA", "CONFIG", "DEPENDENCY", "TEST", "UNKNOWN")
	statuses = setOf(state.StatusAnswered, state.StatusAbstained, state.StatusPass, state.StatusCorrected, state.StatusWebSearch,
		state.StatusPendingReview, state.StatusLowConfidence)
	stops = setOf(state.StopSufficient, state.StopMaxIterations, state.StopNoProgress, state.StopExhausted, state.StopBudget,
		state.StopChitchat)
	sources   = setOf("llm", "lexical", "signals", "heuristic", "fallback", sourceRule)
	verifiers = setOf("llm", "lexical")
	outcomes  = setOf(state.OutcomeVerified, state.OutcomeUnknown, state.OutcomeNotVerifiable)
	decisions = setOf(state.DecidePass, state.DecideDeliver, state.DecideSelfCorrect, state.DecideWebSearch, state.DecideReview)
	modes     = setOf(state.ReviewProvisional, state.ReviewBlocking)
	reviewed  = setOf(state.ReviewPending, state.ReviewInReview, state.ReviewApproved, state.ReviewCorrected, state.ReviewRejected)
	toolCodes = setOf(tools.CodeBadArguments, tools.CodeUnknownTool, tools.CodeNotAllowed, tools.CodeNotFound, tools.CodeAccessDenied,
		tools.CodeNotAFile, tools.CodeTooLarge, tools.CodeTimeout, tools.CodeUnavailable, tools.CodeDamaged, tools.CodeFailed)
	nodeNames = setOf(nodes.NameAnalyzeAndRoute, nodes.NamePlan, nodes.NameToolCall, nodes.NameGradeEvidence, nodes.NameRefineContext,
		nodes.NameRerank, nodes.NameSynthesize, nodes.NameVerifyAnswer, nodes.NameDecide, nodes.NameHumanReview)
)

// Names that programs may add to; see [Options].
var (
	builtInTools = []string{"keyword_search", "vector_search", "hybrid_search", "grep", "read_file", "list_files", "web_search", "web_fetch"}
	builtInRules = []string{"read_file", "few_context", "high_vector_score"}
)

// errorCode is the code in front of a tool's error message.
func errorCode(message string) string {
	code, _, _ := strings.Cut(message, ":")
	return toolCodes.of(code)
}

// gradeSource is the source of a grading without the name of a rule.
func gradeSource(source string) string {
	if strings.HasPrefix(source, sourceRule+":") {
		return sourceRule
	}
	return sources.of(source)
}
