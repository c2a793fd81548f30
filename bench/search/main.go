// Command search compares the keyword search of kbagent with SQLite's FTS5 and with bleve, on the same passages and
// questions in one run, and prints a table in Markdown. It is a module of its own, so that nobody but it needs bleve.
//
//	go run . -data DIR [-passages 100000] [-questions 500] [-part dev] [-engines kbagent,fts5,bleve]
//
// DIR holds the data sets of `kbagent eval`; the passages are made of them as `kbagent eval corpus` does. Each engine runs in a
// process of its own, one after the other: it indexes all passages into a folder of its own, opens them anew, and answers
// questions one at a time. Then it indexes the sets go_docs and scifact as they are and answers their questions.
//
// What differs: kbagent reads and splits Markdown files, the others get passages that are in memory. FTS5 has the tokenizer
// "porter unicode61" and gets the words of the question that are no stop words, joined by OR; bleve has the analyzer "en" and
// BM25. All three store the texts and return ten of them. kbagent weighs the first 50 matches again, which the others do not.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
)

// Options is what both the parent and its children are told.
type options struct {
	data, part, engines, dir string
	passages, questions      int
	one                      string // in a child: the engine to measure
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", "", "folder of the data sets")
	flag.StringVar(&o.part, "part", "dev", "dev or heldout")
	flag.StringVar(&o.engines, "engines", "kbagent,fts5,bleve", "which, separated by commas")
	flag.StringVar(&o.dir, "dir", os.TempDir(), "folder for the indexes, which are removed at the end")
	flag.IntVar(&o.passages, "passages", 100_000, "how many passages")
	flag.IntVar(&o.questions, "questions", 500, "how many questions, spread over all (0 = all)")
	flag.StringVar(&o.one, "one", "", "measure one engine and print JSON (what the command calls itself with)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.data == "" || o.passages < 1 {
		return errors.New("want -data DIR and -passages of 1 or more")
	}
	if o.one != "" {
		r, err := measure(ctx, o)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(r)
	}
	var rows []row
	for engine := range strings.SplitSeq(o.engines, ",") {
		r, err := child(ctx, o, engine)
		if err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
		fmt.Fprintf(os.Stderr, "%+v\n", r)
		rows = append(rows, r)
	}
	print(o, rows)
	return nil
}

// child measures an engine in a process of its own.
func child(ctx context.Context, o options, engine string) (r row, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	cmd := exec.CommandContext(ctx, self, "-one", engine, "-data", o.data, "-part", o.part, "-dir", o.dir,
		"-passages", fmt.Sprint(o.passages), "-questions", fmt.Sprint(o.questions))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

// print prints the table.
func print(o options, rows []row) {
	fmt.Printf("%d passages, %s %s/%s, %d processors\n\n", o.passages, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Println("| | index | its CPU | on disk | of the text | first search | p50 | p99 | its CPU | most memory | go_docs | scifact |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, r := range rows {
		fmt.Printf("| %s | %.1f MB/s | %.1f s | %.0f MB | %.2f × | %.1f ms | %.1f ms | %.1f ms | %.1f ms | %.0f MB | %.3f | %.3f |\n",
			r.Engine, r.Rate, r.CPU, r.Disk, r.Disk/r.Text, r.First, r.P50, r.P99, r.Search, r.Memory, r.NDCG["go_docs"], r.NDCG["scifact"])
	}
}
