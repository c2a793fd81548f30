package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Config is what to measure. All but Set are required.
type Config struct {
	Task string // one of Tasks
	Data string // the folder that holds one folder a set
	Part string // dev or heldout
	Set  string // one set of the task; "" means all of them
}

// Result is what was measured on one set.
type Result struct {
	Task   string            `json:"task"`
	Set    string            `json:"set"`
	Part   string            `json:"part"`
	N      int               `json:"n"`      // cases
	Config map[string]string `json:"config"` // the settings of the program that the figures depend on
	// Metrics by name. Shares are 0–1, counts are numbers of cases.
	Metrics map[string]float64 `json:"metrics"`
	// Intervals are 95 % intervals of metrics by 1,000 bootstrap resamples of the cases with a fixed seed.
	Intervals map[string][2]float64 `json:"intervals"`
	ElapsedMS float64               `json:"elapsed_ms"` // loading and indexing the data apart
	// Cases are how the cases came out one by one, in the order of the data; empty where a task does not tell.
	Cases []Case `json:"-"`
}

// counts are the metrics that are numbers of cases.
var counts = []string{"positives", "wrong", "cut", "answers", "passages"}

// IsCount says whether a metric is a number of cases; all others are shares.
func IsCount(metric string) bool { return slices.Contains(counts, metric) }

// task is one kind of measurement.
type task struct {
	name  string
	about string // half a sentence for people
	sets  []taskSet
}

// taskSet is one set of a task. load reads the data; the function that it gives measures, and is what is timed.
type taskSet struct {
	name string
	load func(source) (measure, error)
}

// measure fills N, Config, Metrics and Intervals of a result.
type measure func(ctx context.Context) (Result, error)

// Run measures the sets of a task and calls each with every result, in the order of the sets. It stops at the first error,
// also that of each. A *UsageError says that cfg names what does not exist.
func Run(ctx context.Context, cfg Config, each func(Result) error) error {
	sets, err := cfg.sets()
	if err != nil {
		return err
	}
	for _, s := range sets {
		r, err := s.run(ctx, cfg)
		if err != nil {
			return err
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return nil
}

func (s taskSet) run(ctx context.Context, cfg Config) (Result, error) {
	measured, err := s.load(source{cfg.Data, cfg.Part})
	if err != nil {
		return Result{}, err
	}
	started := time.Now()
	r, err := measured(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("%s on %s: %w", cfg.Task, s.name, err)
	}
	if r.ElapsedMS == 0 { // a measure that prepares something measures itself
		r.ElapsedMS = milliseconds(time.Since(started))
	}
	r.Task, r.Set, r.Part = cfg.Task, s.name, cfg.Part
	for i := range r.Cases {
		r.Cases[i].Task, r.Cases[i].Set, r.Cases[i].Part = r.Task, r.Set, r.Part
	}
	return r, nil
}

// sets are the sets that cfg asks for.
func (cfg Config) sets() ([]taskSet, error) {
	i := slices.IndexFunc(tasks, func(t task) bool { return t.name == cfg.Task })
	if i < 0 {
		return nil, usagef("there is no task %q; the tasks are %s", cfg.Task, strings.Join(Tasks(), ", "))
	}
	if cfg.Part != "dev" && cfg.Part != "heldout" {
		return nil, usagef("--part is dev or heldout, not %q", cfg.Part)
	}
	if cfg.Data == "" {
		return nil, usagef("--data is missing: the folder that holds one folder a set")
	}
	if cfg.Set == "" {
		return tasks[i].sets, nil
	}
	var names []string
	for _, s := range tasks[i].sets {
		if s.name == cfg.Set {
			return []taskSet{s}, nil
		}
		names = append(names, s.name)
	}
	return nil, usagef("%s has no set %q; its sets are %s", cfg.Task, cfg.Set, strings.Join(names, ", "))
}
