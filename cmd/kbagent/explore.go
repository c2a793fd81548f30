package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/scenario/explore"
	"github.com/kbagent/kbagent/state"
)

func newExplore(std streams) *cobra.Command {
	var (
		iterations     int
		faults, asJSON bool
		stages         string
		limit          time.Duration
	)
	cmd := &cobra.Command{
		Use:   "explore",
		Short: "Run the agent's graph over everything that its environment can do",
		Long: `explore runs the real graph over every reply that a model can give, every result of a tool and every decision of a
person, up to the iteration cap. Equal states are joined. It checks invariants in every state, and prints the shortest
path to what breaks one as a scenario. The exit code is 1 when one is broken or the time is over.`,
		Example: `  kbagent explore
  kbagent explore --max-iterations 1 --stages all
  kbagent explore --faults --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if iterations < 1 || iterations > 10 {
				return &usageError{fmt.Errorf("--max-iterations is 1 to 10, not %d", iterations)}
			}
			settings := state.DefaultSettings()
			settings.MaxIterations = iterations
			switch stages {
			case "core":
			case "all":
				settings = scenarios.FullSettings(iterations)
			default:
				return &usageError{fmt.Errorf("--stages is core or all, not %q", stages)}
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), limit)
			defer cancel()
			x := scenarios.Exploration{Settings: settings, Faults: faults}
			r, err := runExploration(ctx, std, x, asJSON)
			if printErr := printExploration(cmd.Context(), std.out, x, r, asJSON); printErr != nil {
				return printErr
			}
			switch {
			case cmd.Context().Err() != nil:
				return cmd.Context().Err()
			case err != nil:
				return fmt.Errorf("the exploration is not complete (%w): --timeout gives it more than %s", err, limit)
			case len(r.Violations) > 0:
				return exitCode(exitError)
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&iterations, "max-iterations", 2, "rounds of the evidence loop, 1 to 10")
	cmd.Flags().BoolVar(&faults, "faults", false, "models and tools also fail: down, malformed, cut")
	cmd.Flags().StringVar(&stages, "stages", "core", "core: the evidence loop and the answer; all: every switch on")
	cmd.Flags().DurationVar(&limit, "timeout", 5*time.Minute, "when to give up")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return cmd
}

func runExploration(ctx context.Context, std streams, x scenarios.Exploration, quiet bool) (explore.Report, error) {
	subject, err := scenarios.Explored(x)
	if err != nil {
		return explore.Report{}, err
	}
	var opts explore.Options
	if isTerminal(std.err) && !quiet {
		opts.Progress = func(depth, states, open int) {
			fmt.Fprintf(std.err, "\r\x1b[Kdepth %d, %d states, %d to go on from", depth, states, open)
		}
		defer fmt.Fprint(std.err, "\r\x1b[K")
	}
	return explore.Run(ctx, subject, opts)
}

// foundViolation is a violation as JSON tells it.
type foundViolation struct {
	Invariant string `json:"invariant"`
	Reason    string `json:"reason"`
	Scenario  string `json:"scenario"`
}

func printExploration(ctx context.Context, out io.Writer, x scenarios.Exploration, r explore.Report, asJSON bool) error {
	found := []foundViolation{}
	for _, v := range r.Violations {
		text, err := x.Scenario(ctx, v)
		if err != nil {
			return err
		}
		found = append(found, foundViolation{v.Invariant, v.Reason, string(text)})
	}
	if asJSON {
		return printJSON(out, struct {
			explore.Report
			Violations []foundViolation `json:"violations"`
		}{r, found})
	}
	fmt.Fprintf(out, "%d states, %d transitions, %s paths, %d steps deep, in %.1f s\n", r.States, r.Transitions, r.Paths, r.Depth, float64(r.ElapsedMS)/1000)
	for _, p := range r.Alphabet {
		fmt.Fprintf(out, "  %s: %s\n", p.Point, strings.Join(p.Options, ", "))
	}
	fmt.Fprintf(out, "edges of the graph %.0f %%, rows of the machine %.0f %%\n", 100*r.Coverage.Edges, 100*r.Coverage.Machine)
	if len(found) == 0 {
		_, err := fmt.Fprintln(out, "no invariant is broken")
		return err
	}
	for _, v := range found {
		if _, err := fmt.Fprintf(out, "\nBROKEN: %s\n%s", v.Invariant, v.Scenario); err != nil {
			return err
		}
	}
	return nil
}
