package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/graph"
	graphotel "github.com/kbagent/kbagent/graph/otel"
	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/internal/metrics"
	"github.com/kbagent/kbagent/internal/metrics/traces"
	"github.com/kbagent/kbagent/nodes"
)

// watchFlags say where the figures and traces of the program go; "" is nowhere.
type watchFlags struct{ metrics, trace string }

func (f *watchFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.metrics, "metrics", "", "address to serve Prometheus metrics at, like 9464 (this machine only) or 0.0.0.0:9464")
	cmd.Flags().StringVar(&f.trace, "trace", "", "file, or address of an OpenTelemetry collector like http://localhost:4318, that takes traces of what runs")
}

// watch is metrics that are served and traces that are sent. A nil watch does neither.
type watch struct {
	log       *slog.Logger
	collector *metrics.Collector // nil without metrics
	stop      context.CancelFunc
	stopped   chan error
	traces    *traces.Traces // nil without traces
}

// openWatch is nil when no flag is set. The caller closes it.
func openWatch(ctx context.Context, f watchFlags, cfg config.Config, log *slog.Logger) (*watch, error) {
	if f == (watchFlags{}) {
		return nil, nil
	}
	w := &watch{log: log}
	if f.trace != "" {
		if err := traces.Check(f.trace); err != nil {
			return nil, &usageError{fmt.Errorf("--trace: %w", err)}
		}
	}
	if f.metrics != "" {
		if err := w.serve(ctx, f.metrics, cfg); err != nil {
			return nil, err
		}
	}
	if f.trace == "" {
		return w, nil
	}
	var err error
	w.traces, err = traces.Open(ctx, f.trace, traces.Options{Version: version, Failed: func(err error) { log.Warn("traces_not_sent", "error", err) }})
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// serve starts the server of the metrics; close ends it.
func (w *watch) serve(ctx context.Context, flag string, cfg config.Config) error {
	address, err := metrics.Address(flag)
	if err != nil {
		return &usageError{fmt.Errorf("--metrics: %w", err)}
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("metrics cannot be served at %s: %w", address, err)
	}
	w.log.Info("metrics_served", "url", "http://"+listener.Addr().String()+"/metrics")
	w.collector = metrics.New(metrics.Options{PassThreshold: cfg.Settings.ConfidencePass})
	w.stopped = make(chan error, 1)
	ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() { w.stopped <- metrics.Serve(ctx, listener, metrics.Handler(w.collector, w.log)) }()
	return nil
}

// audit is next, with what it records counted too.
func (w *watch) audit(next nodes.Audit) nodes.Audit {
	if w == nil || w.collector == nil {
		return next
	}
	return metrics.Tee(next, w.collector)
}

// model is m, with its calls traced.
func (w *watch) model(m llms.Model, provider, name string) llms.Model {
	if w == nil || w.traces == nil {
		return m
	}
	return metrics.TraceModel(m, w.traces.Provider().Tracer(metrics.Scope), metrics.Traced{Provider: provider, Model: name, ErrorType: errorType})
}

// observer watches the runs of the graph; nil without traces.
func (w *watch) observer() graph.Observer {
	if w == nil || w.traces == nil {
		return nil
	}
	return graphotel.New(w.traces.Provider())
}

// close ends what was opened. What goes wrong is logged: it is no reason for a command to fail.
func (w *watch) close() {
	if w == nil {
		return
	}
	if w.traces != nil {
		if err := w.traces.Close(context.Background()); err != nil {
			w.log.Warn("traces_not_sent", "error", err)
		}
	}
	if w.stop != nil {
		w.stop()
		if err := <-w.stopped; err != nil {
			w.log.Warn("metrics_stopped", "error", err)
		}
	}
}

// errorType is the kind of a model's error, for its span.
func errorType(err error) string {
	var status *llm.StatusError
	switch {
	case errors.As(err, &status):
		return strconv.Itoa(status.Status)
	case errors.Is(err, llm.ErrUnreachable):
		return "unreachable"
	case errors.Is(err, llm.ErrCut):
		return "cut"
	case errors.Is(err, llm.ErrMalformed):
		return "malformed"
	case errors.Is(err, llm.ErrRateLimit):
		return "rate_limit"
	default:
		return ""
	}
}
