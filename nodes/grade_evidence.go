package nodes

import (
	"context"
	"errors"
	"fmt"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// Grade sources besides "rule:<name>".
const (
	sourceLLM      = "llm"
	sourceLexical  = "lexical"
	sourceFallback = "fallback" // the grades could not be read: 0.5 for all
)

// maxGradeFailures is the failed round from which the lexical grader takes over for the rest of the run.
const maxGradeFailures = 3

// defaultScore is the score of an item whose grade could not be read.
const defaultScore = 0.5

// GradeEvidence is the node grade_evidence. Its order is: emptiness, pre-filter rules, grader, drop, average, action;
// then the iteration cap, the budget and the lack of progress. The corrective machine names the move.
func (n *Nodes) GradeEvidence() graph.NodeFunc[state.AgentState, state.Update] {
	return n.run(NameGradeEvidence, func(ctx context.Context, t *turn) error {
		grading, err := t.grade(ctx)
		if err != nil {
			return err
		}
		t.update.Grading = &grading
		return t.move(ctx, grading.Action)
	})
}

// grade decides the action of this round and the score of each item.
func (t *turn) grade(ctx context.Context) (state.Grading, error) {
	items := t.state.Context
	if len(items) == 0 {
		grading := state.Grading{Action: state.ActionReRetrieve, Items: []state.Grade{}}
		t.explain(&grading, 0, "nothing was found")
		return grading, t.auditGrading(ctx, grading, 0, nil, nil)
	}
	if rule := rules.FirstMatch(t.nodes.cfg.Rules, t.state); rule != "" {
		grading := state.Grading{Source: "rule:" + rule, Action: state.ActionGenerate}
		for _, item := range items {
			grading.Items = append(grading.Items, state.Grade{ID: item.ID, Score: 1})
		}
		t.explain(&grading, 1, fmt.Sprintf("the rule %s approves all %d items", rule, len(items)))
		return grading, t.audit(ctx, AuditFastPathHit, details{"rule_name": rule, "items": len(items), "action": grading.Action})
	}
	if grading, e, ok := t.whole(); ok {
		t.explain(&grading, e.Score, e.Reasoning)
		grading.Evaluation.Decision, grading.Evaluation.Subscores = e.Class, e.Subscores
		return grading, t.auditGrading(ctx, grading, e.Score, nil, nil)
	}
	scored, err := t.score(ctx, GradeRequest{Query: t.state.Query(), Items: items})
	if err != nil {
		return state.Grading{}, err
	}
	return t.judge(ctx, scored)
}

// scored is the scores of a context and where they come from.
type scored struct {
	Grades
	source string
	failed bool
	hit    bool // they come from the cache
}

// score asks the grader: the model when it is configured and has not failed too often, else the lexical one.
func (t *turn) score(ctx context.Context, q GradeRequest) (scored, error) {
	if t.nodes.grader.model == nil || t.state.Settings.Evaluator == state.EvaluatorLexical || t.state.GradeFailures >= maxGradeFailures {
		return t.lexical(ctx, q)
	}
	grades, hit, err := t.cached(ctx, q, func() (Grades, error) { return (*t.nodes.grader.model).Grade(ctx, q) })
	var unreadable *UnreadableError
	switch {
	case err == nil:
		return scored{Grades: grades, source: sourceLLM, hit: hit}, nil
	case ctx.Err() != nil:
		return scored{}, context.Cause(ctx)
	case errors.As(err, &unreadable):
		return t.unreadable(ctx, q, unreadable)
	default:
		if err := t.modelFailed(ctx, RoleGrader, err); err != nil {
			return scored{}, err
		}
		if err := t.audit(ctx, AuditGraderDegraded, details{"reason": oneLine(err), "to": sourceLexical}); err != nil {
			return scored{}, err
		}
		return t.lexical(ctx, q)
	}
}

// unreadable gives every item the default score; from the third failed round on the lexical grader takes over.
func (t *turn) unreadable(ctx context.Context, q GradeRequest, fault *UnreadableError) (scored, error) {
	failures := t.state.GradeFailures + 1
	err := t.audit(ctx, AuditGradeParseFailure, details{"reason": fault.Reason, "raw": fault.Raw, "failures": failures})
	if err != nil {
		return scored{}, err
	}
	t.warn("the model's grades could not be read (%s)", fault.Reason)
	if failures < maxGradeFailures {
		s := scored{source: sourceFallback, failed: true}
		for range q.Items {
			s.Scores = append(s.Scores, defaultScore)
		}
		return s, nil
	}
	t.warn("the grader failed %d times; the lexical grader does the rest of this run", failures)
	err = t.audit(ctx, AuditGraderDegraded, details{"reason": fmt.Sprintf("%d failed rounds", failures), "to": sourceLexical})
	if err != nil {
		return scored{}, err
	}
	s, err := t.lexical(ctx, q)
	s.failed = true
	return s, err
}

func (t *turn) lexical(ctx context.Context, q GradeRequest) (scored, error) {
	grades, err := t.nodes.grader.builtIn.Grade(ctx, q)
	if err != nil {
		return scored{}, fmt.Errorf("grade the evidence: %w", err)
	}
	return scored{Grades: grades, source: sourceLexical}, nil
}

// judge drops what is below the threshold and turns the average of the rest into the action.
func (t *turn) judge(ctx context.Context, s scored) (state.Grading, error) {
	cfg := t.state.Settings
	verdict := rules.Judge(s.Scores, cfg)
	grading := state.Grading{Source: s.source, Action: verdict.Action, Failed: s.failed}
	for i, item := range t.state.Context {
		grade := state.Grade{ID: item.ID, Score: s.Scores[i]}
		if !rules.AtLeast(grade.Score, cfg.EvidenceMinScore) {
			grade.Reason = fmt.Sprintf("score %.2f is below %.2f", grade.Score, cfg.EvidenceMinScore)
			err := t.audit(ctx, AuditEvidenceRemoved, details{
				"id": item.ID, "path": item.Path, "start_line": item.StartLine, "end_line": item.EndLine, "score": grade.Score,
				"threshold": cfg.EvidenceMinScore,
			})
			if err != nil {
				return state.Grading{}, err
			}
		}
		grading.Items = append(grading.Items, grade)
	}
	var ungraded []string
	for _, i := range s.Ungraded {
		ungraded = append(ungraded, t.state.Context[i].ID)
	}
	t.explain(&grading, verdict.Average, reasonOf(verdict, len(s.Scores), cfg))
	grading.Evaluation.CacheHit = s.hit
	shadow, err := t.shadow(ctx, s.source)
	if err != nil {
		return state.Grading{}, err
	}
	return grading, t.auditGrading(ctx, grading, verdict.Average, ungraded, shadow)
}

// move fires the event that follows from the action, and says why when it ends the loop against the action.
func (t *turn) move(ctx context.Context, action state.Action) error {
	s := t.state
	s.Usage = s.Usage.Plus(t.meter.usage())
	if s.Correcting() { // a correction has one round, whatever it found
		if action == state.ActionGenerate {
			return t.fire(ctx, rules.EventSufficient)
		}
		return t.fire(ctx, rules.EventCapped)
	}
	event, stop := rules.AfterGrading(s, action, t.meter.running())
	if stop != "" && t.stopReason() != state.StopBudget {
		t.update.StopReason = &stop
	}
	var err error
	switch stop {
	case state.StopMaxIterations:
		t.warn("the evidence was not found sufficient after %d rounds (the limit)", s.Iteration)
		err = t.audit(ctx, AuditCapReached, details{"iteration": s.Iteration, "action": action})
	case state.StopNoProgress:
		t.warn("another round would have found the same evidence again")
		err = t.audit(ctx, AuditNoProgress, details{"iteration": s.Iteration, "action": action})
	case state.StopBudget:
		used := rules.OverBudget(s, t.meter.running())
		t.warn("the budget of the run is used up (%s); this is the best answer so far", used)
		err = t.audit(ctx, AuditBudget, details{"used": used, "action": action})
	}
	if err != nil {
		return err
	}
	return t.fire(ctx, event)
}
