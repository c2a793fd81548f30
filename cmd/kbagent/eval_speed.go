package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/eval"
)

// newEvalCorpus makes a large knowledge base out of the small data sets.
func newEvalCorpus(std streams) *cobra.Command {
	var data, part, out string
	var n int
	cmd := &cobra.Command{
		Use:   "corpus",
		Short: "Make a large corpus of the data sets, for measuring speed",
		Long: `corpus writes Markdown files of eight passages each into OUT/kb, and the questions of the data sets, one a line, into
OUT/questions.txt. The first passages are the corpora as they are, cut after 180 words; then the same come again and again,
altered: a tenth of the words is replaced by words drawn as often as they occur, and half of the rare words get an ending of
the round, so that the vocabulary grows. The same call writes the same files. OUT/kb must not exist yet.`,
		Example: `  kbagent eval corpus --data eval --passages 100000 --out /tmp/large
  kbagent --data-dir /tmp/large/data index /tmp/large/kb
  kbagent --data-dir /tmp/large/data eval speed --questions /tmp/large/questions.txt`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if data == "" || out == "" || n < 1 {
				return &usageError{errors.New("eval corpus needs --data DIR, --out DIR and --passages of 1 or more")}
			}
			passages, err := eval.Enlarge(data, n)
			if err != nil {
				return evalError(err)
			}
			questions, err := eval.LargeQuestions(data, part)
			if err != nil {
				return evalError(err)
			}
			files, bytes, err := eval.WriteMarkdown(filepath.Join(out, "kb"), passages)
			if err == nil {
				err = os.WriteFile(filepath.Join(out, "questions.txt"), []byte(strings.Join(questions, "\n")+"\n"), 0o600)
			}
			if err != nil {
				return fmt.Errorf("write the corpus: %w", err)
			}
			_, err = fmt.Fprintf(std.out, "%d passages in %d files, %s; %d questions\n", n, files, size(bytes), len(questions))
			return err
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder of the data sets")
	cmd.Flags().StringVar(&part, "part", "dev", "dev or heldout: whose questions")
	cmd.Flags().StringVar(&out, "out", "", "folder to write to")
	cmd.Flags().IntVar(&n, "passages", 100_000, "how many passages")
	return cmd
}

// newEvalSpeed measures searches as `kbagent search` does them, in one process.
func newEvalSpeed(g *global, std streams) *cobra.Command {
	var questions, tool string
	var k, limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "speed",
		Short: "Measure how long searches of the knowledge base take",
		Long: `speed searches for each line of a file, one after another, and prints the quantiles of how long a search took, in
milliseconds, and the memory of the process afterwards. The first search of the process is counted apart.`,
		Example: `  kbagent eval speed --questions questions.txt --json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			lines, err := readQuestions(questions, limit)
			if err != nil {
				return &usageError{err}
			}
			b, err := openBase(cmd.Context(), g, std)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, b.close()) }()
			took := make([]time.Duration, len(lines))
			for i, line := range lines {
				start := time.Now()
				if _, err := search(cmd.Context(), b.index, tool, line, k); err != nil {
					return err
				}
				took[i] = time.Since(start)
			}
			return printSpeed(std, asJSON, speedOf(took))
		},
	}
	cmd.Flags().StringVar(&questions, "questions", "", "file with a question a line")
	cmd.Flags().StringVar(&tool, "tool", "keyword", "keyword, vector or hybrid")
	cmd.Flags().IntVarP(&k, "limit", "k", 10, "how many passages a search returns")
	cmd.Flags().IntVar(&limit, "first", 0, "ask only so many questions, spread over the file (0 = all)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// readQuestions reads the lines that are not empty; of more than limit it takes every so many, 0 being no limit.
func readQuestions(path string, limit int) (lines []string, err error) {
	if path == "" {
		return nil, errors.New("eval speed needs --questions FILE, with a question a line")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for scan := bufio.NewScanner(f); ; {
		if !scan.Scan() {
			if err := scan.Err(); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			break
		}
		if line := strings.TrimSpace(scan.Text()); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s holds no question", path)
	}
	if limit > 0 && limit < len(lines) {
		some := make([]string, limit)
		for i := range some {
			some[i] = lines[i*len(lines)/limit]
		}
		lines = some
	}
	return lines, nil
}

// speed is what `eval speed` prints. Times are in milliseconds.
type speed struct {
	Searches int     `json:"searches"`
	First    float64 `json:"first_ms"`
	P50      float64 `json:"p50_ms"`
	P90      float64 `json:"p90_ms"`
	P99      float64 `json:"p99_ms"`
	Max      float64 `json:"max_ms"`
	Heap     float64 `json:"heap_mib"` // in use after a collection
	System   float64 `json:"system_mib"`
}

func speedOf(took []time.Duration) speed {
	first := took[0]
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	at := func(q int) float64 { return ms(took[min(len(took)-1, len(took)*q/100)]) }
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return speed{len(took), ms(first), at(50), at(90), at(99), ms(took[len(took)-1]), float64(m.HeapAlloc) / (1 << 20), float64(m.Sys) / (1 << 20)}
}

func printSpeed(std streams, asJSON bool, s speed) error {
	if asJSON {
		return printJSON(std.out, s)
	}
	_, err := fmt.Fprintf(std.out, "%d searches: p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, longest %.1f ms; the first %.1f ms\nmemory: %.1f MiB in use, %.1f MiB of the system\n",
		s.Searches, s.P50, s.P90, s.P99, s.Max, s.First, s.Heap, s.System)
	return err
}
