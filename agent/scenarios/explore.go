package scenarios

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/scenario/explore"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
)

// Exploration says what of the agent is explored.
type Exploration struct {
	Settings state.Settings      // of the run
	Faults   bool                // models and tools also fail: down, malformed, cut
	Alter    func(*agent.Config) // plants a fault, for tests; may be nil
}

// FullSettings has every stage on, with a person who has to be waited for.
func FullSettings(iterations int) state.Settings {
	s := state.DefaultSettings()
	s.MaxIterations = iterations
	s.RefineContext, s.Verify, s.ScoreConfidence = true, true, true
	s.WebSearch, s.ReviewMode = state.WebAmbiguous, state.ReviewBlocking
	return s
}

// The question that every explored run answers. It has two parts and words with synonyms, so that all strategies make sense.
const explored = "How do I delete a directory and what does rm remove?"

// Explored is the agent as a subject of explorations: its real graph and nodes, with stand-ins for models, tools and people.
func Explored(x Exploration) (explore.Subject[state.AgentState, state.Update], error) {
	subject, _, err := x.subject()
	return subject, err
}

// subject is the agent with its surroundings.
func (x Exploration) subject() (explore.Subject[state.AgentState, state.Update], *cosmos, error) {
	w := &cosmos{faults: x.Faults, audit: map[string][]nodes.Line{}, chosen: map[string]string{}}
	store := graph.NewMemoryStore()
	model := &nodes.Model{LLM: standIn{w}, Fence: func() string { return "FENCE" }}
	cfg := agent.Config{
		Store: store, Settings: x.Settings, NewID: func() string { return "id" },
		Nodes: nodes.Config{
			Tools: w.tools(), Library: cosmosLibrary{}, Audit: w, Now: func() time.Time { return time.Unix(0, 0).UTC() }, ToolParallelism: 1,
			Model: model, ModelRoles: []string{nodes.RoleRouter, nodes.RolePlanner, nodes.RoleGrader, nodes.RoleSynthesizer, nodes.RoleVerifier},
			Reviews: cosmosReviews{}, WebCooldown: -1, Measure: measured,
		},
	}
	if x.Alter != nil {
		x.Alter(&cfg)
	}
	a, err := agent.New(cfg)
	if err != nil {
		return explore.Subject[state.AgentState, state.Update]{}, nil, err
	}
	return explore.Subject[state.AgentState, state.Update]{
		Thread:    a.Thread,
		Input:     state.Update{Begin: &state.Begin{Run: "run", Question: explored, Settings: x.Settings, At: time.Unix(0, 0).UTC()}},
		Canonical: canonical,
		Answers: func(graph.Interrupt) map[string]any {
			return map[string]any{
				"approves": nodes.ReviewDecision{Status: state.ReviewApproved, Reviewer: "ada"},
				"corrects": nodes.ReviewDecision{Status: state.ReviewCorrected, Answer: "It is gone.", Reviewer: "ada"},
				"rejects":  nodes.ReviewDecision{Status: state.ReviewRejected, Reviewer: "ada"},
			}
		},
		Topology: a.Topology(), Moves: moves(), Moved: moved, Invariants: w.invariants(x.Settings),
	}, w, nil
}

// moved are the rows of the machine that a step took.
func moved(from, to state.AgentState) []string {
	var list []string
	for _, t := range to.Transitions[min(len(from.Transitions), len(to.Transitions)):] {
		list = append(list, moveName(t))
	}
	return list
}

// canonical is what decides how a run goes on: no costs, durations, texts.
func canonical(s state.AgentState) any {
	type item struct {
		ID    string
		Grade float64
	}
	of := func(e state.Evidence) item { return item{e.ID, rounded(e.GradeOf())} } // all are found with the same score
	var kept, removed []item
	for _, e := range s.Context {
		kept = append(kept, of(e))
	}
	for _, q := range s.Quarantined {
		if !s.Correcting() && !slices.Contains(removed, of(q.Item)) { // after that nobody answers from what was removed
			removed = append(removed, of(q.Item))
		}
	}
	var calls, pending, rounds []string
	for _, r := range s.ToolHistory {
		if key := rules.CallKey(r.Name, r.Args); !slices.Contains(calls, key) {
			calls = append(calls, key)
		}
	}
	for _, c := range s.PendingToolCalls {
		pending = append(pending, rules.CallKey(c.Name, c.Args))
	}
	for n := 1; n <= s.Rounds && !s.Correcting(); n++ { // a round is compared with those before it in the evidence loop only
		var round []string
		for _, r := range s.Round(n) {
			round = append(round, rules.CallKey(r.Name, r.Args)+fmt.Sprint(r.ItemIDs))
		}
		slices.Sort(round)
		rounds = append(rounds, strings.Join(round, ";"))
	}
	slices.Sort(calls)
	form := map[string]any{
		"phase": s.Phase, "route": s.Route, "strategy": s.Strategy, "attempted": s.AttemptedStrategies, "pending": pending,
		"kept": kept, "removed": removed, "calls made": calls, "rounds": rounds, "round": len(s.Round(s.Rounds)), "action": s.GraderAction, "failures": min(s.GradeFailures, 3),
		"iteration": s.Iteration, "corrections": s.Corrections, "web": s.WebRounds, "stop": s.StopReason, "status": s.Status,
		"answered": s.Answer != "", "cites": len(s.Citations), "best": bestOf(s), "decision": s.Decision, "targets": s.Targets,
		"verified": s.Verification != nil,
	}
	if s.Verification != nil {
		form["verification"] = []any{s.Verification.Outcome, s.Verification.Checked, s.Verification.Supported, s.Verification.Partial}
	}
	if s.Review != nil {
		form["review"] = s.Review.Status
	}
	if s.Settings.MaxLLMCalls > 0 {
		form["calls"] = s.Usage.LLMCalls
	}
	return form
}

// bestOf is what of the earlier answers still matters: how good the best one is, and what it would be called.
func bestOf(s state.AgentState) any {
	if len(s.Attempts) == 0 {
		return nil
	}
	a := slices.MaxFunc(s.Attempts, func(a, b state.Attempt) int { return compareAttempts(a, b, s.Settings) })
	return []any{standing(a, s.Settings), rounded(scoreOf(a)), rounded(a.Verification.Confidence), a.Kind, a.Status, len(a.Citations)}
}

// standing is the class of an answer: an abstention, one that could not be verified, one whose claims do not hold, one
// whose claims do.
func standing(a state.Attempt, cfg state.Settings) int {
	switch {
	case a.Status == state.StatusAbstained:
		return 0
	case a.Verification.Outcome != state.OutcomeVerified:
		return 1
	case !rules.AtLeast(a.Verification.Confidence, cfg.VerifyMin):
		return 2
	default:
		return 3
	}
}

func scoreOf(a state.Attempt) float64 {
	if a.Confidence != nil {
		return a.Confidence.Total
	}
	return a.Verification.Confidence
}

func compareAttempts(a, b state.Attempt, cfg state.Settings) int {
	return cmp.Or(cmp.Compare(standing(a, cfg), standing(b, cfg)), cmp.Compare(scoreOf(a), scoreOf(b)))
}

func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }

// cosmos is everything outside the agent.
type cosmos struct {
	faults bool

	mu     sync.Mutex
	audit  map[string][]nodes.Line // by thread
	chosen map[string]string       // see once

	keep    bool         // replies and results, for a scenario
	replies []ModelReply // in the order in which they were given
	results []ToolResult
}

// said keeps a reply of the model, for a scenario.
func (w *cosmos) said(r ModelReply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.keep {
		w.replies = append(w.replies, r)
	}
}

// Record implements nodes.Audit.
func (w *cosmos) Record(l nodes.Line) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.audit[l.Thread] = append(w.audit[l.Thread], l)
	return nil
}

// heard is the audit of a thread, once.
func (w *cosmos) heard(thread string) []nodes.Line {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := w.audit[thread]
	delete(w.audit, thread)
	return lines
}

// options are those of a point, with the faults when there are any.
func (w *cosmos) options(good []string, faults ...string) []string {
	if !w.faults {
		return good
	}
	return append(slices.Clip(good), faults...)
}

type cosmosLibrary struct{}

func (cosmosLibrary) NamedFiles(context.Context, string) ([]string, error) { return nil, nil }
func (cosmosLibrary) HasVectors() bool                                     { return false }
func (cosmosLibrary) DocFreq(context.Context, []string) (map[string]int, int, error) {
	return nil, 0, nil
}

type cosmosReviews struct{}

// Submit implements nodes.Reviews.
func (cosmosReviews) Submit(_ context.Context, q nodes.ReviewRequest) (state.Review, error) {
	return state.Review{ID: "review", Mode: q.Mode, Status: state.ReviewPending}, nil
}

// scorePoint is where the environment chooses how an answer scores.
const scorePoint = "score"

// measured is the score of an answer as the environment chooses it: every dimension has it, but for the grounding that was
// found.
func measured(ctx context.Context, s state.AgentState, a state.Attempt) state.Components {
	value := map[string]float64{"high": 0.95, "medium": 0.7, "low": 0.5, "very low": 0.1}[explore.Choose(ctx, scorePoint, "high", "medium", "low", "very low")]
	c := nodes.Measure(ctx, s, a)
	c.Relevance, c.Consistency, c.Completeness, c.Classification = &value, &value, &value, &value
	if c.Grounding != nil && *c.Grounding == 1 {
		c.Grounding = &value
	}
	return c
}

var errDown = errors.New("the provider is down")

// texts of the passages that tools find, by id.
var passageTexts = map[string]string{
	"a": "To delete a directory use rm with the option r.", "b": "What rm removes is gone.", "c": "A directory holds files.", "w": "On the web rm deletes a directory.",
}

// tools are the real tools with stand-ins for what they work on.
func (w *cosmos) tools() tools.Set {
	list := append(tools.Local(nil), tools.WebSearch(nil))
	for i, t := range list {
		list[i] = t.With(func(ctx context.Context, _ json.RawMessage) (tools.Result, error) {
			options := map[string][]string{
				"keyword_search": {"three passages", "one passage", "nothing"}, "hybrid_search": {"three passages", "nothing"},
				"grep": {"nothing"}, "web_search": {"a page", "nothing"},
			}[t.Name]
			if options == nil {
				options = []string{"nothing"}
			}
			return w.found(t, w.once(ctx, t.Name, w.options(options, "fails")))
		})
	}
	return tools.NewSet(list...)
}

// once chooses for all calls of a tool in one round: that each of several searches has an outcome of its own adds nothing
// that the agent could decide by.
func (w *cosmos) once(ctx context.Context, point string, options []string) string {
	info, _ := graph.InfoFrom(ctx)
	key := info.Key + " " + point
	w.mu.Lock()
	option, ok := w.chosen[key]
	w.mu.Unlock()
	if ok {
		return option
	}
	option = explore.Choose(ctx, point, options...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chosen[key] = option
	return option
}

func (w *cosmos) found(t tools.Tool, option string) (tools.Result, error) {
	ids := map[string][]string{"three passages": {"a", "b", "c"}, "one passage": {"a"}, "a page": {"w"}}[option]
	if option == "fails" {
		err := &tools.Error{Code: tools.CodeFailed, Message: "it failed"}
		w.gave(ToolResult{Tool: t.Name, Error: err.Error()})
		return tools.Result{}, err
	}
	var r tools.Result
	given := ToolResult{Tool: t.Name}
	for _, id := range ids {
		text := passageTexts[id]
		r.Items = append(r.Items, state.Evidence{
			ID: id, Tool: t.Name, Path: id + ".md", StartLine: 1, EndLine: 1, EndByte: len(text), Content: text, RetrievalScore: 0.5, ScoreKind: t.ScoreKind,
		})
	}
	for _, id := range ids {
		given.Items = append(given.Items, Item{ID: id, Path: id + ".md", Content: passageTexts[id], Score: 0.5})
	}
	if len(ids) == 0 {
		r.Note = "nothing was found"
	}
	given.Note = r.Note
	w.gave(given)
	return r, nil
}

// gave keeps a result of a tool, for a scenario.
func (w *cosmos) gave(r ToolResult) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.keep {
		w.results = append(w.results, r)
	}
}
