package nodes

import (
	"context"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// explain puts down how the round was judged.
func (t *turn) explain(g *state.Grading, score float64, why string) {
	g.Evaluation = t.evaluation(*g)
	g.Evaluation.Score, g.Evaluation.Reasoning = score, why
}

// shadow is what the lexical grader would have said about a round that a model has graded, for the audit: nil when no
// model has.
func (t *turn) shadow(ctx context.Context, source string) (details, error) {
	if source == sourceLexical {
		return nil, nil
	}
	s, err := t.lexical(ctx, GradeRequest{Query: t.state.Query(), Items: t.state.Context})
	if err != nil {
		return nil, err
	}
	v := rules.Judge(s.Scores, t.state.Settings)
	return details{"source": sourceLexical, "scores": s.Scores, "average": v.Average, "action": v.Action}, nil
}

func (t *turn) auditGrading(ctx context.Context, g state.Grading, average float64, ungraded []string, shadow details) error {
	scores := make([]float64, len(g.Items))
	kept := 0
	for i, item := range g.Items {
		scores[i] = item.Score
		if item.Reason == "" {
			kept++
		}
	}
	d := details{"source": g.Source, "action": g.Action, "scores": scores, "average": average, "kept": kept, "iteration": t.state.Iteration}
	if len(ungraded) > 0 {
		d["ungraded"] = ungraded
	}
	if shadow != nil {
		d["shadow"] = shadow
	}
	if e := g.Evaluation; e.CacheHit {
		d["cache_hit"] = true
	}
	if g.Source == sourceSignals || g.Source == sourceHeuristic {
		d["class"], d["subscores"], d["reasoning"] = g.Evaluation.Decision, g.Evaluation.Subscores, g.Evaluation.Reasoning
	}
	return t.audit(ctx, AuditGradeResult, d)
}
