package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
)

// Limits of the server.
const (
	headerTimeout   = 5 * time.Second
	requestTimeout  = 10 * time.Second
	idleTimeout     = 2 * time.Minute
	maxHeaderBytes  = 16 << 10
	maxScrapes      = 4 // at once
	shutdownTimeout = 3 * time.Second
)

// Address reads the address to listen on: "HOST:PORT", or "PORT" or ":PORT" for the loopback interface only. To listen on
// all interfaces, say "0.0.0.0:PORT" or "[::]:PORT": whoever reaches them can read the metrics. Port 0 is any free one.
func Address(s string) (string, error) {
	host, port := "", s
	if strings.Contains(s, ":") {
		var err error
		if host, port, err = net.SplitHostPort(s); err != nil {
			return "", fmt.Errorf("an address for metrics is HOST:PORT or PORT, not %q", s)
		}
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return "", fmt.Errorf("a port is a number from 0 to 65535, not %q", port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// Handler serves c at /metrics, with figures of the Go runtime and of the process, and says at /healthz that it lives.
// What goes wrong while it does is logged to log.
func Handler(c *Collector, log *slog.Logger) http.Handler {
	reg := prometheus.NewRegistry()
	reg.MustRegister(c, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(log.Handler(), slog.LevelError),
		MaxRequestsInFlight: maxScrapes,
		Timeout:             requestTimeout,
	}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "ok\n") // the client is gone then
	})
	return mux
}

// Serve serves h on l until ctx is done; then it lets scrapes that are under way end, for a few seconds at most. It closes l.
// The error is why it stopped earlier, or what could not be ended.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      2 * requestTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("the server of the metrics stopped: %w", err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := s.Shutdown(end)
	if err != nil { // somebody reads too slowly
		err = errors.Join(fmt.Errorf("the server of the metrics was cut off: %w", err), s.Close())
	}
	if stop := <-served; !errors.Is(stop, http.ErrServerClosed) {
		err = errors.Join(err, stop)
	}
	return err
}

// WriteText writes what c has counted in Prometheus' text format, as for the textfile collector of its node exporter.
func (c *Collector) WriteText(w io.Writer) error {
	reg := prometheus.NewRegistry()
	if err := reg.Register(c); err != nil {
		return err
	}
	families, err := reg.Gather()
	if err != nil {
		return err
	}
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
			return err
		}
	}
	return nil
}
