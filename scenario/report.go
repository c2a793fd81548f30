package scenario

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/kbagent/kbagent/graph"
)

// Report is the outcome of a run over scenarios.
type Report struct {
	Passed    int      `json:"passed"`
	Failed    int      `json:"failed"`
	ElapsedMS float64  `json:"elapsed_ms"`
	Results   []Result `json:"results"` // in the order of the scenarios
	Coverage  Coverage `json:"coverage"`
}

// Result is the outcome of one scenario.
type Result struct {
	File       string     `json:"file"`
	Line       int        `json:"line"`
	Scenario   string     `json:"scenario"`
	Passed     bool       `json:"passed"`
	Mismatches []Mismatch `json:"mismatches,omitempty"`
	Error      string     `json:"error,omitzero"` // the scenario could not be run to its end
	ElapsedMS  float64    `json:"elapsed_ms"`

	seen []sight // of the turns that were played
	err  error   // behind Error
}

// Coverage is which edges of the graph and which other moves the scenarios took.
type Coverage struct {
	Edges Share `json:"edges"`
	Moves Share `json:"machine"`
}

// Share is how much of something was taken.
type Share struct {
	Taken   int      `json:"taken"`
	Total   int      `json:"total"`
	Missing []string `json:"missing"`
}

// Complete says whether everything was taken.
func (c Coverage) Complete() bool { return len(c.Edges.Missing) == 0 && len(c.Moves.Missing) == 0 }

func (r *Report) count(elapsed time.Duration) {
	for _, result := range r.Results {
		if result.Passed {
			r.Passed++
		} else {
			r.Failed++
		}
	}
	r.ElapsedMS = float64(elapsed.Microseconds()) / 1000
}

func cover(topology graph.Topology, moves []string, traces []Trace) Coverage {
	takenEdges, takenMoves := make(map[string]bool), make(map[string]bool)
	for _, t := range traces {
		for _, e := range t.Edges {
			takenEdges[edgeName(e)] = true
		}
		for _, m := range t.Moves {
			takenMoves[m] = true
		}
	}
	var edges []string
	for _, e := range topology.Edges {
		edges = append(edges, edgeName(e))
	}
	return Coverage{Edges: share(edges, takenEdges), Moves: share(moves, takenMoves)}
}

func edgeName(e graph.Edge) string {
	if e.Label == "" {
		return e.From + " → " + e.To
	}
	return e.From + " —" + e.Label + "→ " + e.To
}

func share(all []string, taken map[string]bool) Share {
	s := Share{Total: len(all), Missing: []string{}}
	for _, name := range all {
		if taken[name] {
			s.Taken++
		} else {
			s.Missing = append(s.Missing, name)
		}
	}
	return s
}

// Write prints the report for people: each failure with its differences, then the sums. With verbose the scenarios that
// passed are listed too.
func (r Report) Write(w io.Writer, verbose bool) error {
	var b strings.Builder
	for _, result := range r.Results {
		if result.Passed {
			if verbose {
				fmt.Fprintf(&b, "ok    %s:%d %s (%.0f ms)\n", result.File, result.Line, result.Scenario, result.ElapsedMS)
			}
			continue
		}
		fmt.Fprintf(&b, "FAIL  %s:%d %s\n", result.File, result.Line, result.Scenario)
		for _, m := range result.Mismatches {
			fmt.Fprintf(&b, "  %s\n", m)
		}
		if result.Error != "" {
			fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(result.Error, "\n", "\n  "))
		}
	}
	for _, s := range []struct {
		what string
		Share
	}{{"graph edges", r.Coverage.Edges}, {"machine rows", r.Coverage.Moves}} {
		fmt.Fprintf(&b, "%s taken: %d of %d", s.what, s.Taken, s.Total)
		if len(s.Missing) > 0 {
			fmt.Fprintf(&b, "; missing: %s", strings.Join(slices.Sorted(slices.Values(s.Missing)), ", "))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%d passed, %d failed in %.2f s\n", r.Passed, r.Failed, r.ElapsedMS/1000)
	_, err := io.WriteString(w, b.String())
	return err
}
