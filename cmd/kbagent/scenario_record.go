package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/scenario"
)

// scenarioRecord is the flags of `scenario record`.
type scenarioRecord struct {
	thread, out   string
	claim, guards string
	tapes         []string
	force         bool
}

func newScenarioRecord(g *global, std streams) *cobra.Command {
	var r scenarioRecord
	cmd := &cobra.Command{
		Use:   "record --thread THREAD",
		Short: "Turn a finished conversation into a scenario that passes",
		Long: `record writes the questions of a conversation down as a scenario: the settings, what each tool found, what the model
replied, and what came of it. It needs no preparation: the checkpoints hold what each step decided, and where the model's
own words are not kept, replies are made up that lead to the same decisions. --tape takes the model's own words from the
files of ` + "`ask --record`" + `, which must be those of all questions of the conversation, in their order.
The scenario is run at once: it expects what the conversation did, and when it does otherwise, because the documents or the
program have changed since, the differences are shown and nothing is written, unless --force is given. Keys and card numbers
are masked; everything else of the documents that was found stands in the file.`,
		Example: `  kbagent scenario record --thread ops -o ops.yaml
  kbagent scenario record --thread ops --claim "logs are found by their German name"
  kbagent scenario record --thread ops --tape first.jsonl --tape second.jsonl -o ops.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.thread == "" {
				return &usageError{errors.New("record needs --thread THREAD; `kbagent threads` lists the conversations")}
			}
			return withArchive(cmd.Context(), g, std, func(a *archive) error { return r.run(cmd.Context(), a, std) })
		},
	}
	cmd.Flags().StringVar(&r.thread, "thread", "", "the conversation (required)")
	cmd.Flags().StringVarP(&r.out, "output", "o", "", "file that takes the scenario; it must not exist (default stdout)")
	cmd.Flags().StringArrayVar(&r.tapes, "tape", nil, "file of `ask --record` with the model's own words; may be given several times")
	cmd.Flags().StringVar(&r.claim, "claim", "", "the claim of the scenario (default made of the first question)")
	cmd.Flags().StringVar(&r.guards, "guards", "", "the defect that it keeps away")
	cmd.Flags().BoolVar(&r.force, "force", false, "write it also when it does not pass")
	return cmd
}

func (r scenarioRecord) run(ctx context.Context, a *archive, std streams) error {
	t, err := a.thread(ctx, r.thread)
	if err != nil {
		return err
	}
	replies, err := tapeReplies(ctx, r.tapes)
	if err != nil {
		return err
	}
	secrets := a.cfg.Secrets()
	recorded, err := scenarios.Record(ctx, t.Changes(ctx), scenarios.Recording{
		Name: r.claim, Guards: r.guards, Library: agent.Library(a.index, a.embedder != nil), Replies: replies,
		Mask: func(s string) string { return mask.Cards(mask.Secrets(s, secrets...)) },
	})
	if err != nil {
		return fmt.Errorf("record %s: %w", r.thread, err)
	}
	if err := tellRecorded(std.err, recorded); err != nil {
		return err
	}
	if !recorded.Result.Passed && !r.force {
		return fmt.Errorf("the scenario of %s does not do what the conversation did: see above (--force writes it all the same)", r.thread)
	}
	if err := writeScenario(std, r.out, recorded.YAML); err != nil {
		return err
	}
	if !recorded.Result.Passed {
		return exitCode(exitError)
	}
	return nil
}

// tellRecorded says what the scenario is made of, and whether it passes.
func tellRecorded(w io.Writer, r scenarios.Recorded) error {
	words := fmt.Sprintf("%d model calls", r.Calls)
	if r.Rebuilt > 0 {
		words += fmt.Sprintf(", %d of them with a reply that was made up", r.Rebuilt)
	}
	if _, err := fmt.Fprintf(w, "recorded %d turn(s), %s\n", r.Turns, words); err != nil {
		return err
	}
	for _, note := range r.Notes {
		if _, err := fmt.Fprintf(w, "note: %s\n", mask.TerminalLine(note)); err != nil {
			return err
		}
	}
	return tellResult(w, r.Result)
}

// tellResult says whether a scenario that was just written passes.
func tellResult(w io.Writer, r scenario.Result) error {
	if r.Passed {
		_, err := fmt.Fprintf(w, "it was run and passes (%.0f ms)\n", r.ElapsedMS)
		return err
	}
	for _, m := range r.Mismatches {
		if _, err := fmt.Fprintln(w, mask.Terminal(m.String())); err != nil {
			return err
		}
	}
	if r.Error != "" {
		_, err := fmt.Fprintln(w, mask.Terminal(r.Error))
		return err
	}
	return nil
}

// writeScenario writes a new file, or stdout when path is empty.
func writeScenario(std streams, path string, text []byte) error {
	if path == "" {
		_, err := std.out.Write(text)
		return err
	}
	f, err := os.OpenFile(filepath.Clean(path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already: name another file with -o", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		_, err = fmt.Fprintf(std.err, "wrote %s\n", path)
	}
	return err
}
