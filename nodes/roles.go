package nodes

import (
	"context"
	"errors"
	"strings"

	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// Router understands a question: what kind of turn it is and what it asks in full.
type Router interface {
	Route(ctx context.Context, q RouteRequest) (RouteDecision, error)
}

// RouteRequest is what a router sees.
type RouteRequest struct {
	Question string
	Topic    string          // the last question that stood alone, "" at the begin of a conversation
	Messages []state.Message // the conversation so far, oldest first
}

// RouteDecision is what a router says.
type RouteDecision struct {
	Route      state.Route
	Confidence float64        // 0–1
	Category   string         // definition, how_to, comparison, why, list, yes_no, troubleshooting, other
	Query      string         // the question with the conversation folded in; never empty
	Topic      string         // what the next follow-up follows
	Strategy   state.Strategy // preferred; "" leaves the choice to the order of strategies
	SubQueries []string       // parts of a question that asks for several things
	Keywords   []string       // words that the evidence should hold
}

// Planner decides which tools to call next.
type Planner interface {
	Plan(ctx context.Context, q PlanRequest) ([]state.ToolCall, error)
}

// PlanRequest is what a planner sees.
type PlanRequest struct {
	Query      string
	Strategy   state.Strategy
	Keywords   []string
	SubQueries []string
	NamedFiles []string     // files of the knowledge base that the question names
	Tools      []tools.Tool // the tools that the route allows
	Refine     bool         // evidence is kept; more is wanted
	Missing    []string     // words of the question that the kept evidence does not hold
	Found      []string     // "path › section" of the kept evidence, best first
	Tried      []state.ToolRecord
	Notes      []string // hints of earlier calls, e.g. the files that list_files named
	Synonyms   rules.Synonyms
	Expansion  Expansion // by a model, of the strategy expanded; the zero value without one
}

// Grader scores evidence.
type Grader interface {
	Grade(ctx context.Context, q GradeRequest) (Grades, error)
}

// GradeRequest is what a grader sees.
type GradeRequest struct {
	Query string
	Items []state.Evidence
}

// Grades is one score for each item, in the items' order.
type Grades struct {
	Scores   []float64 // 0–1
	Ungraded []int     // indexes of items without a readable score; theirs is 0.5
}

// UnreadableError reports a grader's reply that could not be read, also after its repair. Raw is the start of it.
type UnreadableError struct {
	Reason string
	Raw    string
}

func (e *UnreadableError) Error() string { return "the grades could not be read: " + e.Reason }

// Synthesizer writes the answer.
type Synthesizer interface {
	Synthesize(ctx context.Context, q SynthesisRequest) (Synthesis, error)
}

// SynthesisRequest is what a synthesizer sees.
type SynthesisRequest struct {
	Route       state.Route
	Question    string
	Query       string
	Category    string
	Messages    []state.Message
	Items       []state.Evidence // numbered from 1 in this order
	Mode        state.AnswerMode
	Sufficient  bool     // the evidence was found sufficient
	LowEvidence bool     // the items are ones that grading had removed
	Missing     []string // words of the question that the items do not hold
	Abstention  string
	Emit        func(token string) // receives the answer as it grows; may be nil
}

// Synthesis is an answer with markers [n] that cite the items, or an abstention.
type Synthesis struct {
	Text      string
	Abstained bool
	Notes     []string // warnings for the person who asked
	// Quoted is the citations of a text that was put together from quotations. Then brackets in the text are the
	// documents' own but for the markers behind each quotation, and nothing in it is checked or removed.
	Quoted []state.Citation
	Plain  string // a quoted text without its markers
}

// errBudget reports a model call that the budget of the run does not allow any more.
var errBudget = errors.New("the budget of the run is used up")

// play asks the model's role first, and the built-in one when there is no model or it fails. A failure becomes a warning,
// and a used-up budget the reason why the run stops. A cancelled context is never played over.
func play[R, A any](ctx context.Context, t *turn, name string, r roles[R], ask func(R) (A, error)) (answer A, by player, err error) {
	if r.model == nil {
		answer, err = ask(r.builtIn)
		return answer, by, err
	}
	answer, err = ask(*r.model)
	if err == nil {
		return answer, player{model: true}, nil
	}
	if ctx.Err() != nil {
		return answer, by, context.Cause(ctx)
	}
	by.reason = oneLine(err)
	if err := t.modelFailed(ctx, name, err); err != nil {
		return answer, by, err
	}
	answer, err = ask(r.builtIn)
	return answer, by, err
}

// player says who played a role.
type player struct {
	model  bool
	reason string // why the model did not, when there is one
}

// into adds who played to the details of an audit line.
func (p player) into(d details, builtIn string) details {
	d["source"] = builtIn
	if p.model {
		d["source"] = sourceLLM
	}
	if p.reason != "" {
		d["model_failed"] = p.reason
	}
	return d
}

// modelFailed tells the person who asked that a model did not play its role.
func (t *turn) modelFailed(ctx context.Context, role string, reason error) error {
	if errors.Is(reason, errBudget) {
		t.warn("%v; the built-in %s did the work", reason, role)
		t.update.StopReason = new(state.StopBudget)
		return t.audit(ctx, AuditBudget, details{"used": oneLine(reason), "role": role})
	}
	t.warn("the model failed as %s (%s); the built-in one did the work", role, oneLine(reason))
	return nil
}

// oneLine is an error for people: on one line, and not endless.
func oneLine(err error) string { return clip(strings.Join(strings.Fields(err.Error()), " "), 300) }
