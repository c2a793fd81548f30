package metrics

import "time"

// Report is the numbers of a collector for people and programs. Shares are 0–1, and nil where there is nothing to divide by.
type Report struct {
	From      time.Time       `json:"from,omitzero"` // of the first line
	To        time.Time       `json:"to,omitzero"`   // of the last line
	Runs      RunReport       `json:"runs"`
	Retrieval RetrievalReport `json:"retrieval"`
	Answers   AnswerReport    `json:"answers"`
	Tools     []ToolReport    `json:"tools"` // by name
	Models    []ModelReport   `json:"models"`
	Reviews   ReviewReport    `json:"reviews"`
}

// Counts is a number for each value of a label.
type Counts map[string]int

func (c Counts) total() int {
	n := 0
	for _, v := range c {
		n += v
	}
	return n
}

// RunReport is about whole runs.
type RunReport struct {
	Started     int          `json:"started"`
	Finished    int          `json:"finished"`
	Routes      Counts       `json:"routes"`
	Categories  Counts       `json:"categories"`
	Statuses    Counts       `json:"statuses"`
	StopReasons Counts       `json:"stop_reasons"`
	Rounds      Counts       `json:"rounds"` // finished runs by their rounds of retrieval
	MeanRounds  float64      `json:"mean_rounds"`
	Seconds     Distribution `json:"seconds"`
}

// RetrievalReport is about finding and judging evidence.
type RetrievalReport struct {
	Decisions         Counts                  `json:"decisions"` // RELEVANT | PARTIAL | IRRELEVANT
	GradedBy          Counts                  `json:"graded_by"`
	FastPath          Counts                  `json:"fast_path"` // by rule
	FastPathShare     *float64                `json:"fast_path_share"`
	Relevance         map[string]Distribution `json:"relevance"` // of a retrieval, by who judged
	Scores            map[string]Distribution `json:"scores"`    // of single passages, by who graded
	Removed           int                     `json:"evidence_removed"`
	CacheHits         int                     `json:"cache_hits"`
	CacheHitShare     *float64                `json:"cache_hit_share"` // of the gradings by a model
	ParseFailures     int                     `json:"parse_failures"`
	Degradations      int                     `json:"grader_degradations"`
	Corrections       []CorrectionReport      `json:"corrections"`
	CorrectionsPerRun *float64                `json:"corrections_per_run"` // of searches; how often correction triggers
	Latency           []LatencyReport         `json:"latency"`
}

// CorrectionReport is what the corrections of one strategy came to.
type CorrectionReport struct {
	Strategy      string       `json:"strategy"`
	Count         int          `json:"count"`
	Results       Counts       `json:"results"`        // improved | unchanged | worse | unknown | abandoned
	ImprovedShare *float64     `json:"improved_share"` // of those that were judged on both sides
	Improvement   Distribution `json:"improvement"`    // score after minus score before
}

// LatencyReport is the time of retrievals that ended alike.
type LatencyReport struct {
	Decision string       `json:"decision"`
	Strategy string       `json:"correction_strategy"`
	Seconds  Distribution `json:"seconds"`
}

// AnswerReport is about checking answers.
type AnswerReport struct {
	Outcomes         Counts       `json:"verification_outcomes"`
	Claims           Counts       `json:"claims"`
	Grounding        Distribution `json:"verification_confidence"`
	Confidence       Distribution `json:"confidence"`
	Actions          Counts       `json:"actions"`
	CitationsRemoved int          `json:"citations_removed"`
}

// ToolReport is about one tool.
type ToolReport struct {
	Tool    string       `json:"tool"`
	Calls   int          `json:"calls"`
	Errors  Counts       `json:"errors"` // by code
	Empty   int          `json:"empty"`
	Seconds Distribution `json:"seconds"`
}

// ModelReport is about the model calls of one node.
type ModelReport struct {
	Node             string       `json:"node"`
	Calls            int          `json:"calls"`
	Errors           int          `json:"errors"`
	Fallbacks        int          `json:"fallbacks"`
	PromptTokens     int          `json:"prompt_tokens"`
	CompletionTokens int          `json:"completion_tokens"`
	Seconds          Distribution `json:"seconds"`
}

// ReviewReport is about the reviews that people made.
type ReviewReport struct {
	Statuses Counts           `json:"statuses"`
	Accuracy []AccuracyReport `json:"accuracy"` // highest confidence first; only ranges with verdicts
	// FalsePositiveShare is that of wrong answers among those with enough confidence to pass, FalseNegativeShare that of
	// right ones among the others. Only answers with a verdict count.
	FalsePositiveShare *float64 `json:"false_positive_share"`
	FalseNegativeShare *float64 `json:"false_negative_share"`
}

// AccuracyReport is the verdicts on answers of a range of confidence.
type AccuracyReport struct {
	Confidence string   `json:"confidence"`
	Verdicts   Counts   `json:"verdicts"`
	Accuracy   *float64 `json:"accuracy"` // approved / all
}

func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	return new(float64(part) / float64(whole))
}
