package main

import (
	"errors"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/traffic"
)

// tapeFiles are the files of --record and --replay; at most one is set.
type tapeFiles struct{ record, replay string }

func (t *tapeFiles) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.record, "record", "", "file that takes all traffic with the model servers (as confidential as your documents)")
	cmd.Flags().StringVar(&t.replay, "replay", "", "file of --record that answers in place of the model servers")
	cmd.MarkFlagsMutuallyExclusive("record", "replay")
}

// tape is an open recording. A nil tape lets the traffic pass.
type tape struct {
	recorder *traffic.Recorder
	replayer *traffic.Replayer
}

// openTape is nil when neither file is named.
func openTape(files tapeFiles, cfg config.Config) (*tape, error) {
	opts := traffic.Options{Secrets: cfg.Secrets()}
	var (
		t   tape
		err error
	)
	switch {
	case files.record != "":
		t.recorder, err = traffic.Create(files.record, opts)
	case files.replay != "":
		t.replayer, err = traffic.Open(files.replay, opts)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if cfg.LLM.Model == "" && cfg.Embedding.Model == "" {
		return nil, errors.Join(&usageError{errors.New("--record and --replay need a model or an embedding endpoint in the settings")}, t.close())
	}
	return &t, nil
}

// transport is nil for the usual one.
func (t *tape) transport() http.RoundTripper {
	switch {
	case t == nil:
		return nil
	case t.recorder != nil:
		return t.recorder
	default:
		return t.replayer
	}
}

// fence is nil for random fences. Recorded and replayed runs have the same ones.
func (t *tape) fence() func() string {
	switch {
	case t == nil:
		return nil
	case t.recorder != nil:
		return t.recorder.Fence
	default:
		return t.replayer.Fence
	}
}

func (t *tape) close() error {
	switch {
	case t == nil:
		return nil
	case t.recorder != nil:
		return t.recorder.Close()
	default:
		return t.replayer.Err() // what was asked for and is not in the file
	}
}
