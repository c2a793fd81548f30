package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// errUsage is wrapped by mistakes of the command line.
var errUsage = errors.New("want floors, compare or peers, with its flags before the packages")

// run is main without the process. Tables go to out, the lines of the running benchmarks to progress.
func run(ctx context.Context, args []string, out, progress io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	f := flag.NewFlagSet(args[0], flag.ContinueOnError)
	f.SetOutput(progress)
	b := bench{progress: progress}
	f.StringVar(&b.regexp, "bench", ".", "which benchmarks, as in go test")
	f.StringVar(&b.time, "benchtime", "1s", "how long each run takes, as in go test")
	f.IntVar(&b.count, "count", 5, "how many runs, 1 or more")
	f.StringVar(&b.dir, "dir", ".", "root `folder` of the module")
	read := f.String("read", "", "floors, peers: read the output of go test from `files`, separated by commas, and run nothing")
	ref := f.String("ref", "", "compare: the git `ref` to compare with")
	benchstat := f.String("benchstat", "benchstat", "compare: the `program` to call")
	js := f.String("js", "bench/peers/js", "peers: `folder` of the JavaScript benchmarks; empty = leave them out")
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	b.packages = f.Args()
	if b.count < 1 {
		return fmt.Errorf("%w: -count must be 1 or more", errUsage)
	}
	switch {
	case args[0] == "floors" && *read != "":
		return show(out, floorRows, readFiles(*read))
	case args[0] == "floors":
		return show(out, floorRows, func() ([]byte, error) { return b.run(ctx) })
	case args[0] == "peers" && *read != "":
		return show(out, peerRows, readFiles(*read))
	case args[0] == "peers":
		return show(out, peerRows, func() ([]byte, error) { return runPeers(ctx, b, *js) })
	case args[0] == "compare" && *ref != "":
		return compareRef(ctx, b, *ref, *benchstat, out)
	case args[0] == "compare":
		return fmt.Errorf("%w: compare needs -ref", errUsage)
	}
	return fmt.Errorf("%w: got %q", errUsage, args[0])
}

// show prints the table of what get returns, also of what was measured before a failure.
func show(out io.Writer, rows func(*results) [][]string, get func() ([]byte, error)) error {
	text, failure := get()
	res, err := parse(bytes.NewReader(text))
	if err != nil {
		return errors.Join(failure, err)
	}
	if len(res.list) > 0 {
		fmt.Fprintf(out, "%s\n\n", strings.Join(res.machine, ", "))
		err = printTable(out, rows(res))
	}
	return errors.Join(failure, err, res.err())
}

// readFiles returns a function that reads all of a list of files separated by commas.
func readFiles(names string) func() ([]byte, error) {
	return func() ([]byte, error) {
		var all []byte
		for name := range strings.SplitSeq(names, ",") {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			all = append(append(all, text...), '\n')
		}
		return all, nil
	}
}
