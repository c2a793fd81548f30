package metrics

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/kbagent/kbagent/internal/audit"
)

// maxLine is how long a line of a log may be, in bytes.
const maxLine = 16 << 20

// Filter chooses lines of a log. The zero value takes all.
type Filter struct {
	Since  time.Time // the first moment
	Thread string    // the only thread
}

func (f Filter) takes(e audit.Entry) bool {
	return !e.Time.Before(f.Since) && (f.Thread == "" || e.Thread == f.Thread)
}

// Tally says what became of the lines of a log.
type Tally struct {
	Lines   int `json:"lines"`   // that were counted
	Skipped int `json:"skipped"` // that the filter left out
	Damaged int `json:"damaged"` // that are no audit lines: cut ones of killed processes, and whatever else
}

// Read counts the lines of an audit log with c, one after the other, in constant memory. Empty lines are no lines; damaged
// ones are counted and passed over. The error is that of log, or of ctx; the tally says how far it came.
func Read(ctx context.Context, log io.Reader, f Filter, c *Collector) (Tally, error) {
	var t Tally
	r := bufio.NewReaderSize(log, 64<<10)
	for {
		if err := ctx.Err(); err != nil {
			return t, context.Cause(ctx)
		}
		text, tooLong, err := readLine(r)
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			return t, err
		}
		t.count(bytes.TrimSpace(text), tooLong, f, c)
		if end {
			return t, nil
		}
	}
}

func (t *Tally) count(text []byte, tooLong bool, f Filter, c *Collector) {
	if len(text) == 0 && !tooLong {
		return
	}
	var e audit.Entry
	switch {
	case tooLong || json.Unmarshal(text, &e) != nil || e.Action == "" || e.Time.IsZero():
		t.Damaged++
	case !f.takes(e):
		t.Skipped++
	default:
		t.Lines++
		c.RecordEntry(e)
	}
}

// readLine is the next line without its end; one that is too long is passed over. The last line comes with io.EOF.
func readLine(r *bufio.Reader) (text []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(text)+len(part) > maxLine {
			text, tooLong = nil, true
		}
		if !tooLong {
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, tooLong, err
		}
	}
}
