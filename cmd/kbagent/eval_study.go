package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/kbagent/kbagent/internal/eval"
)

// newEvalStudy simulates what the corrective stages do with the errors of a model.
func newEvalStudy(std streams) *cobra.Command {
	var cfg eval.StudyConfig
	var asJSON, quiet bool
	cmd := &cobra.Command{
		Use:   "study",
		Short: "Simulate what each corrective stage adds and costs when the model errs",
		Long: `study asks the agent the questions of xquad_en and clapnq with a simulated model: a script that knows the right answers and
errs at given rates. It adds one stage after the other (` + strings.Join(eval.StudyStages(), ", ") + `) and shows for
each what it changes: a stage pays when the share of right answers less that of wrong ones rises, by the 95 % interval of
the difference on the same questions (1,000 bootstrap resamples with a fixed seed).

Simulated: ` + eval.StudySimulated + `.

With --json it prints one object a stage and point: task, set, part, n, config (the stage and the rates), metrics (` + strings.Join(eval.StudyMetrics(), ", ") + `,
and some with ` + eval.StudyChange + `), intervals, elapsed_ms. Exit code 2: there is no such set, part or folder.`,
		Example: `  kbagent eval study --data eval --part dev
  kbagent eval study --data eval --set clapnq --all --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			bar := &studyBar{w: std.err, off: quiet || !isTerminal(std.err)}
			cfg.Progress = bar.progress
			if asJSON {
				return evalError(eval.Study(cmd.Context(), cfg, func(r eval.Result) error { return printJSON(std.out, r) }))
			}
			out := studyPrinter{w: std.out}
			if err := eval.Study(cmd.Context(), cfg, out.add); err != nil {
				return evalError(err)
			}
			return out.flush()
		},
	}
	cmd.Flags().StringVar(&cfg.Data, "data", "", "folder of the data sets")
	cmd.Flags().StringVar(&cfg.Part, "part", "dev", "dev or heldout")
	cmd.Flags().StringVar(&cfg.Set, "set", "", "xquad_en or clapnq (default both)")
	cmd.Flags().IntVar(&cfg.Questions, "questions", eval.StudyQuestions, "how many questions of each set are asked")
	cmd.Flags().BoolVar(&cfg.All, "all", false, "ask all questions, at every combination of the error rates")
	cmd.Flags().Uint64Var(&cfg.Seed, "seed", 1, "seed of the draws")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a stage and point")
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "show no progress")
	return cmd
}

// studyPrinter prints the label of a study, and then a table for each set and point of the rates.
type studyPrinter struct {
	w     io.Writer
	head  string
	table *table
}

// add takes the result of one stage.
func (p *studyPrinter) add(r eval.Result) error {
	if head := studyHead(r); head != p.head {
		if err := p.next(head); err != nil {
			return err
		}
	}
	share := func(name string) string { return fmt.Sprintf("%.3f", r.Metrics[name]) }
	span := func(name string) string {
		return fmt.Sprintf("%.3f–%.3f", r.Intervals[name][0], r.Intervals[name][1])
	}
	change, interval := "", ""
	if x, ok := r.Metrics["net"+eval.StudyChange]; ok {
		i := r.Intervals["net"+eval.StudyChange]
		change, interval = fmt.Sprintf("%+.3f", x), fmt.Sprintf("%+.3f to %+.3f", i[0], i[1])
	}
	p.table.row(r.Config["stage"], share("accuracy"), span("accuracy"), share("hallucinated"), span("hallucinated"), share("abstained"),
		share("flagged_right"), share("flagged_wrong"), fmt.Sprintf("%.2f", r.Metrics["calls"]), fmt.Sprintf("%.0f", r.Metrics["tokens"]),
		share("net"), change, interval, eval.StudyVerdict(r))
	return nil
}

// studyHead says what a table is of.
func studyHead(r eval.Result) string {
	c := r.Config
	return fmt.Sprintf("%s, %d questions: grader errs %s, hallucinates %s, distraction %s, verifier errs %s, abstains without evidence %s",
		r.Set, r.N, c["grader_error"], c["hallucination"], c["distraction"], c["verifier_error"], c["abstains"])
}

// next prints the table so far, or the label of the study before the first, and begins another.
func (p *studyPrinter) next(head string) error {
	if p.table == nil {
		if _, err := fmt.Fprintf(p.w, "simulated: %s\n", eval.StudySimulated); err != nil {
			return err
		}
	}
	if err := p.flush(); err != nil {
		return err
	}
	p.head = head
	p.table = newTable("STAGE", "ACCURACY", "95 %", "HALLUCINATED", "95 %", "ABSTAINED", "FLAGGED RIGHT", "FLAGGED WRONG",
		"CALLS", "TOKENS", "NET", "CHANGE", "95 %", "")
	return nil
}

// flush prints the table so far.
func (p *studyPrinter) flush() error {
	if p.table == nil {
		return nil
	}
	if _, err := fmt.Fprintf(p.w, "\n%s\n", p.head); err != nil {
		return err
	}
	return p.table.print(p.w)
}

// studyBar shows how far a study is. A failure to draw it is no failure of the study.
type studyBar struct {
	w   *os.File
	off bool

	mu  sync.Mutex
	set string
	bar *progressbar.ProgressBar
}

func (b *studyBar) progress(set string, done, of int) {
	if b.off {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil || b.set != set {
		b.set = set
		b.bar = progressbar.NewOptions(of, progressbar.OptionSetWriter(b.w), progressbar.OptionSetDescription(set),
			progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish())
	}
	_ = b.bar.Set(done)
}
