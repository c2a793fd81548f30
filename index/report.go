package index

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// FileCounts says what became of the files that an update looked at. Each file is counted once.
type FileCounts struct {
	Indexed   int `json:"indexed"`   // new or changed, and now in the index
	Unchanged int `json:"unchanged"` // same content as indexed; nothing was written
	Removed   int `json:"removed"`   // no longer there, left the index
	Skipped   int `json:"skipped"`   // not a kind of file that is read, a link, or ignored though named; see Report.Skips
	Failed    int `json:"failed"`    // should have been indexed but could not be (fully); see Report.Errors
}

// FileError is a file with the reason why it was skipped or failed.
type FileError struct {
	Path  string `json:"path"` // absolute
	Error string `json:"error"`
}

// Status is what became of one file in an update.
type Status string

// The statuses of an [Entry].
const (
	StatusIndexed   Status = "indexed"   // new or changed, and now in the index
	StatusUnchanged Status = "unchanged" // same content as indexed; nothing was written
	StatusRemoved   Status = "removed"   // no longer there, left the index
	StatusSkipped   Status = "skipped"   // not a kind of file that is read, a link, or ignored though named
	StatusFailed    Status = "failed"    // should have been indexed but could not be (fully)
)

// An Entry is one file with what became of it.
type Entry struct {
	Path     string `json:"path"` // absolute; of a page of the web its address
	Status   Status `json:"status"`
	Reason   string `json:"reason,omitempty"`   // why it was skipped or failed
	Passages int    `json:"passages,omitempty"` // written
}

// EmbeddingCost is what it takes to give every passage a vector.
type EmbeddingCost struct {
	Model  string `json:"model"`
	Texts  int    `json:"texts"`  // different texts without a vector of the model
	Tokens int    `json:"tokens"` // estimated: a token for four letters, or for one Han, Kana or Hangul letter
	Calls  int    `json:"calls"`  // of the embedder, with Options.EmbedBatch texts each
}

// A Report sums up one update. Its JSON is
// {"files":{"indexed","unchanged","removed","skipped","failed"},"passages","bytes","elapsed_ms","errors":[{"path","error"}],
// "skips":[{"path","error"}],"entries":[{"path","status","reason","passages"}]}, without skips where there are none; of a dry run
// with "dry_run":true and, where there is an embedder, "embedding":{"model","texts","tokens","calls"}.
type Report struct {
	Files     FileCounts
	Passages  int   // passages written
	Bytes     int64 // source bytes of the files written
	Elapsed   time.Duration
	Errors    []FileError    // one for each failed file, in order of path
	Skips     []FileError    // one for each skipped file, in order of path
	Entries   []Entry        // one for each file that was looked at or removed, in order of path
	DryRun    bool           // nothing of it was done
	Embedding *EmbeddingCost // of a dry run with an embedder; else nil
}

// Plus is the report of r's update and o's after it. Of two dry runs the costs of embedding add up; texts of the index that wait
// for their vector are in both.
func (r Report) Plus(o Report) Report {
	f := r.Files
	o.Files = FileCounts{
		f.Indexed + o.Files.Indexed, f.Unchanged + o.Files.Unchanged, f.Removed + o.Files.Removed, f.Skipped + o.Files.Skipped, f.Failed + o.Files.Failed,
	}
	o.DryRun = r.DryRun || o.DryRun
	switch {
	case o.Embedding == nil:
		o.Embedding = r.Embedding
	case r.Embedding != nil:
		a, b := r.Embedding, o.Embedding
		o.Embedding = &EmbeddingCost{b.Model, a.Texts + b.Texts, a.Tokens + b.Tokens, a.Calls + b.Calls}
	}
	o.Passages += r.Passages
	o.Bytes += r.Bytes
	o.Elapsed += r.Elapsed
	o.Errors = append(r.Errors[:len(r.Errors):len(r.Errors)], o.Errors...)
	o.Skips = append(r.Skips[:len(r.Skips):len(r.Skips)], o.Skips...)
	o.Entries = append(r.Entries[:len(r.Entries):len(r.Entries)], o.Entries...)
	o.sort()
	return o
}

func (r *Report) sort() {
	byPath := func(a, b FileError) int { return strings.Compare(a.Path, b.Path) }
	slices.SortFunc(r.Errors, byPath)
	slices.SortFunc(r.Skips, byPath)
	slices.SortFunc(r.Entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
}

// MarshalJSON prints the form in the type's comment; errors and entries are lists also when they are empty.
func (r Report) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Files     FileCounts     `json:"files"`
		Passages  int            `json:"passages"`
		Bytes     int64          `json:"bytes"`
		ElapsedMS int64          `json:"elapsed_ms"`
		DryRun    bool           `json:"dry_run,omitempty"`
		Embedding *EmbeddingCost `json:"embedding,omitempty"`
		Errors    []FileError    `json:"errors"`
		Skips     []FileError    `json:"skips,omitempty"`
		Entries   []Entry        `json:"entries"`
	}{
		r.Files, r.Passages, r.Bytes, r.Elapsed.Milliseconds(), r.DryRun, r.Embedding, append([]FileError{}, r.Errors...), r.Skips,
		append([]Entry{}, r.Entries...),
	})
}

// finish counts and returns the report.
func (u *updater) finish(start time.Time) Report {
	r := &u.report
	for _, s := range u.status {
		switch {
		case s.failure != nil: // is among the errors or skips
		case s.changed:
			r.Files.Indexed++
			r.Entries = append(r.Entries, Entry{Path: s.path, Status: StatusIndexed, Passages: s.passages})
		default:
			r.Files.Unchanged++
			r.Entries = append(r.Entries, Entry{Path: s.path, Status: StatusUnchanged})
		}
	}
	for _, f := range u.removed {
		r.Entries = append(r.Entries, Entry{Path: f.key().place(), Status: StatusRemoved})
	}
	for _, s := range r.Skips {
		r.Entries = append(r.Entries, Entry{Path: s.Path, Status: StatusSkipped, Reason: s.Error})
	}
	for _, e := range r.Errors {
		r.Entries = append(r.Entries, Entry{Path: e.Path, Status: StatusFailed, Reason: e.Error})
	}
	r.Files.Removed, r.Files.Skipped, r.Files.Failed = len(u.removed), len(r.Skips), len(r.Errors)
	r.sort()
	r.DryRun = u.asked.DryRun
	r.Elapsed = time.Since(start)
	return *r
}

// Phase is a stage of an update.
type Phase string

// The phases of an update, in order. PhaseEmbed is left out without an embedder.
const (
	PhaseScan  Phase = "scan"  // finding files; Total is not known and 0
	PhaseIndex Phase = "index" // reading, splitting, storing; counts files
	PhaseEmbed Phase = "embed" // asking for vectors; counts passages
)

// Progress tells how far an update is.
type Progress struct {
	Phase Phase
	Path  string // in PhaseIndex the absolute path of the last file of what is done; else ""
	Done  int    // committed so far: a kill after this call loses none of them
	Total int
}

// UpdateOptions tunes one [Index.Update].
type UpdateOptions struct {
	// Progress, when not nil, is called from the goroutine that called Update, after each committed batch.
	Progress func(Progress)
	// Patterns, when not nil, are kept as the patterns of the folders that are named, in place of those that they have; the zero
	// Patterns take them away. Every named folder has to be a root or become one; later updates keep to its patterns.
	Patterns *Patterns
	// DryRun finds out what the update would do and does not do it: the store stays as it is, the embedder is not called.
	DryRun bool
}
