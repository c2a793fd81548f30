package index

import (
	"encoding/json"
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

// A Report sums up one update. Its JSON is
// {"files":{"indexed","unchanged","removed","skipped","failed"},"passages","bytes","elapsed_ms","errors":[{"path","error"}],"skips":[{"path","error"}]},
// without skips where there are none.
type Report struct {
	Files    FileCounts
	Passages int   // passages written
	Bytes    int64 // source bytes of the files written
	Elapsed  time.Duration
	Errors   []FileError // one for each failed file, in order of path
	Skips    []FileError // one for each skipped file, in order of path
}

// MarshalJSON prints the form in the type's comment; errors is a list also when it is empty.
func (r Report) MarshalJSON() ([]byte, error) {
	errs := r.Errors
	if errs == nil {
		errs = []FileError{}
	}
	return json.Marshal(struct {
		Files     FileCounts  `json:"files"`
		Passages  int         `json:"passages"`
		Bytes     int64       `json:"bytes"`
		ElapsedMS int64       `json:"elapsed_ms"`
		Errors    []FileError `json:"errors"`
		Skips     []FileError `json:"skips,omitempty"`
	}{r.Files, r.Passages, r.Bytes, r.Elapsed.Milliseconds(), errs, r.Skips})
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
}
