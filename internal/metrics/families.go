package metrics

import "github.com/prometheus/client_golang/prometheus"

// Edges of the histograms' buckets. They include the thresholds of the agent, so that a share above one can be read off.
var (
	ratioEdges       = []float64{0, .1, .2, .3, .4, .5, .6, .65, .7, .75, .8, .85, .9, .95, 1}
	improvementEdges = []float64{-.5, -.25, -.1, -.05, 0, .05, .1, .15, .2, .3, .4, .5, .75, 1}
	latencyEdges     = []float64{.005, .01, .025, .05, .07, .1, .25, .45, 1, 2.5, 5, 10, 30, 60, 120}
	runEdges         = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}
	roundEdges       = []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
)

// families are all metrics that a collector exports.
type families struct {
	all []prometheus.Collector

	lines, unread *prometheus.CounterVec

	started, questions, answers, stops *prometheus.CounterVec
	duration, rounds                   *prometheus.HistogramVec

	decisions, corrections, results *prometheus.CounterVec
	retrieval, relevance            *prometheus.HistogramVec
	improvement                     *prometheus.HistogramVec

	gradings, fastPath, cacheHits, parseFailures, degraded, removed *prometheus.CounterVec
	scores                                                          *prometheus.HistogramVec

	toolCalls, toolErrors, toolEmpty *prometheus.CounterVec
	toolDuration                     *prometheus.HistogramVec

	verifications, claims, actions, citations *prometheus.CounterVec
	grounding, confidence                     *prometheus.HistogramVec

	llmCalls, llmErrors, llmTokens, llmFallbacks *prometheus.CounterVec
	llmDuration                                  *prometheus.HistogramVec

	reviews, verdicts, predictions *prometheus.CounterVec
}

func newFamilies() *families {
	f := &families{}
	f.lines = f.counter("kbagent_audit_lines_total", "Audit lines by action.", "action")
	f.unread = f.counter("kbagent_audit_unread_lines_total", "Audit lines that lack a detail which a metric needs.", "action")
	f.addRuns()
	f.addRetrieval()
	f.addTools()
	f.addAnswers()
	f.addModels()
	f.addReviews()
	return f
}

func (f *families) addRuns() {
	f.started = f.counter("kbagent_runs_started_total", "Questions that were begun.")
	f.questions = f.counter("kbagent_questions_total", "Questions by route and category.", "route", "category")
	f.answers = f.counter("kbagent_answers_total", "Finished runs by the status of their answer.", "status")
	f.stops = f.counter("kbagent_run_stops_total", "Finished runs by why the search for evidence ended.", "reason")
	f.duration = f.histogram("kbagent_run_duration_seconds", "Time of a run, without what it lay unfinished where the line tells.", runEdges, "status")
	f.rounds = f.histogram("kbagent_run_rounds", "Rounds of retrieval of a run; corrections of the answer do not count.", roundEdges)
}

func (f *families) addRetrieval() {
	f.decisions = f.counter("crag_decisions_total", "Judgements of retrieved evidence by category.", "category")
	f.corrections = f.counter("crag_corrections_total", "Corrections of a retrieval or of an answer by strategy.", "strategy")
	f.retrieval = f.histogram("crag_retrieval_latency_seconds",
		"Time from the first search to the end of the evidence loop, by its last decision and its last correction.", latencyEdges, "decision", "correction_strategy")
	f.relevance = f.histogram("crag_relevance_score", "Score of a judged retrieval, 0 to 1, by who judged; rules that approve without grading do not count.", ratioEdges, "source")
	f.results = f.counter("kbagent_correction_results_total", "Corrections by strategy and by what became of the score.", "strategy", "result")
	f.improvement = f.histogram("kbagent_correction_improvement_ratio", "Score after a correction minus score before it, -1 to 1.", improvementEdges, "strategy")
	f.gradings = f.counter("kbagent_gradings_total", "Judgements of retrieved evidence by who judged.", "source")
	f.scores = f.histogram("kbagent_evidence_score_ratio", "Grades of single passages, 0 to 1, by who graded.", ratioEdges, "source")
	f.fastPath = f.counter("kbagent_fast_path_hits_total", "Retrievals that a rule approved without grading.", "rule")
	f.cacheHits = f.counter("kbagent_grade_cache_hits_total", "Gradings that came from the cache.")
	f.parseFailures = f.counter("kbagent_grade_parse_failures_total", "Grades of a model that could not be read.")
	f.degraded = f.counter("kbagent_grader_degradations_total", "Times that the grader without a model took over.")
	f.removed = f.counter("kbagent_evidence_removed_total", "Passages that were graded too low.")
}

func (f *families) addTools() {
	f.toolCalls = f.counter("kbagent_tool_calls_total", "Calls of tools, failed ones too.", "tool")
	f.toolErrors = f.counter("kbagent_tool_errors_total", "Failed calls of tools by error code.", "tool", "code")
	f.toolEmpty = f.counter("kbagent_tool_empty_results_total", "Calls of tools that found nothing.", "tool")
	f.toolDuration = f.histogram("kbagent_tool_duration_seconds", "Time of a call of a tool, in steps of a millisecond.", latencyEdges, "tool")
}

func (f *families) addAnswers() {
	f.verifications = f.counter("kbagent_verifications_total", "Verifications of answers by who verified and outcome.", "by", "outcome")
	f.claims = f.counter("kbagent_claims_total", "Claims of answers by verdict.", "verdict")
	f.grounding = f.histogram("kbagent_verification_confidence_ratio", "Confidence of a verification, 0 to 1.", ratioEdges, "by")
	f.confidence = f.histogram("kbagent_answer_confidence_ratio", "Confidence in an answer over all dimensions, 0 to 1.", ratioEdges)
	f.actions = f.counter("kbagent_actions_total", "Decisions about answers by action.", "action")
	f.citations = f.counter("kbagent_citations_removed_total", "Citations that cited nothing.")
}

func (f *families) addModels() {
	f.llmCalls = f.counter("kbagent_llm_calls_total", "Calls of a model by node, failed ones too.", "node")
	f.llmErrors = f.counter("kbagent_llm_errors_total", "Failed calls of a model by node.", "node")
	f.llmTokens = f.counter("kbagent_llm_tokens_total", "Tokens by node and type; node is unattributed where only the sum of a run is known.", "node", "type")
	f.llmFallbacks = f.counter("kbagent_llm_fallbacks_total", "Times that a model failed in a node and the way without it was gone.", "node")
	f.llmDuration = f.histogram("kbagent_llm_call_duration_seconds", "Time of a call of a model with its retries.", runEdges, "node")
}

func (f *families) addReviews() {
	f.reviews = f.counter("kbagent_reviews_total", "Reviews by mode and status: queued ones are pending or unqueued (it failed), decided ones count again.", "mode", "status")
	f.verdicts = f.counter("kbagent_review_verdicts_total", "Reviewers' verdicts by confidence of the answer.", "confidence", "verdict")
	f.predictions = f.counter("kbagent_review_predictions_total",
		"Reviewers' verdicts: whether the confidence was enough to pass (pass or doubt), and whether the answer was right or wrong.", "predicted", "actual")
}

func (f *families) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	f.all = append(f.all, c)
	return c
}

func (f *families) histogram(name, help string, edges []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: edges}, labels)
	f.all = append(f.all, h)
	return h
}
