package index

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// A Passage is one citable piece of a file.
type Passage struct {
	// ID is a stable hash of Path, byte range and Content ([PassageID]). Equal files under two roots share it:
	// as evidence they are one.
	ID string `json:"id"`
	// Path names the file relative to Root, with forward slashes on every system.
	Path string `json:"path"`
	// Root is the absolute folder that Path starts from, or the name given to [Index.Put].
	Root string `json:"root"`
	// Title is the document's: its front matter's title, its first level-one heading, or its file name.
	Title string `json:"title"`
	// Section is the path of headings above the passage, "A > B"; empty above the first heading. The names of the code blocks
	// that the passage holds a part of follow, and those of the columns, "Name | Default", when it begins inside of a table.
	Section string `json:"section"`
	// StartLine and EndLine are 1-based and inclusive.
	StartLine int `json:"start_line"`
	EndLine   int `json:"end_line"`
	// StartByte and EndByte are a half-open range of the source file.
	StartByte int `json:"start_byte"`
	EndByte   int `json:"end_byte"`
	// Content is exactly the file's bytes [StartByte:EndByte), valid UTF-8, without a final line break.
	Content string `json:"content"`
	// Language is text.Language of Content: "zh", "ja", "ko", "en" or "".
	Language string `json:"language"`
}

// PassageID is the ID of the passage that holds content at bytes [start:end) of the file path.
func PassageID(path string, start, end int, content string) string {
	h := sha256.New()
	var n [8]byte
	for _, v := range []int{len(path), start, end} {
		binary.BigEndian.PutUint64(n[:], uint64(v))
		h.Write(n[:])
	}
	h.Write([]byte(path))
	h.Write([]byte(content))
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// ScoreKind says what a score measures; scores of different kinds cannot be compared.
type ScoreKind string

// The kinds of score. Every score is 0 to 1, higher is better.
const (
	KindCosine ScoreKind = "cosine" // max(0, cos) of the embeddings of query and passage
	KindBM25   ScoreKind = "bm25"   // s/(s+BM25Half) of the BM25 sum s
	KindRRF    ScoreKind = "rrf"    // reciprocal rank fusion, divided by its maximum for the number of lists
	// KindWeighted is the weighted sum of the scores of several lists.
	KindWeighted ScoreKind = "weighted"
	KindRerank   ScoreKind = "rerank" // what Options.Reranker says
	KindNone     ScoreKind = "none"   // no measure: a grep match; Score is 0
)

// A Hit is a passage that a search found.
type Hit struct {
	Passage
	Score float64   `json:"score"` // 0 to 1, higher is better, of kind Kind
	Kind  ScoreKind `json:"score_kind"`
}

// A File describes one indexed file.
type File struct {
	Path     string `json:"path"` // relative to Root, forward slashes
	Root     string `json:"root"`
	Title    string `json:"title"`
	Size     int64  `json:"size"`     // bytes
	Lines    int    `json:"lines"`    // lines, the last one also when it has no line break
	Passages int    `json:"passages"` // 0 for a file without content
}

// Stats counts what an index holds.
type Stats struct {
	Files    int   `json:"files"`
	Passages int   `json:"passages"`
	Bytes    int64 `json:"bytes"` // of the source files
	// Vectors counts the passages that have a vector of EmbeddingModel; fewer than Passages: run Update.
	Vectors int `json:"vectors"`
	// EmbeddingModel is the open embedder's model; without an embedder the model with most vectors, "" for none.
	EmbeddingModel string `json:"embedding_model"`
	Version        int64  `json:"version"` // as Index.Version
}
