package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/kbagent/kbagent/internal/changes"
)

// again runs the scenarios, and once more whenever a file has changed, until ctx is done. What fails is printed, and does
// not end the watching.
func (r scenarioRun) again(ctx context.Context, std streams, paths []string) (err error) {
	watched := make([]string, len(paths))
	for i, p := range paths {
		if watched[i], err = filepath.Abs(p); err != nil {
			return err
		}
	}
	watcher, err := changes.New(ctx, changes.Everything{}, watched, changes.Options{Problem: func(err error) { report(std.err, err) }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, watcher.Close()) }()
	r.once(ctx, std, paths)
	return watcher.Run(ctx, func(ctx context.Context, changed []string) error {
		fmt.Fprintf(std.err, "\nchanged: %s\n", strings.Join(changed, ", "))
		r.once(ctx, std, paths)
		return nil
	})
}

// once runs the scenarios and prints what fails.
func (r scenarioRun) once(ctx context.Context, std streams, paths []string) {
	err := r.run(ctx, std, paths)
	if ctx.Err() != nil {
		return // Ctrl-C is how watching ends
	}
	var failed exitCode
	if err != nil && !errors.As(err, &failed) {
		report(std.err, err)
	}
	fmt.Fprintln(std.err, "watching for changes; Ctrl-C ends")
}
