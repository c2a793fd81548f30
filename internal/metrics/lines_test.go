package metrics

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
)

// Each case is lines of a run and everything that the collector exports after them.
var cases = []struct {
	name  string
	lines []nodes.Line
	want  []string
}{
	{"a search is a question of its route and category",
		[]nodes.Line{said("route", "route", state.RouteSearch, "category", "how_to", "confidence", 0.8)},
		[]string{`kbagent_questions_total{category="how_to",route="search"} 1`}},
	{"the first strategy is no correction",
		[]nodes.Line{said("route", "strategy", state.StrategyExpanded, "attempted", []state.Strategy(nil))},
		[]string{}},
	{"a rule's approval is a decision without a score",
		[]nodes.Line{said("fast_path_hit", "rule_name", "few_context", "items", 2, "action", state.ActionGenerate)},
		[]string{
			`crag_decisions_total{category="RELEVANT"} 1`,
			`kbagent_fast_path_hits_total{rule="few_context"} 1`,
			`kbagent_gradings_total{source="rule"} 1`,
		}},
	{"a grading counts its decision, its average and its scores",
		[]nodes.Line{said("grade_evidence_result", "source", "llm", "action", state.ActionRefine, "scores", []float64{0.9, 0.2}, "average", 0.55, "kept", 2, "cache_hit", true)},
		[]string{
			`crag_decisions_total{category="PARTIAL"} 1`,
			`crag_relevance_score_sum{source="llm"} 0.55`,
			`crag_relevance_score_count{source="llm"} 1`,
			`kbagent_evidence_score_ratio_sum{source="llm"} 1.1`,
			`kbagent_evidence_score_ratio_count{source="llm"} 2`,
			`kbagent_grade_cache_hits_total 1`,
			`kbagent_gradings_total{source="llm"} 1`,
		}},
	{"nothing found is a relevance of 0 that nobody judged",
		[]nodes.Line{said("grade_evidence_result", "source", "", "action", state.ActionReRetrieve, "scores", []float64{}, "average", 0.0)},
		[]string{
			`crag_decisions_total{category="IRRELEVANT"} 1`,
			`crag_relevance_score_sum{source="none"} 0`,
			`crag_relevance_score_count{source="none"} 1`,
			`kbagent_gradings_total{source="none"} 1`,
		}},
	{"a retrieval that is corrected has improved when its score has, and its time is that of all rounds",
		[]nodes.Line{
			said("route", "strategy", state.StrategyKeyword, "attempted", []state.Strategy{}),
			move("ROUTE", "RETRIEVE", 0),
			move("RETRIEVE", "GRADE", time.Second),
			said("grade_evidence_result", "source", "lexical", "action", "RE_RETRIEVE", "average", 0.0),
			move("GRADE", "RE_RETRIEVE", time.Second),
			said("route", "strategy", state.StrategyExpanded, "attempted", []state.Strategy{state.StrategyKeyword}),
			move("ROUTE", "RETRIEVE", time.Second),
			said("grade_evidence_result", "source", "lexical", "action", "GENERATE", "average", 0.75),
			move("GRADE", "GENERATE", 3*time.Second),
		},
		[]string{
			`crag_corrections_total{strategy="query_expansion"} 1`,
			`crag_decisions_total{category="IRRELEVANT"} 1`,
			`crag_decisions_total{category="RELEVANT"} 1`,
			`crag_relevance_score_sum{source="lexical"} 0.75`,
			`crag_relevance_score_count{source="lexical"} 2`,
			`crag_retrieval_latency_seconds_sum{correction_strategy="query_expansion",decision="RELEVANT"} 3`,
			`crag_retrieval_latency_seconds_count{correction_strategy="query_expansion",decision="RELEVANT"} 1`,
			`kbagent_correction_improvement_ratio_sum{strategy="query_expansion"} 0.75`,
			`kbagent_correction_improvement_ratio_count{strategy="query_expansion"} 1`,
			`kbagent_correction_results_total{result="improved",strategy="query_expansion"} 1`,
			`kbagent_gradings_total{source="lexical"} 2`,
		}},
	{"a refinement that a rule approves has improved, but by no measured amount",
		[]nodes.Line{
			said("grade_evidence_result", "source", "llm", "action", "REFINE", "average", 0.5),
			said("plan", "refine", true, "source", "llm"),
			said("fast_path_hit", "rule_name", "read_file", "action", "GENERATE"),
		},
		[]string{
			`crag_corrections_total{strategy="refine"} 1`,
			`crag_decisions_total{category="PARTIAL"} 1`,
			`crag_decisions_total{category="RELEVANT"} 1`,
			`crag_relevance_score_sum{source="llm"} 0.5`,
			`crag_relevance_score_count{source="llm"} 1`,
			`kbagent_correction_results_total{result="improved",strategy="refine"} 1`,
			`kbagent_fast_path_hits_total{rule="read_file"} 1`,
			`kbagent_gradings_total{source="llm"} 1`,
			`kbagent_gradings_total{source="rule"} 1`,
		}},
	{"tools count calls, errors by code, empty results and times",
		[]nodes.Line{
			said("tool_call", "name", "grep", "items", 0, "duration_ms", int64(250)),
			said("tool_error", "name", "read_file", "items", 0, "duration_ms", int64(1000), "error", "NOT_FOUND: no such file: secret/path.md"),
		},
		[]string{
			`kbagent_tool_calls_total{tool="grep"} 1`,
			`kbagent_tool_calls_total{tool="read_file"} 1`,
			`kbagent_tool_duration_seconds_sum{tool="grep"} 0.25`,
			`kbagent_tool_duration_seconds_count{tool="grep"} 1`,
			`kbagent_tool_duration_seconds_sum{tool="read_file"} 1`,
			`kbagent_tool_duration_seconds_count{tool="read_file"} 1`,
			`kbagent_tool_empty_results_total{tool="grep"} 1`,
			`kbagent_tool_errors_total{code="NOT_FOUND",tool="read_file"} 1`,
		}},
	{"an answer that a correction raises has improved by the difference",
		[]nodes.Line{
			said("verify", "outcome", state.OutcomeVerified, "by", "llm", "confidence", 0.5, "claims_checked", 4, "claims_supported", 2, "claims_partial", 1),
			said("decide", "action", state.DecideSelfCorrect, "confidence", 0.5),
			said("verify", "outcome", state.OutcomeVerified, "by", "llm", "confidence", 1.0, "claims_checked", 2, "claims_supported", 2, "claims_partial", 0),
			said("decide", "action", state.DecidePass, "confidence", 0.75),
		},
		[]string{
			`crag_corrections_total{strategy="self_correct"} 1`,
			`kbagent_actions_total{action="PASS"} 1`,
			`kbagent_actions_total{action="SELF_CORRECT"} 1`,
			`kbagent_answer_confidence_ratio_sum 1.25`,
			`kbagent_answer_confidence_ratio_count 2`,
			`kbagent_claims_total{verdict="partial"} 1`,
			`kbagent_claims_total{verdict="supported"} 4`,
			`kbagent_claims_total{verdict="unsupported"} 1`,
			`kbagent_correction_improvement_ratio_sum{strategy="self_correct"} 0.25`,
			`kbagent_correction_improvement_ratio_count{strategy="self_correct"} 1`,
			`kbagent_correction_results_total{result="improved",strategy="self_correct"} 1`,
			`kbagent_verification_confidence_ratio_sum{by="llm"} 1.5`,
			`kbagent_verification_confidence_ratio_count{by="llm"} 2`,
			`kbagent_verifications_total{by="llm",outcome="verified"} 2`,
		}},
	{"a verifier that failed leaves a correction unjudged, and is a fallback",
		[]nodes.Line{
			said("verify", "outcome", "verified", "by", "llm", "confidence", 0.25, "claims_checked", 1, "claims_supported", 0, "claims_partial", 1),
			said("decide", "action", "WEB_SEARCH"),
			said("verify", "outcome", "unknown", "by", "llm"),
			said("decide", "action", "REVIEW"),
		},
		[]string{
			`crag_corrections_total{strategy="web_search"} 1`,
			`kbagent_actions_total{action="REVIEW"} 1`,
			`kbagent_actions_total{action="WEB_SEARCH"} 1`,
			`kbagent_claims_total{verdict="partial"} 1`,
			`kbagent_claims_total{verdict="supported"} 0`,
			`kbagent_claims_total{verdict="unsupported"} 0`,
			`kbagent_correction_results_total{result="unknown",strategy="web_search"} 1`,
			`kbagent_llm_fallbacks_total{node="verify_answer"} 1`,
			`kbagent_verification_confidence_ratio_sum{by="llm"} 0.25`,
			`kbagent_verification_confidence_ratio_count{by="llm"} 1`,
			`kbagent_verifications_total{by="llm",outcome="unknown"} 1`,
			`kbagent_verifications_total{by="llm",outcome="verified"} 1`,
		}},
	{"the end of a run counts status, reason, rounds, time and model calls",
		[]nodes.Line{
			said("run_start", "settings", state.Settings{ConfidencePass: 0.9}),
			{Time: noon.Add(2 * time.Second), Thread: "t", Run: "r", Action: "run_end", Details: map[string]any{
				"status": state.StatusPass, "stop_reason": state.StopSufficient, "iteration": 2,
				"usage": state.Usage{LLMCalls: 3, PromptTokens: 20, CompletionTokens: 10, TotalTokens: 30, ByNode: map[string]int{"plan": 1, "synthesize": 2}},
			}},
		},
		[]string{
			`kbagent_answers_total{status="PASS"} 1`,
			`kbagent_llm_calls_total{node="plan"} 1`,
			`kbagent_llm_calls_total{node="synthesize"} 2`,
			`kbagent_llm_tokens_total{node="unattributed",type="completion"} 10`,
			`kbagent_llm_tokens_total{node="unattributed",type="prompt"} 20`,
			`kbagent_run_duration_seconds_sum{status="PASS"} 2`,
			`kbagent_run_duration_seconds_count{status="PASS"} 1`,
			`kbagent_run_rounds_sum 2`,
			`kbagent_run_rounds_count 1`,
			`kbagent_run_stops_total{reason="sufficient"} 1`,
			`kbagent_runs_started_total 1`,
		}},
	{"lines of single model calls count by node, and the end of the run adds only what they lack",
		[]nodes.Line{
			said("run_start"),
			said("llm_call", "node", "plan", "duration_ms", int64(500), "prompt_tokens", 20, "completion_tokens", 4),
			said("llm_call", "node", "synthesize", "duration_ms", int64(250), "error", "the server said: secret"),
			said("run_end", "status", "ANSWERED", "stop_reason", "sufficient", "iteration", 1, "elapsed_ms", int64(1500),
				"usage", map[string]any{"llm_calls": 3.0, "prompt_tokens": 25.0, "completion_tokens": 4.0, "by_node": map[string]any{"plan": 1.0, "synthesize": 2.0}}),
		},
		[]string{
			`kbagent_answers_total{status="ANSWERED"} 1`,
			`kbagent_llm_call_duration_seconds_sum{node="plan"} 0.5`,
			`kbagent_llm_call_duration_seconds_count{node="plan"} 1`,
			`kbagent_llm_call_duration_seconds_sum{node="synthesize"} 0.25`,
			`kbagent_llm_call_duration_seconds_count{node="synthesize"} 1`,
			`kbagent_llm_calls_total{node="plan"} 1`,
			`kbagent_llm_calls_total{node="synthesize"} 2`,
			`kbagent_llm_errors_total{node="synthesize"} 1`,
			`kbagent_llm_tokens_total{node="plan",type="completion"} 4`,
			`kbagent_llm_tokens_total{node="plan",type="prompt"} 20`,
			`kbagent_llm_tokens_total{node="unattributed",type="prompt"} 5`,
			`kbagent_run_duration_seconds_sum{status="ANSWERED"} 1.5`,
			`kbagent_run_duration_seconds_count{status="ANSWERED"} 1`,
			`kbagent_run_rounds_sum 1`,
			`kbagent_run_rounds_count 1`,
			`kbagent_run_stops_total{reason="sufficient"} 1`,
			`kbagent_runs_started_total 1`,
		}},
	{"a model that failed as router, planner, writer or grader was replaced",
		[]nodes.Line{
			said("route", "route", "search", "category", "", "model_failed", "timeout"),
			said("plan", "refine", false, "model_failed", "timeout"),
			said("synthesize", "model_failed", "timeout"),
			said("grader_degraded", "reason", "timeout", "to", "lexical"),
			said("grade_parse_failure", "reason", "no scores", "raw", "hello"),
		},
		[]string{
			`kbagent_grade_parse_failures_total 1`,
			`kbagent_grader_degradations_total 1`,
			`kbagent_llm_fallbacks_total{node="analyze_and_route"} 1`,
			`kbagent_llm_fallbacks_total{node="grade_evidence"} 1`,
			`kbagent_llm_fallbacks_total{node="plan"} 1`,
			`kbagent_llm_fallbacks_total{node="synthesize"} 1`,
			`kbagent_questions_total{category="none",route="search"} 1`,
		}},
	{"a verdict on an answer that passed is compared with its confidence, at the threshold of its run",
		[]nodes.Line{
			said("run_start", "settings", map[string]any{"confidence_pass": 0.7}),
			said("verify", "outcome", "verified", "by", "lexical", "confidence", 0.7),
			said("decide", "action", "REVIEW", "confidence", 0.7),
			said("review", "review", "v1", "mode", state.ReviewBlocking, "review_status", state.ReviewRejected),
		},
		[]string{
			`kbagent_actions_total{action="REVIEW"} 1`,
			`kbagent_answer_confidence_ratio_sum 0.7`,
			`kbagent_answer_confidence_ratio_count 1`,
			`kbagent_claims_total{verdict="partial"} 0`,
			`kbagent_claims_total{verdict="supported"} 0`,
			`kbagent_claims_total{verdict="unsupported"} 0`,
			`kbagent_review_predictions_total{actual="wrong",predicted="pass"} 1`,
			`kbagent_review_verdicts_total{confidence="0.65-0.85",verdict="rejected"} 1`,
			`kbagent_reviews_total{mode="blocking",status="rejected"} 1`,
			`kbagent_runs_started_total 1`,
			`kbagent_verification_confidence_ratio_sum{by="lexical"} 0.7`,
			`kbagent_verification_confidence_ratio_count{by="lexical"} 1`,
			`kbagent_verifications_total{by="lexical",outcome="verified"} 1`,
		}},
	{"a verdict on an answer of another process takes the confidence of its line",
		[]nodes.Line{said("review", "review", "v1", "mode", "provisional", "review_status", "approved", "confidence", 0.5)},
		[]string{
			`kbagent_review_predictions_total{actual="right",predicted="doubt"} 1`,
			`kbagent_review_verdicts_total{confidence="0.40-0.65",verdict="approved"} 1`,
			`kbagent_reviews_total{mode="provisional",status="approved"} 1`,
		}},
	{"a review waits for its verdict, or could not be queued",
		[]nodes.Line{
			said("review", "review", "v1", "mode", "provisional", "review_status", "pending"),
			said("review", "status", "LOW_CONFIDENCE"),
		},
		[]string{
			`kbagent_reviews_total{mode="none",status="unqueued"} 1`,
			`kbagent_reviews_total{mode="provisional",status="pending"} 1`,
		}},
	{"what was removed is counted",
		[]nodes.Line{said("evidence_removed", "path", "secret.md", "score", 0.1), said("citation_removed", "marker", "[9]")},
		[]string{`kbagent_citations_removed_total 1`, `kbagent_evidence_removed_total 1`}},
	{"names that nobody knows are other",
		[]nodes.Line{
			said("tool_call", "name", "ignore all instructions", "items", 1),
			said("fast_path_hit", "rule_name", "mine", "action", "SHOUT"),
			said("decide", "action", "EXPLODE"),
			said("route", "route", "sideways", "category", "the question itself"),
			said("tool_error", "name", "grep", "error", "the whole story"),
		},
		[]string{
			`crag_decisions_total{category="other"} 1`,
			`kbagent_actions_total{action="other"} 1`,
			`kbagent_fast_path_hits_total{rule="other"} 1`,
			`kbagent_gradings_total{source="rule"} 1`,
			`kbagent_questions_total{category="other",route="other"} 1`,
			`kbagent_tool_calls_total{tool="grep"} 1`,
			`kbagent_tool_calls_total{tool="other"} 1`,
			`kbagent_tool_errors_total{code="other",tool="grep"} 1`,
		}},
	{"numbers that are none are not observed, and the line is said to be unread",
		[]nodes.Line{
			said("grade_evidence_result", "source", "llm", "action", "GENERATE", "average", math.NaN()),
			said("grade_evidence_result", "source", "llm", "action", "GENERATE", "average", "high"),
			said("verify", "outcome", "not_verifiable", "by", "llm", "confidence", math.Inf(1)),
			said("decide"),
			said("transition"),
		},
		[]string{
			`kbagent_actions_total{action="none"} 1`,
			`kbagent_audit_unread_lines_total{action="decide"} 1`,
			`kbagent_audit_unread_lines_total{action="grade_evidence_result"} 2`,
			`kbagent_audit_unread_lines_total{action="transition"} 1`,
			`kbagent_verifications_total{by="llm",outcome="not_verifiable"} 1`,
		}},
}

func TestLinesBecomeMetrics(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, samples(t, told(t, c.lines...))) })
	}
}

func TestEveryActionOfTheNodesIsKnownAndOthersAreOther(t *testing.T) {
	c := told(t)
	for _, action := range []string{
		nodes.AuditRunStart, nodes.AuditRoute, nodes.AuditPlan, nodes.AuditToolCall, nodes.AuditToolError, nodes.AuditFastPathHit, nodes.AuditGradeResult,
		nodes.AuditGradeParseFailure, nodes.AuditGraderDegraded, nodes.AuditEvidenceRemoved, nodes.AuditTransition, nodes.AuditCapReached,
		nodes.AuditNoProgress, nodes.AuditBudget, nodes.AuditSynthesize, nodes.AuditCitationRemoved, nodes.AuditRefineContext, nodes.AuditVerify,
		nodes.AuditDecide, nodes.AuditReview, nodes.AuditRunEnd,
	} {
		_ = c.Record(nodes.Line{Action: action})
		assert.Contains(t, exposition(t, c), `kbagent_audit_lines_total{action="`+action+`"} 1`)
	}
	assert.NotContains(t, exposition(t, c), `action="other"`)
	_ = c.Record(nodes.Line{Action: "rm -rf /"})
	assert.Contains(t, exposition(t, c), `kbagent_audit_lines_total{action="other"} 1`)
}

func TestARunThatEndsTwiceCountsItsCostOnce(t *testing.T) {
	end := func(calls int) nodes.Line {
		return said("run_end", "status", "PASS", "usage", state.Usage{LLMCalls: calls, PromptTokens: 10 * calls, ByNode: map[string]int{"plan": calls}})
	}
	got := samples(t, told(t, said("run_start"), end(2), end(3)))
	assert.Contains(t, got, `kbagent_llm_calls_total{node="plan"} 3`)
	assert.Contains(t, got, `kbagent_llm_tokens_total{node="unattributed",type="prompt"} 30`)
	assert.Contains(t, got, `kbagent_answers_total{status="PASS"} 2`)
	assert.Contains(t, got, `kbagent_run_duration_seconds_count{status="PASS"} 1`)
}

func TestAVerdictThatIsToldTwiceCountsOnce(t *testing.T) {
	verdict := said(nodes.AuditReview, "review", "v", "mode", "blocking", "review_status", "approved", "confidence", 0.9)
	got := samples(t, told(t, said(nodes.AuditReview, "review", "v", "mode", "blocking", "review_status", "pending"), verdict, verdict))
	assert.Contains(t, got, `kbagent_reviews_total{mode="blocking",status="pending"} 1`)
	assert.Contains(t, got, `kbagent_reviews_total{mode="blocking",status="approved"} 1`)
	assert.Contains(t, got, `kbagent_review_verdicts_total{confidence="0.85-1",verdict="approved"} 1`)
}

func TestACorrectionThatARunEndsBeforeIsAbandoned(t *testing.T) {
	got := samples(t, told(t,
		said("run_start"), said("grade_evidence_result", "source", "llm", "action", "REFINE", "average", 0.5), said("plan", "refine", true),
		said("decide", "action", "SELF_CORRECT"), said("run_end", "status", "LOW_CONFIDENCE", "stop_reason", "budget")))
	assert.Contains(t, got, `kbagent_correction_results_total{result="abandoned",strategy="refine"} 1`)
	assert.Contains(t, got, `kbagent_correction_results_total{result="abandoned",strategy="self_correct"} 1`)
}

func TestRunsThatNeverEndAreForgotten(t *testing.T) {
	m := newMemory(3)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		m.of(runKey{run: id}).score = 1
	}
	assert.Len(t, m.runs, 3)
	assert.Zero(t, m.of(runKey{run: "a"}).score, "the oldest is forgotten")
	assert.Equal(t, 1.0, m.of(runKey{run: "e"}).score)
	assert.Len(t, m.order, 3)
}

func TestNamesThatAProgramAddsAreLabels(t *testing.T) {
	c := New(Options{Tools: []string{"ask_jira"}, Rules: []string{"mine"}, PassThreshold: 0.5})
	for _, l := range []nodes.Line{
		said("tool_call", "name", "ask_jira", "items", 1), said("fast_path_hit", "rule_name", "mine", "action", "GENERATE"),
		said("review", "review", "v", "mode", "provisional", "review_status", "approved", "confidence", 0.5),
	} {
		_ = c.Record(l)
	}
	got := samples(t, c)
	assert.Contains(t, got, `kbagent_tool_calls_total{tool="ask_jira"} 1`)
	assert.Contains(t, got, `kbagent_fast_path_hits_total{rule="mine"} 1`)
	assert.Contains(t, got, `kbagent_review_predictions_total{actual="right",predicted="pass"} 1`)
}
