package state

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
)

// Evidence is one passage that a tool found, as the graders and the answer see it. Content is the source's own text,
// byte for byte; StartByte:EndByte and the lines point to where it stands.
type Evidence struct {
	ID             string    `json:"id"`               // see EvidenceID
	Tool           string    `json:"tool"`             // the tool that found it first
	Path           string    `json:"path"`             // relative to its indexed root, forward slashes; or a URL
	Title          string    `json:"title,omitzero"`   // of the document
	Section        string    `json:"section,omitzero"` // heading path, "A > B"
	StartLine      int       `json:"start_line"`       // 1-based
	EndLine        int       `json:"end_line"`         // inclusive
	StartByte      int       `json:"start_byte"`       // offset in the source
	EndByte        int       `json:"end_byte"`         // exclusive
	Content        string    `json:"content"`          // byte for byte
	RetrievalScore float64   `json:"retrieval_score"`  // 0–1, of kind ScoreKind; the best of all rounds
	ScoreKind      ScoreKind `json:"score_kind"`       // of RetrievalScore
	Grade          *float64  `json:"grade,omitempty"`  // 0–1 from the last grading; nil = not graded yet
	Language       string    `json:"language,omitzero"`
}

// EvidenceID is the stable identity of a passage: a hash of where it stands and what it says.
func EvidenceID(path string, startByte, endByte int, content string) string {
	h := sha256.New()
	for _, part := range []string{path, strconv.Itoa(startByte), strconv.Itoa(endByte), content} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// GradeOf is the item's grade, or 0 when it was not graded.
func (e Evidence) GradeOf() float64 {
	if e.Grade == nil {
		return 0
	}
	return *e.Grade
}

// Quarantine is an item that grading removed from the context, kept for the capped round and for /why.
type Quarantine struct {
	Item   Evidence `json:"item"`
	Score  float64  `json:"score"`
	Reason string   `json:"reason"`
	Round  int      `json:"round"`
}

// Citation is one source of the answer. Quote stands verbatim at the lines StartLine–EndLine of Path.
type Citation struct {
	N         int    `json:"n"` // the marker [n] in the answer
	Path      string `json:"path"`
	StartLine int    `json:"start_line"` // 1-based
	EndLine   int    `json:"end_line"`   // inclusive
	Quote     string `json:"quote"`
	ItemID    string `json:"item_id"`
	Page      string `json:"page,omitzero"` // "page 3" of formats that have pages, whose lines are those of the converted text
}

// ToolCall is one call that a plan asks for.
type ToolCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// ToolRecord is one call that was made, with what it found.
type ToolRecord struct {
	Round      int             `json:"round"` // the iteration it belongs to, from 1
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Args       json.RawMessage `json:"args"`
	ItemIDs    []string        `json:"item_ids"`
	Scores     []float64       `json:"scores"` // parallel to ItemIDs, of kind ScoreKind
	ScoreKind  ScoreKind       `json:"score_kind"`
	Error      string          `json:"error,omitzero"` // empty when the call succeeded
	Note       string          `json:"note,omitzero"`  // e.g. the hint of an empty result
	DurationMS int64           `json:"duration_ms"`
}

// Message is one turn of the conversation: the question or the answer, without sources and usage lines.
type Message struct {
	Role    string `json:"role"` // "user" or "assistant"
	Content string `json:"content"`
}

// Transition is one move of the corrective machine.
type Transition struct {
	From  Phase  `json:"from"`
	Event string `json:"event"`
	To    Phase  `json:"to"`
}

// Usage counts what models cost.
type Usage struct {
	LLMCalls         int            `json:"llm_calls"`
	PromptTokens     int            `json:"prompt_tokens"`
	CompletionTokens int            `json:"completion_tokens"`
	TotalTokens      int            `json:"total_tokens"`
	ByNode           map[string]int `json:"by_node,omitempty"` // model calls by node
}

// Plus is the sum of u and v; neither is changed.
func (u Usage) Plus(v Usage) Usage {
	sum := Usage{
		LLMCalls:         u.LLMCalls + v.LLMCalls,
		PromptTokens:     u.PromptTokens + v.PromptTokens,
		CompletionTokens: u.CompletionTokens + v.CompletionTokens,
		TotalTokens:      u.TotalTokens + v.TotalTokens,
	}
	for _, m := range []map[string]int{u.ByNode, v.ByNode} {
		for node, calls := range m {
			if sum.ByNode == nil {
				sum.ByNode = make(map[string]int)
			}
			sum.ByNode[node] += calls
		}
	}
	return sum
}
