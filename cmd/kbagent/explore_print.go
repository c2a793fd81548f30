package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/scenario/explore"
)

// foundViolation is a violation as JSON tells it.
type foundViolation struct {
	Invariant string `json:"invariant"`
	Reason    string `json:"reason"`
	Scenario  string `json:"scenario"`
}

// scenariosOf are the violations of a report with their scenarios.
func scenariosOf(x scenarios.Exploration, r explore.Report) ([]foundViolation, error) {
	found := []foundViolation{}
	for _, v := range r.Violations {
		text, err := x.Scenario(v)
		if err != nil {
			return nil, err
		}
		found = append(found, foundViolation{v.Invariant, v.Reason, string(text)})
	}
	return found, nil
}

// documents are the scenarios of violations as one file.
func documents(found []foundViolation) string {
	texts := make([]string, len(found))
	for i, v := range found {
		texts[i] = v.Scenario
	}
	return strings.Join(texts, "---\n")
}

func printExploration(out io.Writer, r explore.Report, found []foundViolation, asJSON bool) error {
	if asJSON {
		return printJSON(out, struct {
			explore.Report
			Violations []foundViolation `json:"violations"`
		}{r, found})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d states, %d transitions, %s paths, %d steps deep, in %.1f s\n", r.States, r.Transitions, r.Paths, r.Depth, float64(r.ElapsedMS)/1000)
	for _, p := range r.Alphabet {
		fmt.Fprintf(&b, "  %s: %s\n", p.Point, strings.Join(p.Options, ", "))
	}
	fmt.Fprintf(&b, "edges of the graph %s, rows of the machine %s\n", percent(r.Coverage.Edges), percent(r.Coverage.Machine))
	for _, m := range r.Coverage.Missing {
		fmt.Fprintf(&b, "  not taken: %s\n", m)
	}
	switch {
	case len(found) == 0 && r.Complete:
		fmt.Fprintf(&b, "no invariant is broken; %d pairs of joined states go on alike, %d paths end the same on a thread\n", r.Twins, r.Replays)
	case len(found) == 0:
		b.WriteString("no invariant is broken so far: NOT COMPLETE\n")
	}
	for _, v := range found {
		fmt.Fprintf(&b, "\nBROKEN: %s\n%s", v.Invariant, v.Scenario)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// percent is a share, rounded down: only all is 100 %.
func percent(share float64) string { return fmt.Sprintf("%d %%", int(100*share+1e-9)) }

// printAlphabet prints what the environment can do, by points.
func printAlphabet(out io.Writer, asJSON bool) error {
	if asJSON {
		return printJSON(out, scenarios.Alphabet())
	}
	var b strings.Builder
	for _, p := range scenarios.Alphabet() {
		fmt.Fprintf(&b, "%s\n", p.Point)
		for _, c := range p.Classes {
			name := c.Name
			if c.Fault {
				name += " (with --faults)"
			}
			fmt.Fprintf(&b, "  %s: %s\n", name, c.Means)
			if len(c.Same) > 0 {
				fmt.Fprintf(&b, "    the same: %s\n", strings.Join(c.Same, ", "))
			}
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}
