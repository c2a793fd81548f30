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
}

// tape is an open recording. A nil tape lets the traffic pass.
type tape struct {
	recorder *traffic.Recorder
	replayer *traffic.Replayer
}

// openTape is nil when neither file is named. A file is made only when there is something to record.
func openTape(files tapeFiles, cfg config.Config) (*tape, error) {
	switch {
	case files == tapeFiles{}:
		return nil, nil
	case files.record != "" && files.replay != "":
		return nil, &usageError{errors.New("a conversation is either recorded or replayed: give one of --record and --replay")}
	case cfg.LLM.Model == "" && cfg.Embedding.Model == "":
		return nil, &usageError{errors.New("--record and --replay need a model or an embedding endpoint in the settings")}
	}
	opts := traffic.Options{Secrets: cfg.Secrets()}
	var t tape
	var err error
	if files.record != "" {
		t.recorder, err = traffic.Create(files.record, opts)
	} else {
		t.replayer, err = traffic.Open(files.replay, opts)
	}
	if err != nil {
		return nil, err
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
