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
	cmd.Flags().StringVar(&t.record, "record", "", "file that takes all traffic with model servers and the web (as confidential as your documents)")
	cmd.Flags().StringVar(&t.replay, "replay", "", "file of --record that answers in their place; nobody is notified")
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
	case cfg.LLM.Model == "" && cfg.Embedding.Model == "" && !cfg.Web.Searches():
		return nil, &usageError{errors.New("--record and --replay need a model, an embedding endpoint or a web search in the settings")}
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

// web is the transport for pages and searches, inner without a tape.
func (t *tape) web(inner http.RoundTripper) http.RoundTripper {
	switch {
	case t == nil:
		return inner
	case t.recorder != nil:
		return t.recorder.Web(inner)
	default:
		return t.replayer.Web()
	}
}

// replays says that what is asked has been answered before: nobody is to be told of it again.
func (t *tape) replays() bool { return t != nil && t.replayer != nil }

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
