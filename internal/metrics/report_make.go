package metrics

import (
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// Report is what c has counted so far. Quantiles are estimated from the buckets of the histograms, as Prometheus does.
// The error says that metrics contradict each other, which a test excludes.
func (c *Collector) Report() (Report, error) {
	reg := prometheus.NewRegistry()
	if err := reg.Register(c); err != nil {
		return Report{}, err
	}
	gathered, err := reg.Gather()
	if err != nil {
		return Report{}, err
	}
	v := newView(gathered)
	c.mu.Lock()
	r := Report{From: c.first, To: c.last}
	c.mu.Unlock()
	r.Runs = runReport(v)
	r.Retrieval = retrievalReport(v)
	r.Answers = answerReport(v)
	r.Tools = toolReports(v)
	r.Models = modelReports(v)
	r.Reviews = reviewReport(v)
	return r, nil
}

func runReport(v view) RunReport {
	return RunReport{
		Started:     v.total("kbagent_runs_started_total"),
		Finished:    v.total("kbagent_answers_total"),
		Routes:      v.counts("kbagent_questions_total", "route"),
		Categories:  v.counts("kbagent_questions_total", "category"),
		Statuses:    v.counts("kbagent_answers_total", "status"),
		StopReasons: v.counts("kbagent_run_stops_total", "reason"),
		Rounds:      v.steps("kbagent_run_rounds"),
		MeanRounds:  v.distribution("kbagent_run_rounds").Mean,
		Seconds:     v.distribution("kbagent_run_duration_seconds"),
	}
}

func retrievalReport(v view) RetrievalReport {
	r := RetrievalReport{
		Decisions:     v.counts("crag_decisions_total", "category"),
		GradedBy:      v.counts("kbagent_gradings_total", "source"),
		FastPath:      v.counts("kbagent_fast_path_hits_total", "rule"),
		Relevance:     v.distributions("crag_relevance_score", "source"),
		Scores:        v.distributions("kbagent_evidence_score_ratio", "source"),
		Removed:       v.total("kbagent_evidence_removed_total"),
		CacheHits:     v.total("kbagent_grade_cache_hits_total"),
		ParseFailures: v.total("kbagent_grade_parse_failures_total"),
		Degradations:  v.total("kbagent_grader_degradations_total"),
		Corrections:   []CorrectionReport{},
		Latency:       []LatencyReport{},
	}
	r.FastPathShare = share(r.FastPath.total(), r.GradedBy.total())
	r.CacheHitShare = share(r.CacheHits, r.GradedBy["llm"])
	corrections := v.counts("crag_corrections_total", "strategy")
	for _, strategy := range sorted(corrections) {
		results := v.counts("kbagent_correction_results_total", "result", "strategy", strategy)
		r.Corrections = append(r.Corrections, CorrectionReport{
			Strategy: strategy, Count: corrections[strategy], Results: results,
			ImprovedShare: share(results[resultImproved], results[resultImproved]+results[resultUnchanged]+results[resultWorse]),
			Improvement:   v.distribution("kbagent_correction_improvement_ratio", "strategy", strategy),
		})
	}
	r.CorrectionsPerRun = share(corrections.total(), v.counts("kbagent_questions_total", "route")["search"])
	for _, decision := range sorted(v.distributions("crag_retrieval_latency_seconds", "decision")) {
		byStrategy := v.distributions("crag_retrieval_latency_seconds", "correction_strategy", "decision", decision)
		for _, strategy := range sorted(byStrategy) {
			r.Latency = append(r.Latency, LatencyReport{decision, strategy, byStrategy[strategy]})
		}
	}
	return r
}

func answerReport(v view) AnswerReport {
	return AnswerReport{
		Outcomes:         v.counts("kbagent_verifications_total", "outcome"),
		Claims:           v.counts("kbagent_claims_total", "verdict"),
		Grounding:        v.distribution("kbagent_verification_confidence_ratio"),
		Confidence:       v.distribution("kbagent_answer_confidence_ratio"),
		Actions:          v.counts("kbagent_actions_total", "action"),
		CitationsRemoved: v.total("kbagent_citations_removed_total"),
	}
}

func toolReports(v view) []ToolReport {
	list := []ToolReport{}
	calls := v.counts("kbagent_tool_calls_total", "tool")
	for _, tool := range sorted(calls) {
		list = append(list, ToolReport{
			Tool: tool, Calls: calls[tool],
			Errors:  v.counts("kbagent_tool_errors_total", "code", "tool", tool),
			Empty:   v.total("kbagent_tool_empty_results_total", "tool", tool),
			Seconds: v.distribution("kbagent_tool_duration_seconds", "tool", tool),
		})
	}
	return list
}

func modelReports(v view) []ModelReport {
	seen := v.counts("kbagent_llm_calls_total", "node")
	maps.Copy(seen, v.counts("kbagent_llm_tokens_total", "node"))
	maps.Copy(seen, v.counts("kbagent_llm_fallbacks_total", "node"))
	list := []ModelReport{}
	for _, node := range sorted(seen) {
		tokens := v.counts("kbagent_llm_tokens_total", "type", "node", node)
		list = append(list, ModelReport{
			Node:         node,
			Calls:        v.total("kbagent_llm_calls_total", "node", node),
			Errors:       v.total("kbagent_llm_errors_total", "node", node),
			Fallbacks:    v.total("kbagent_llm_fallbacks_total", "node", node),
			PromptTokens: tokens[typePrompt], CompletionTokens: tokens[typeCompletion],
			Seconds: v.distribution("kbagent_llm_call_duration_seconds", "node", node),
		})
	}
	return list
}

func reviewReport(v view) ReviewReport {
	r := ReviewReport{Statuses: v.counts("kbagent_reviews_total", "status"), Accuracy: []AccuracyReport{}}
	for _, name := range append(bucketNames(), bucketUnknown) {
		if verdicts := v.counts("kbagent_review_verdicts_total", "verdict", "confidence", name); len(verdicts) > 0 {
			r.Accuracy = append(r.Accuracy, AccuracyReport{name, verdicts, share(verdicts["approved"], verdicts.total())})
		}
	}
	passed := v.counts("kbagent_review_predictions_total", "actual", "predicted", predictedPass)
	doubted := v.counts("kbagent_review_predictions_total", "actual", "predicted", predictedDoubt)
	r.FalsePositiveShare = share(passed[actuallyWrong], passed.total())
	r.FalseNegativeShare = share(doubted[actuallyRight], doubted.total())
	return r
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
