package eval

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// StudyConfig is what [Study] simulates. Data and Part are required.
type StudyConfig struct {
	Data string // the folder that holds one folder a set
	Part string // dev or heldout
	Set  string // xquad_en or clapnq; "" means both

	// Questions is how many questions of each set are asked, a sample that does not depend on their order; default StudyQuestions.
	Questions int
	// All asks all questions, and takes every combination of the three error rates instead of one rate at a time.
	All  bool
	Seed uint64 // of all draws; default 1

	// Progress is told after each question how many of a set are done; it is called concurrently. Default nobody.
	Progress func(set string, done, of int)
}

// StudyQuestions is the default of StudyConfig.Questions.
const StudyQuestions = 150

func (cfg StudyConfig) withDefaults() (StudyConfig, error) {
	switch {
	case cfg.Part != "dev" && cfg.Part != "heldout":
		return cfg, usagef("--part is dev or heldout, not %q", cfg.Part)
	case cfg.Data == "":
		return cfg, usagef("--data is missing: the folder that holds one folder a set")
	case cfg.Questions < 0:
		return cfg, usagef("--questions is a number from 1, not %d", cfg.Questions)
	}
	if cfg.Questions == 0 {
		cfg.Questions = StudyQuestions
	}
	if cfg.Seed == 0 {
		cfg.Seed = 1
	}
	if cfg.Progress == nil {
		cfg.Progress = func(string, int, int) {}
	}
	return cfg, nil
}

// Study measures what each corrective stage adds and costs when the model errs at known rates. The model is simulated: a
// script that knows the right answers and errs as it is told. So the study says what the stages do with such errors, not
// how often real models make them.
//
// Each question is asked of the real agent, over a real index of the set's corpus, once for each stage and each point of
// the rates. All draws are functions of the seed, the question, the role and the number of the call, so that stages and
// points are compared on the same luck, and an error at one rate is one at every higher rate.
//
// each is called with one result a stage, in the order of sets, points and [StudyStages]. Config holds the stage and the
// rates, Metrics what [StudyMetrics] lists. Study stops at the first error, also that of each. A *UsageError says that cfg
// names what does not exist.
func Study(ctx context.Context, cfg StudyConfig, each func(Result) error) error {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return err
	}
	sets, err := studySets(cfg)
	if err != nil {
		return err
	}
	for _, s := range sets {
		if err := cfg.set(ctx, s, each); err != nil {
			return fmt.Errorf("study on %s: %w", s.name, err)
		}
	}
	return nil
}

// set studies one set.
func (cfg StudyConfig) set(ctx context.Context, s studySet, each func(Result) error) (err error) {
	started := time.Now()
	world, err := openStudyWorld(ctx, s)
	if err != nil {
		return err
	}
	defer world.close(&err)
	asked := s.sample(cfg)
	points := studyPoints(cfg.All)
	all, err := cfg.ask(ctx, world, asked, points)
	if err != nil {
		return err
	}
	elapsed := float64(time.Since(started).Microseconds()) / 1000
	for _, p := range points {
		for i, stage := range studyStages {
			r := studyResult(all, i, p)
			r.Task, r.Set, r.Part, r.N, r.ElapsedMS = "study", s.name, cfg.Part, len(asked), elapsed
			r.Config = map[string]string{
				"simulated": StudySimulated, "stage": stage.name, "grader_error": studyRate(p.Grader), "hallucination": studyRate(p.Hallucination),
				"distraction": studyRate(p.Distraction), "verifier_error": studyRate(p.Verifier), "abstains": studyRate(p.Abstains), "seed": strconv.FormatUint(cfg.Seed, 10),
			}
			if err := each(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// StudySimulated is the label that every result of a study carries.
const StudySimulated = "the model is a script with these error rates; it says what the stages do with such errors, not how often real models make them"

func studyRate(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// ask asks every question at every point and stage, several questions at once.
func (cfg StudyConfig) ask(ctx context.Context, w *studyWorld, asked []studyQuestion, points []StudyRates) ([]studyOutcomes, error) {
	all := make([]studyOutcomes, len(asked))
	var done atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, q := range asked {
		group.Go(func() error {
			outcomes, err := w.askAll(ctx, q, points, cfg.Seed)
			if err != nil {
				return fmt.Errorf("question %s: %w", q.id, err)
			}
			all[i] = outcomes
			cfg.Progress(w.set.name, int(done.Add(1)), len(asked))
			return nil
		})
	}
	return all, group.Wait()
}
