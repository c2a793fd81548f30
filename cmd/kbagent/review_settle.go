package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/review"
)

// An afterDecision is something that follows a decision. It may be called again for an entry, also by another process at
// the same time, and has to leave what it finds done alone.
type afterDecision func(ctx context.Context, b *base, e review.Entry) error

// afterDecisions is what follows a decision, in this order. An entry is settled when all of it has succeeded.
var afterDecisions = []afterDecision{correctionToEvidence, decisionToRun}

// settleReviews does what follows decisions and is not done yet.
func settleReviews(ctx context.Context, b *base, q *review.Queue) error {
	return q.Settle(ctx, func(ctx context.Context, e review.Entry) error {
		for _, do := range afterDecisions {
			if err := do(ctx, b, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// correctionsFolder is the folder in the data directory that holds corrected answers as documents.
const correctionsFolder = "corrections"

// correctionToEvidence makes a corrected answer a document of the knowledge base. The file is indexed by its own name: so
// it is found although the data directory is hidden from the folder that holds it, and no root comes or goes.
func correctionToEvidence(ctx context.Context, b *base, e review.Entry) error {
	if e.Status != review.Corrected {
		return nil
	}
	path := filepath.Join(b.cfg.DataDir, correctionsFolder, e.ID+".md")
	if err := writeWhole(path, correctionText(e)); err != nil {
		return fmt.Errorf("write the correction: %w", err)
	}
	report, err := b.index.Update(ctx, []string{path}, index.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("index the correction: %w", err)
	}
	var failed []error
	for _, f := range report.Errors {
		failed = append(failed, fmt.Errorf("index the correction %s: %s", f.Path, f.Error))
	}
	return errors.Join(failed...)
}

// correctionText is the document of a correction: the question as its heading, the answer, and where it comes from: in the
// front matter, and for readers in a section of its own, which keeps it out of the passage with the answer.
func correctionText(e review.Entry) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "---\nreview: %s\nreviewer: %s\ndate: %s\n", e.ID, quoted(e.Reviewer), e.DecidedAt.Format(time.RFC3339))
	places := make([]string, len(e.Sources))
	for i, s := range e.Sources {
		places[i] = s.String()
	}
	if len(places) > 0 {
		b.WriteString("sources:\n")
	}
	for _, p := range places {
		fmt.Fprintf(&b, "  - %s\n", quoted(p))
	}
	fmt.Fprintf(&b, "---\n\n# %s\n\n%s\n\n", oneLine(e.Question), strings.TrimSpace(e.Corrected))
	fmt.Fprintf(&b, "## About this correction\n\nCorrected by %s on %s (review %s).", oneLine(e.Reviewer), e.DecidedAt.Format(time.DateOnly), e.ID)
	if len(places) > 0 {
		fmt.Fprintf(&b, " The answer before cited %s.", oneLine(strings.Join(places, ", ")))
	}
	b.WriteString("\n")
	return b.Bytes()
}

// quoted is s as a string of JSON, which is one of YAML too.
func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		return `""` // strings can always be encoded
	}
	return string(data)
}

// oneLine is s on one line that begins no heading.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.TrimLeft(s, "# \t\r\n")), " ")
}

// writeWhole writes a file so that it is there whole or not at all, also after a power loss. A file that holds data
// already is left alone.
func writeWhole(path string, data []byte) (err error) {
	if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, data) {
		return nil
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".correction-*.tmp") // hidden, so that no index takes it
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
