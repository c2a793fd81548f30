package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kbagent/kbagent/internal/changes"
)

// again runs the scenarios, and once more whenever a file has changed, until ctx is done. What fails is printed, and does
// not end the watching.
func (r scenarioRun) again(ctx context.Context, std streams, paths []string) (err error) {
	watcher, err := changes.Watch(0, paths...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, watcher.Close()) }()
	for {
		err := r.run(ctx, std, paths)
		if ctx.Err() != nil {
			return nil // Ctrl-C is how watching ends
		}
		var failed exitCode
		if err != nil && !errors.As(err, &failed) {
			report(std.err, err)
		}
		if _, err := fmt.Fprintln(std.err, "watching for changes; Ctrl-C ends"); err != nil {
			return err
		}
		changed, err := watcher.Next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(std.err, "\nchanged: %s\n", strings.Join(changed, ", ")); err != nil {
			return err
		}
	}
}
