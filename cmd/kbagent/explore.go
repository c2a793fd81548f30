package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/scenario/explore"
)

// exploring are the flags of explore.
type exploring struct {
	iterations, calls, states int
	faults, asJSON, alphabet  bool
	stages                    string
	dot, mermaid, out         string
	limit                     time.Duration
}

func newExplore(std streams) *cobra.Command {
	var f exploring
	cmd := &cobra.Command{
		Use:   "explore",
		Short: "Run the agent's graph over everything that its environment can do",
		Long: `explore runs the real graph over every reply that a model can give, every result of a tool and every decision of a
person, up to the iteration cap. Equal states are joined. It checks invariants in every step, and prints the shortest
path to what breaks one as a scenario file. Ctrl-C ends it with what was seen so far. The exit code is 1 when an invariant
is broken, or not everything was seen.`,
		Example: `  kbagent explore
  kbagent explore --stages all --max-iterations 3
  kbagent explore --faults --json
  kbagent explore --stages all --max-iterations 1 --mermaid explored.mmd
  kbagent explore --alphabet`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			x, err := f.exploration()
			switch {
			case err != nil:
				return &usageError{err}
			case f.alphabet:
				return printAlphabet(std.out, f.asJSON)
			}
			return f.run(cmd.Context(), std, x)
		},
	}
	cmd.Flags().IntVar(&f.iterations, "max-iterations", 2, "rounds of the evidence loop, 1 to 10")
	cmd.Flags().BoolVar(&f.faults, "faults", false, "models, tools and the review queue also fail: down, malformed, cut")
	cmd.Flags().StringVar(&f.stages, "stages", "core", "core: the evidence loop and the answer; all: every stage on")
	cmd.Flags().IntVar(&f.calls, "max-calls", 0, "budget of model calls of each run; 0 is none")
	cmd.Flags().IntVar(&f.states, "max-states", 1_000_000, "how many states are looked at")
	cmd.Flags().DurationVar(&f.limit, "timeout", 5*time.Minute, "when to stop, with what was seen so far")
	cmd.Flags().BoolVar(&f.alphabet, "alphabet", false, "print what the environment can do, and nothing else")
	cmd.Flags().StringVar(&f.dot, "dot", "", "draw the explored graph into a `file` for Graphviz")
	cmd.Flags().StringVar(&f.mermaid, "mermaid", "", "draw the explored graph into a Mermaid `file`")
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "write the scenarios of what is broken to a `file`")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the findings as JSON")
	return cmd
}

// exploration is what the flags ask for. An error is a mistake in them.
func (f exploring) exploration() (scenarios.Exploration, error) {
	x := scenarios.Exploration{Faults: f.faults}
	switch {
	case f.iterations < 1 || f.iterations > 10:
		return x, fmt.Errorf("--max-iterations is 1 to 10, not %d", f.iterations)
	case f.calls < 0:
		return x, fmt.Errorf("--max-calls is 0 or more, not %d", f.calls)
	case f.states < 1:
		return x, fmt.Errorf("--max-states is at least 1, not %d", f.states)
	case f.limit <= 0:
		return x, fmt.Errorf("--timeout is more than 0, not %s", f.limit)
	case f.stages == "core":
		x.Modes = scenarios.CoreModes(f.iterations)
	case f.stages == "all":
		x.Modes = scenarios.AllModes(f.iterations)
	default:
		return x, fmt.Errorf("--stages is core or all, not %q", f.stages)
	}
	for name, s := range x.Modes {
		s.MaxLLMCalls = f.calls
		x.Modes[name] = s
	}
	return x, nil
}

// run explores, and tells what was seen, also when it was not everything.
func (f exploring) run(ctx context.Context, std streams, x scenarios.Exploration) error {
	limited, cancel := context.WithTimeout(ctx, f.limit)
	defer cancel()
	r, stopped := f.explore(limited, std, x)
	found, err := scenariosOf(x, r)
	if err == nil {
		err = f.write(r, found)
	}
	if err == nil {
		err = printExploration(std.out, r, found, f.asJSON)
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(stopped, explore.ErrTooMany):
		return fmt.Errorf("not everything was explored: there are more than %d states (--max-states)", f.states)
	case errors.Is(stopped, context.DeadlineExceeded):
		return fmt.Errorf("not everything was explored within %s (--timeout)", f.limit)
	case stopped != nil:
		return stopped
	case len(r.Violations) > 0:
		return exitCode(exitError)
	}
	return nil
}

func (f exploring) explore(ctx context.Context, std streams, x scenarios.Exploration) (explore.Report, error) {
	subject, err := scenarios.Explored(x)
	if err != nil {
		return explore.Report{}, err
	}
	opts := explore.Options{MaxStates: f.states}
	if isTerminal(std.err) && !f.asJSON {
		opts.Progress = func(depth, states, open int) {
			fmt.Fprintf(std.err, "\r\x1b[Kdepth %d, %d states, %d to go on from", depth, states, open)
		}
		defer fmt.Fprint(std.err, "\r\x1b[K")
	}
	return explore.Run(ctx, subject, opts)
}

// write writes the drawings and the scenarios that the flags ask for. Without anything broken there is no file of scenarios.
func (f exploring) write(r explore.Report, found []foundViolation) error {
	files := map[string]string{}
	if f.dot != "" {
		files[f.dot] = r.Drawing().DOT()
	}
	if f.mermaid != "" {
		files[f.mermaid] = r.Drawing().Mermaid()
	}
	if f.out != "" && len(found) > 0 {
		files[f.out] = documents(found)
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil { //nolint:gosec // it holds nothing of anybody
			return err
		}
	}
	return nil
}
