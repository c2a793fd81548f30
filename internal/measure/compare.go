package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// compareRef runs the benchmarks of ref and of the work tree in turns, so that a machine that slows down slows both, and
// prints what benchstat makes of it. The checkout of ref is removed at the end, also after an interrupt.
func compareRef(ctx context.Context, b bench, ref, benchstat string, out io.Writer) (err error) {
	if _, err := exec.LookPath(benchstat); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "measure")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	tree := filepath.Join(scratch, "tree")
	if _, err := output(ctx, b.dir, b.progress, "git", "worktree", "add", "--detach", tree, ref); err != nil {
		return err
	}
	defer func() {
		_, removed := output(context.WithoutCancel(ctx), b.dir, b.progress, "git", "worktree", "remove", "--force", tree)
		err = errors.Join(err, removed)
	}()
	var before, after bytes.Buffer
	old := b
	old.dir = tree
	for range b.count {
		for _, side := range []struct {
			bench bench
			into  *bytes.Buffer
		}{{old, &before}, {b, &after}} {
			side.bench.count = 1
			text, err := side.bench.run(ctx)
			side.into.Write(text)
			if err != nil {
				return err
			}
		}
	}
	files := []string{filepath.Join(scratch, "before.txt"), filepath.Join(scratch, "after.txt")}
	for i, data := range [][]byte{before.Bytes(), after.Bytes()} {
		res, err := parse(bytes.NewReader(data))
		if err == nil {
			err = res.err()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(files[i]), err)
		}
		if err := os.WriteFile(files[i], data, 0o600); err != nil {
			return err
		}
	}
	table, err := output(ctx, "", io.Discard, benchstat, ref+"="+files[0], "work tree="+files[1])
	if err != nil {
		return err
	}
	_, err = out.Write(table)
	return err
}
