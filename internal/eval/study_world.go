package eval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/store/sqlite"
	"github.com/kbagent/kbagent/tools"
)

// studyWorld is a set with an index of its corpus. It is safe for concurrent use.
type studyWorld struct {
	set studySet
	dir string
	db  *sqlite.DB
}

// studyRoot is the name under which the corpus stands in the index.
const studyRoot = "study"

// openStudyWorld indexes the corpus in a file that close removes.
func openStudyWorld(ctx context.Context, s studySet) (*studyWorld, error) {
	dir, err := os.MkdirTemp("", "kbagent-study-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the index: %w", err)
	}
	w := &studyWorld{set: s, dir: dir}
	if err := w.fill(ctx); err != nil {
		w.close(&err)
		return nil, err
	}
	return w, nil
}

// fill indexes the corpus.
func (w *studyWorld) fill(ctx context.Context) (err error) {
	if w.db, err = sqlite.Open(ctx, filepath.Join(w.dir, "study.db"), sqlite.Options{Synchronous: "NORMAL"}); err != nil {
		return err
	}
	ix, err := index.Open(ctx, w.db.Index(), nil, index.Options{})
	if err != nil {
		return err
	}
	if _, err := ix.Put(ctx, studyRoot, w.set.corpus); err != nil {
		return fmt.Errorf("index the corpus: %w", err)
	}
	return nil
}

// close removes the index and adds what goes wrong to err.
func (w *studyWorld) close(err *error) {
	if w.db != nil {
		*err = errors.Join(*err, w.db.Close())
	}
	*err = errors.Join(*err, os.RemoveAll(w.dir))
}

// index is the knowledge base as a question finds it.
func (w *studyWorld) index(ctx context.Context, q studyQuestion) (*index.Index, error) {
	var store index.Store = w.db.Index()
	if q.hidden != "" {
		store = studyWithout{store, q.hidden}
	}
	return index.Open(ctx, store, nil, index.Options{})
}

// studyToolTimeout is so long that a busy machine does not change what a study finds.
const studyToolTimeout = 10 * time.Minute

// studyAgent is an agent with the stages up to that of index stage, whose model is a script.
func studyAgent(set tools.Set, ix *index.Index, stage int, script *studyScript) (*agent.Agent, error) {
	return agent.New(agent.Config{
		Settings: studySettings(stage),
		Nodes: nodes.Config{
			Tools: set, Library: agent.Library(ix, false), Audit: nodes.Discard{}, ToolTimeout: studyToolTimeout,
			Model:      &nodes.Model{LLM: script, Name: "simulated", Fence: func() string { return studyFence }},
			ModelRoles: []string{nodes.RoleGrader, nodes.RoleSynthesizer, nodes.RoleVerifier},
		},
	})
}

// studyOutcomes is what became of one question, by stage and by the rates that matter to it.
type studyOutcomes map[studyKey]studyOutcome

type studyKey struct {
	stage int
	rates StudyRates
}

func studyKeyOf(stage int, p StudyRates) studyKey {
	return studyKey{stage, studyStages[stage].matter(p)}
}

// askAll asks one question at every point and stage.
func (w *studyWorld) askAll(ctx context.Context, q studyQuestion, points []StudyRates, seed uint64) (studyOutcomes, error) {
	ix, err := w.index(ctx, q)
	if err != nil {
		return nil, err
	}
	set, all := studyTools(ix), studyOutcomes{}
	for _, p := range points {
		for stage := range studyStages {
			key := studyKeyOf(stage, p)
			if _, known := all[key]; known {
				continue
			}
			if all[key], err = w.ask(ctx, q, key, seed, func(script *studyScript) (*agent.Agent, error) {
				return studyAgent(set, ix, stage, script)
			}); err != nil {
				return nil, fmt.Errorf("stage %s at %+v: %w", studyStages[stage].name, p, err)
			}
		}
	}
	return all, nil
}

// ask is one run of an agent that open makes around the script.
func (w *studyWorld) ask(ctx context.Context, q studyQuestion, key studyKey, seed uint64, open func(*studyScript) (*agent.Agent, error)) (studyOutcome, error) {
	script := &studyScript{set: w.set, question: q, rates: key.rates, seed: seed}
	a, err := open(script)
	if err != nil {
		return studyOutcome{}, err
	}
	answer, err := a.Do(ctx, agent.Question{Text: q.text})
	if err := errors.Join(err, script.fault(), studyFailures(answer.State)); err != nil { // the agent does without what fails
		return studyOutcome{}, err
	}
	return studyOutcomeOf(q, answer), nil
}

// studyOutcomeOf judges an answer.
func studyOutcomeOf(q studyQuestion, a agent.Answer) studyOutcome {
	o := studyOutcome{calls: a.Usage.LLMCalls, tokens: a.Usage.TotalTokens}
	right := q.right(a.Answer)
	switch a.Status {
	case state.StatusAbstained:
		o.abstained, o.right = true, !q.answerable()
	case state.StatusLowConfidence, state.StatusPendingReview:
		o.flaggedRight, o.flaggedWrong = right, !right
	default:
		o.right, o.hallucinated = right, !right
		o.lowEvidence = !right && len(a.State.Context) == 0
	}
	return o
}

// studyWithout is a store in which a passage is not found. The passage still counts in how rare a word is.
type studyWithout struct {
	index.Store
	path string
}

func (s studyWithout) Keyword(ctx context.Context, q index.KeywordQuery) ([]index.Match, error) {
	wanted := q.K
	q.K++
	found, err := s.Store.Keyword(ctx, q)
	found = slices.DeleteFunc(found, func(m index.Match) bool { return m.Passage.Path == s.path })
	return found[:min(wanted, len(found))], err
}

func (s studyWithout) Files(ctx context.Context) ([]index.FileRecord, error) {
	files, err := s.Store.Files(ctx)
	return slices.DeleteFunc(files, func(f index.FileRecord) bool { return f.Path == s.path }), err
}

func (s studyWithout) Sources(ctx context.Context) iter.Seq2[index.Source, error] {
	return func(yield func(index.Source, error) bool) {
		for source, err := range s.Store.Sources(ctx) {
			if (err != nil || source.Path != s.path) && !yield(source, err) {
				return
			}
		}
	}
}
