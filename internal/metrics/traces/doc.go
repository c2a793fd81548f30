// Package traces sends OpenTelemetry traces to a file or to a collector. It imports OpenTelemetry's SDK and exporters, and
// nothing of the project: whoever makes spans knows the API only.
package traces
