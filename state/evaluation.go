package state

// Evaluation tells how a retrieval was judged and what followed from it.
type Evaluation struct {
	Decision           string             `json:"decision"`  // CORRECT | AMBIGUOUS | INCORRECT, or RELEVANT | PARTIAL | IRRELEVANT of the evaluator heuristic
	Score              float64            `json:"score"`     // 0–1; the average of the kept items where items are graded
	Subscores          map[string]float64 `json:"subscores"` // of evaluators that judge a retrieval as a whole
	Reasoning          string             `json:"reasoning"` // one sentence with the figures
	CorrectionApplied  bool               `json:"correction_applied"`
	CorrectionStrategy string             `json:"correction_strategy"` // none | query_expansion | web_search | decompose
	OriginalCount      int                `json:"original_count"`      // items before anything was dropped or cut
	WebSearchUsed      bool               `json:"web_search_used"`
	TokensUsed         int                `json:"tokens_used"` // of the model that graded
	CacheHit           bool               `json:"cache_hit"`
	ElapsedMS          int64              `json:"elapsed_ms"`
}
