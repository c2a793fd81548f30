package traces

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// defaultTimeout is how long a collector may take.
const defaultTimeout = 3 * time.Second

// tracesPath is where a collector takes traces, when its address has no path.
const tracesPath = "/v1/traces"

// Options describe the program. The zero value works.
type Options struct {
	Service string // its name; default kbagent. OTEL_SERVICE_NAME goes before it.
	Version string
	// Failed is told of traces that could not be sent; default: nobody. They are lost, and nothing else fails. It is called
	// from a goroutine of the provider.
	Failed func(error)
	// Timeout is how long a collector may take for what it is sent, and Close for all that it does; default 3 s.
	Timeout time.Duration
}

// Traces is where spans go. It is safe for concurrent use.
type Traces struct {
	provider *sdktrace.TracerProvider
	file     *os.File // nil for a collector
	timeout  time.Duration
}

// Check returns an error for a target that [Open] would refuse without trying.
func Check(target string) error {
	_, err := endpoint(target)
	return err
}

// Open opens the target: an http or https address of a collector that speaks OTLP, at /v1/traces when it has no path; or a
// file, to which each span is appended as a line of JSON. A collector is not asked before there are spans; its headers,
// such as a key, come from OTEL_EXPORTER_OTLP_HEADERS. The caller closes it.
func Open(ctx context.Context, target string, opts Options) (*Traces, error) {
	t := &Traces{timeout: opts.Timeout}
	if t.timeout == 0 {
		t.timeout = defaultTimeout
	}
	if opts.Service == "" {
		opts.Service = "kbagent"
	}
	res, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", opts.Service), attribute.String("service.version", opts.Version)),
		resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, fmt.Errorf("describe the program in its traces: %w", err)
	}
	exporter, err := t.exporter(ctx, target)
	if err != nil {
		return nil, err
	}
	if opts.Failed != nil {
		exporter = reporting{exporter, opts.Failed}
	}
	// The timeout of an export ends it also when Close has given up: no goroutine outlives it by much.
	t.provider = sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter, sdktrace.WithExportTimeout(t.timeout)), sdktrace.WithResource(res))
	return t, nil
}

func (t *Traces) exporter(ctx context.Context, target string) (sdktrace.SpanExporter, error) {
	address, err := endpoint(target)
	if err != nil {
		return nil, err
	}
	if address != "" {
		e, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(address))
		if err != nil {
			return nil, fmt.Errorf("the collector of traces %s cannot be used: %w", address, err)
		}
		return e, nil
	}
	if t.file, err = os.OpenFile(target, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return nil, fmt.Errorf("the file of traces cannot be opened: %w", err)
	}
	e, err := stdouttrace.New(stdouttrace.WithWriter(t.file))
	if err != nil {
		return nil, errors.Join(err, t.file.Close())
	}
	return e, nil
}

// Provider makes the tracers of the spans.
func (t *Traces) Provider() trace.TracerProvider { return t.provider }

// Close sends what is left, within a few seconds, and closes the file. It sends also when ctx is done already. Spans that
// end later are lost. The error says what could not be sent, and is no reason to fail.
func (t *Traces) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.timeout)
	defer cancel()
	err := t.provider.Shutdown(ctx)
	if err != nil {
		err = fmt.Errorf("the last traces could not be sent: %w", err)
	}
	if t.file != nil {
		err = errors.Join(err, t.file.Close())
	}
	return err
}

// endpoint is the address of a collector; "" for a file.
func endpoint(target string) (string, error) {
	if target == "" {
		return "", errors.New("traces need a file or the address of a collector")
	}
	lower := strings.ToLower(target)
	if !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
		if strings.Contains(target, "://") {
			return "", fmt.Errorf("traces go to a file or to an http or https address, not to %q", target)
		}
		return "", nil
	}
	u, err := url.Parse(target)
	switch {
	case err != nil || u.Hostname() == "":
		return "", errors.New("the address of a collector of traces is like http://localhost:4318")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("the address of a collector of traces has no user, query or fragment; keys go into OTEL_EXPORTER_OTLP_HEADERS")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = tracesPath
	}
	return u.String(), nil
}

// reporting is an exporter that tells of its failures.
type reporting struct {
	sdktrace.SpanExporter
	failed func(error)
}

// ExportSpans sends spans. Its error is told, and no concern of the provider, which would write it on the terminal.
func (r reporting) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := r.SpanExporter.ExportSpans(ctx, spans); err != nil {
		r.failed(err)
	}
	return nil
}
