package metrics

import (
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kbagent/kbagent/internal/audit"
	"github.com/kbagent/kbagent/nodes"
)

// Options are the settings of a [Collector]. The zero value works.
type Options struct {
	Tools []string // names of tools beside the built-in ones; a tool that is not known is counted as "other"
	Rules []string // names of pre-filter rules beside the built-in ones, as for Tools
	// PassThreshold is the confidence, 0–1, from which an answer counts as passed when its run does not say; default 0.85.
	PassThreshold float64
}

// Collector counts what audit lines say. It is an auditor of nodes and a collector of Prometheus, and safe for concurrent
// use. The lines of one run have to come in their order; those of several may mix.
//
// A node that ran again because its process was killed writes its lines again, and they count again, as the work was done
// again.
type Collector struct {
	opts  Options
	tools set
	rules set
	f     *families

	mu      sync.Mutex // guards all below
	runs    memory
	perCall bool // there are lines of single model calls
	first   time.Time
	last    time.Time
}

var (
	_ nodes.Audit          = (*Collector)(nil)
	_ prometheus.Collector = (*Collector)(nil)
)

// New makes a collector that has seen nothing.
func New(opts Options) *Collector {
	if opts.PassThreshold == 0 {
		opts.PassThreshold = defaultPass
	}
	return &Collector{
		opts:  opts,
		tools: setOf(slices.Concat(builtInTools, opts.Tools)...),
		rules: setOf(slices.Concat(builtInRules, opts.Rules)...),
		f:     newFamilies(),
		runs:  newMemory(maxRuns),
	}
}

const defaultPass = 0.85

// Record counts a line of a node. It always returns nil: a line that cannot be understood is counted as such, and never
// stops a run.
func (c *Collector) Record(l nodes.Line) error {
	c.record(line{l.Time, runKey{l.Thread, l.Run}, l.Action, l.Details})
	return nil
}

// RecordEntry counts a line that was read from an audit log.
func (c *Collector) RecordEntry(e audit.Entry) {
	c.record(line{e.Time, runKey{e.Thread, e.Run}, e.Action, e.Details})
}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range c.f.all {
		f.Describe(ch)
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	for _, f := range c.f.all {
		f.Collect(ch)
	}
}

// Tee is an auditor that records each line with next, and then counts it with c. A line that next refuses is not counted;
// the error is that of next.
func Tee(next nodes.Audit, c *Collector) nodes.Audit { return tee{next, c} }

type tee struct {
	next nodes.Audit
	c    *Collector
}

// Record implements nodes.Audit.
func (t tee) Record(l nodes.Line) error {
	if err := t.next.Record(l); err != nil {
		return err
	}
	return t.c.Record(l)
}
