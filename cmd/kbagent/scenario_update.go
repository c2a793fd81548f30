package main

import (
	"context"
	"fmt"
	"io"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/scenario"
)

// rewrite shows what failing scenarios would have to expect, asks, and writes it. The exit code stays 1 when something
// still fails.
func (r scenarioRun) rewrite(ctx context.Context, std streams, list []agentScenario, report scenario.Report) error {
	rewrites, refusals, err := scenario.Rewrites(ctx, scenarios.Subject(), list, report, r.options())
	if err != nil {
		return err
	}
	out := io.Writer(std.out)
	if r.asJSON {
		out = std.err // stdout is the report
	}
	for _, refused := range refusals {
		line := fmt.Sprintf("not rewritten: %s:%d %s: %v", refused.File, refused.Line, refused.Scenario, refused.Reason)
		if _, err := fmt.Fprintln(out, mask.Terminal(line)); err != nil {
			return err
		}
	}
	if len(rewrites) == 0 {
		return exitCode(exitError)
	}
	changed := 0
	for _, w := range rewrites {
		changed += len(w.Scenarios)
		if _, err := fmt.Fprint(out, mask.Terminal(string(w.Diff()))); err != nil {
			return err
		}
	}
	if err := confirm(ctx, std, r.yes, fmt.Sprintf("rewrite the expectations of %d scenario(s) in %d file(s)", changed, len(rewrites))); err != nil {
		return err
	}
	for _, w := range rewrites {
		if err := w.Write(); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(out, "rewrote the expectations of %d scenario(s) in %d file(s)\n", changed, len(rewrites)); err != nil {
		return err
	}
	if len(refusals) > 0 {
		return exitCode(exitError)
	}
	return nil
}
