package state

// Route says what kind of turn a question is.
type Route string

// The routes of analyze_and_route.
const (
	RouteChitchat Route = "chitchat" // answered without evidence
	RouteSearch   Route = "search"   // answered from the knowledge base
)

// Strategy is a way to retrieve evidence. RE_RETRIEVE never takes one twice in a run.
type Strategy string

// The retrieval strategies.
const (
	StrategyHybrid     Strategy = "hybrid"     // BM25 and vectors, fused by rank
	StrategyVector     Strategy = "vector"     // embeddings only
	StrategyKeyword    Strategy = "keyword"    // BM25 only
	StrategyExpanded   Strategy = "expanded"   // the question with synonyms, and a grep for its longest word
	StrategyDecomposed Strategy = "decomposed" // one search per part of the question
	StrategyReadFile   Strategy = "read_file"  // the files that the question names
	StrategyWeb        Strategy = "web"        // web search, once a run
)

// Action is the grader's verdict on a round of evidence.
type Action string

// The three actions of grade_evidence. Other writings call them CORRECT, AMBIGUOUS and INCORRECT.
const (
	ActionGenerate   Action = "GENERATE"
	ActionRefine     Action = "REFINE"
	ActionReRetrieve Action = "RE_RETRIEVE"
)

// Phase is the state of the corrective machine; package rules holds its table.
type Phase string

// The phases of the corrective machine.
const (
	PhaseRoute      Phase = "ROUTE"
	PhaseRetrieve   Phase = "RETRIEVE"
	PhaseGrade      Phase = "GRADE"
	PhaseRefine     Phase = "REFINE"
	PhaseReRetrieve Phase = "RE_RETRIEVE"
	PhaseGenerate   Phase = "GENERATE"
	PhaseAnswered   Phase = "ANSWERED"
	PhaseReview     Phase = "REVIEW"
	PhaseDone       Phase = "DONE"
)

// ScoreKind says what a retrieval score measures. Every score is 0–1 and higher is better, whatever its kind,
// but a threshold reads one kind only.
type ScoreKind string

// The kinds of retrieval scores.
const (
	ScoreCosine ScoreKind = "cosine" // max(0, cosine similarity)
	ScoreBM25   ScoreKind = "bm25"   // s/(s+k) of the BM25 sum
	ScoreRRF    ScoreKind = "rrf"    // reciprocal rank fusion, divided by its maximum for the number of lists
	// ScoreWeighted is the weighted sum of the scores of several searches.
	ScoreWeighted ScoreKind = "weighted"
	ScoreRerank   ScoreKind = "rerank"  // a re-ranking model
	ScoreLexical  ScoreKind = "lexical" // the lexical grader
	ScoreNone     ScoreKind = "none"    // the tool ranks nothing
)

// StopReason says why the evidence loop ended.
type StopReason string

// The stop reasons.
const (
	StopSufficient    StopReason = "sufficient"
	StopMaxIterations StopReason = "max_iterations"
	StopNoProgress    StopReason = "no_progress"
	StopExhausted     StopReason = "strategies_exhausted"
	StopBudget        StopReason = "budget"
	StopChitchat      StopReason = "chitchat"
)

// Status says what became of a question.
type Status string

// The statuses of an answer.
const (
	StatusAnswered      Status = "ANSWERED"       // verification was off
	StatusAbstained     Status = "ABSTAINED"      // it says that there is no answer
	StatusPass          Status = "PASS"           // verified, or approved by a person
	StatusCorrected     Status = "CORRECTED"      // verified after a correction, or corrected by a person
	StatusWebSearch     Status = "WEB_SEARCH"     // verified with evidence from the web
	StatusPendingReview Status = "PENDING_REVIEW" // a person will look at it
	StatusLowConfidence Status = "LOW_CONFIDENCE" // delivered without that certainty
)

// AnswerMode says what the agent does when the evidence is weak.
type AnswerMode string

// The answer modes.
const (
	ModeStrict     AnswerMode = "strict"      // answer from kept evidence only, and abstain when the answer cites none of it
	ModeBestEffort AnswerMode = "best_effort" // answer from what there is and say what is missing (default)
	ModeOpen       AnswerMode = "open"        // may add the model's own knowledge, labelled as such
)

// Evaluator names who grades evidence when no rule approves it.
type Evaluator string

// The evaluators that exist.
const (
	EvaluatorAuto    Evaluator = "auto"    // llm with a model configured, lexical without
	EvaluatorLLM     Evaluator = "llm"     // one batched call to the model
	EvaluatorLexical Evaluator = "lexical" // words, without a model

	// These two grade a retrieval as a whole: they set the action and drop nothing.
	EvaluatorSignals   Evaluator = "signals"   // re-ranking, coverage, agreement
	EvaluatorHeuristic Evaluator = "heuristic" // overlap, coherence, length, diversity
)

// WebMode says when the web is searched beside the knowledge base.
type WebMode string

// The web modes.
const (
	WebOff       WebMode = "off"
	WebIncorrect WebMode = "incorrect" // when nothing found is relevant
	WebAmbiguous WebMode = "ambiguous" // when what was found is only partly relevant, too
)
