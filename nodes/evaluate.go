package nodes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// Grade sources that judge a retrieval as a whole.
const (
	sourceSignals   = "signals"
	sourceHeuristic = "heuristic"
)

// whole judges the retrieval as a whole when the settings say so: the action comes from the class, nothing is dropped,
// and the scores of the items are information only. ok is false for evaluators that grade items.
func (t *turn) whole() (g state.Grading, e rules.Evaluation, ok bool) {
	s := t.state
	switch s.Settings.Evaluator {
	case state.EvaluatorSignals:
		g.Source, e = sourceSignals, rules.EvaluateSignals(s.Query(), s.Context, s.ToolHistory)
	case state.EvaluatorHeuristic:
		g.Source, e = sourceHeuristic, rules.EvaluateHeuristic(s.Query(), s.Context, len(s.PendingToolCalls) == 0 && s.Strategy == state.StrategyReadFile)
	default:
		return g, e, false
	}
	g.Action = e.Action
	for i, item := range s.Context {
		g.Items = append(g.Items, state.Grade{ID: item.ID, Score: e.PerItem[i]})
	}
	return g, e, true
}

// classes are the words of corrective RAG for the actions.
var classes = map[state.Action]string{
	state.ActionGenerate: rules.ClassCorrect, state.ActionRefine: rules.ClassAmbiguous, state.ActionReRetrieve: rules.ClassIncorrect,
}

// evaluation tells how this round was judged.
func (t *turn) evaluation(g state.Grading) *state.Evaluation {
	e := &state.Evaluation{
		Decision: classes[g.Action], OriginalCount: len(t.state.Context), CorrectionStrategy: correctionStrategy(t.state),
		WebSearchUsed: t.state.WebRounds > 0, TokensUsed: t.meter.usage().TotalTokens, ElapsedMS: t.meter.running().Milliseconds(),
	}
	e.CorrectionApplied = e.CorrectionStrategy != "none"
	return e
}

// correctionStrategy is what was done about an earlier round before this one.
func correctionStrategy(s state.AgentState) string {
	switch {
	case s.WebRounds > 0:
		return "web_search"
	case s.Strategy == state.StrategyExpanded:
		return "query_expansion"
	case s.Strategy == state.StrategyDecomposed:
		return "decompose"
	default:
		return "none"
	}
}

// reasonOf is the sentence of a grading by items.
func reasonOf(v rules.Verdict, items int, cfg state.Settings) string {
	return fmt.Sprintf("%d of %d items have at least %.2f, their average is %.2f (%.2f is enough)", v.Kept, items, cfg.EvidenceMinScore, v.Average, cfg.GenerateMinScore)
}

// Cache keeps grades of a model. One that is down holds nothing and takes nothing. It is safe for concurrent use.
type Cache interface {
	Get(ctx context.Context, key string) ([]byte, bool)
	Put(ctx context.Context, key string, value []byte)
}

// Versioned is a Library that can tell when its content has changed. Without that, nothing is cached.
type Versioned interface {
	Version(ctx context.Context) (int64, error)
}

// cacheKey is equal for gradings that must come out the same: of the same question and items, in the same order, from the
// same version of the index, by the same prompt of the same model. ok is false when nothing is cached.
func (t *turn) cacheKey(ctx context.Context, q GradeRequest) (key string, ok bool, err error) {
	lib, versioned := t.nodes.cfg.Library.(Versioned)
	if t.nodes.cfg.Cache == nil || !versioned {
		return "", false, nil
	}
	version, err := lib.Version(ctx)
	if err != nil {
		return "", false, fmt.Errorf("read the version of the index: %w", err)
	}
	parts := []string{t.nodes.graderCall().Prompt, t.nodes.graderModel(), fmt.Sprint(version), q.Query}
	for _, item := range q.Items {
		parts = append(parts, item.ID)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "grade:" + hex.EncodeToString(sum[:]), true, nil
}

// cached asks for grades only when the cache has none. Grades that could not be read are not kept.
func (t *turn) cached(ctx context.Context, q GradeRequest, grade func() (Grades, error)) (Grades, bool, error) {
	key, ok, err := t.cacheKey(ctx, q)
	if err != nil {
		return Grades{}, false, err
	}
	if !ok {
		grades, err := grade()
		return grades, false, err
	}
	if data, found := t.nodes.cfg.Cache.Get(ctx, key); found {
		var grades Grades
		if err := json.Unmarshal(data, &grades); err == nil && len(grades.Scores) == len(q.Items) {
			return grades, true, nil
		}
	}
	grades, err := grade()
	if err != nil || len(grades.Ungraded) > 0 {
		return grades, false, err
	}
	data, err := json.Marshal(grades)
	if err != nil {
		return grades, false, fmt.Errorf("encode grades for the cache: %w", err)
	}
	t.nodes.cfg.Cache.Put(ctx, key, data)
	return grades, false, nil
}
