package repl

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// scripted is an agent that plays a script for each question, by its first word.
type scripted struct {
	mu     sync.Mutex
	asked  []agent.Question
	again  []int // which of them in place of another one
	states map[string]state.AgentState
	broken error // of State
}

func newScripted() *scripted { return &scripted{states: make(map[string]state.AgentState)} }

// Thread is one of an agent that was never asked.
func (a *scripted) Thread(id string) *agent.Thread {
	fresh, err := agent.New(agent.Config{Nodes: nodes.Config{Library: noLibrary{}, Audit: nodes.Discard{}}})
	if err != nil {
		panic(err)
	}
	return fresh.Thread(id)
}

// Resume waits for an answer, once with two questions, and tells which it got.
func (a *scripted) Resume(_ context.Context, thread string, answers ...graph.Option) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		one := graph.Interrupt{ID: "1.1/a/b", Kind: graph.Question, Prompt: []byte("\"Publish\\u001b it?\"")}
		switch {
		case thread == "two":
			yield(agent.Event{Questions: []graph.Interrupt{one, {Kind: graph.Before, Node: "send"}}}, nil)
		case len(answers) == 0:
			yield(agent.Event{Questions: []graph.Interrupt{one}}, nil)
		default:
			a.play(agent.Question{Text: "how?", Thread: thread}, func(e agent.Event) { yield(e, nil) })
		}
	}
}

func (a *scripted) questions() []agent.Question {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]agent.Question(nil), a.asked...)
}

func (a *scripted) State(_ context.Context, thread string) (state.AgentState, bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, ok := a.states[thread]
	return s, ok, a.broken
}

func (a *scripted) keep(thread string, s state.AgentState) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.states[thread] = s
}

var errProvider = errors.New("the model at http://127.0.0.1:1 does not answer")

func (a *scripted) Ask(ctx context.Context, q agent.Question) iter.Seq2[agent.Event, error] {
	a.mu.Lock()
	a.asked = append(a.asked, q)
	a.mu.Unlock()
	return func(yield func(agent.Event, error) bool) {
		word, _, _ := strings.Cut(q.Text, " ")
		emit := func(e agent.Event) { yield(e, nil) }
		switch word {
		case "fail":
			yield(agent.Event{}, errProvider)
		case "fenced":
			yield(agent.Event{}, graph.ErrFenced)
		case "silent":
		case "hang":
			emit(agent.Event{Node: nodes.NameToolCall})
			a.keep(q.Thread, state.AgentState{Question: q.Text, Phase: state.PhaseRetrieve})
			<-ctx.Done()
			yield(agent.Event{}, context.Cause(ctx))
		case "halfway": // in the second block of the answer
			emit(agent.Event{Node: nodes.NameSynthesize})
			emit(agent.Event{Token: "# Keys\n\n**Rot"})
			<-ctx.Done()
			yield(agent.Event{}, context.Cause(ctx))
		case "stall": // in the middle of the answer
			emit(agent.Event{Node: nodes.NameSynthesize})
			emit(agent.Event{Token: "The beginning"})
			<-ctx.Done()
			yield(agent.Event{}, context.Cause(ctx))
		default:
			a.play(q, emit)
		}
	}
}

// Again answers a question like Ask; "" is the last one.
func (a *scripted) Again(ctx context.Context, q agent.Question) iter.Seq2[agent.Event, error] {
	s, ok, _ := a.State(ctx, q.Thread)
	if !ok {
		return func(yield func(agent.Event, error) bool) { yield(agent.Event{}, agent.ErrNothingAsked) }
	}
	if q.Text == "" {
		q.Text = s.Question
	}
	a.mu.Lock()
	a.again = append(a.again, len(a.asked))
	a.mu.Unlock()
	return a.Ask(ctx, q)
}

// play answers a question.
func (a *scripted) play(q agent.Question, emit func(agent.Event)) {
	s := answeredState(q.Text)
	for _, node := range s.Path {
		if node == nodes.NameGradeEvidence {
			a.keep(q.Thread, s)
		}
		emit(agent.Event{Node: node})
	}
	answer := agent.Answer{Answer: s.Answer, Status: s.Status, Thread: q.Thread, State: s}
	word, _, _ := strings.Cut(q.Text, " ")
	switch word {
	case "restart":
		emit(agent.Event{Token: "VOID one\nVOID two"})
		emit(agent.Event{Restart: true})
	case "corrected":
		emit(agent.Event{Token: "REMOVED by the check"})
		answer.Answer, answer.Citations = state.DefaultAbstention, nil
		s.Answer, s.Citations, s.Status = answer.Answer, nil, state.StatusAbstained
	case "evil":
		answer.Answer = "a\x1b[2Jb\rc\u202ed"
		answer.Warnings = []string{"w\x1b]0;x\aw"}
	case "markdown":
		answer.Answer = "# Keys\n\n**Rotate** it [1]."
		s.Answer = answer.Answer
	case "long":
		answer.Answer = "A line of many words that is wider than the window in which it is shown to *somebody*."
		s.Answer = answer.Answer
	case "warned":
		answer.Warnings = []string{nodes.NoModel}
	}
	if word != "evil" && word != "corrected" {
		for _, token := range strings.SplitAfter(answer.Answer, " ") {
			emit(agent.Event{Token: token})
		}
	}
	for _, c := range s.Citations {
		answer.Citations = append(answer.Citations, agent.Citation{N: c.N, Path: c.Path, StartLine: c.StartLine, EndLine: c.EndLine, Quote: c.Quote})
	}
	a.keep(q.Thread, s)
	emit(agent.Event{Answer: &answer})
}

// answeredState is the end of a run that cited two sources.
func answeredState(question string) state.AgentState {
	keys := state.Evidence{
		ID: "k", Tool: "keyword_search", Path: "guide/keys.md", Section: "Keys > Rotation", StartLine: 40, EndLine: 44, Grade: new(0.9),
		Content: "## Rotation\n\nRun `rotate`\nonce a month.\nCard 4111 1111 1111 1111.\n",
	}
	faq := state.Evidence{ID: "f", Path: "faq.md", StartLine: 7, EndLine: 7, Grade: new(0.8), Content: "Keys expire."}
	moves, err := rules.Fire(state.PhaseRoute, rules.EventSearch, rules.EventRetrieved, rules.EventSufficient, rules.EventAnswered, rules.EventDeliver)
	if err != nil {
		panic(err)
	}
	return state.AgentState{
		Question: question, ResolvedQuery: question, Route: state.RouteSearch, RouteConfidence: 0.8, Settings: state.DefaultSettings(),
		AttemptedStrategies: []state.Strategy{state.StrategyKeyword}, Iteration: 1, Phase: state.PhaseDone, Transitions: moves,
		Path:        []string{nodes.NameAnalyzeAndRoute, nodes.NamePlan, nodes.NameToolCall, nodes.NameGradeEvidence, nodes.NameSynthesize},
		Context:     []state.Evidence{keys, faq},
		GradeSource: "rule:few_context", EvidenceScores: []float64{1, 1}, GraderAction: state.ActionGenerate, StopReason: state.StopSufficient,
		Answer: "Rotate it [1] before it expires [2].", Status: state.StatusAnswered,
		Citations: []state.Citation{
			{N: 1, Path: "guide/keys.md", StartLine: 42, EndLine: 43, Quote: "Run `rotate`\nonce a month.", ItemID: "k"},
			{N: 2, Path: "faq.md", StartLine: 7, EndLine: 7, Quote: "Keys expire.", ItemID: "f"},
		},
	}
}

// Topology is a part of the agent's graph, with two outcomes that lead to the answer.
func (a *scripted) Topology() graph.Topology {
	return graph.Topology{
		Name:  "kb-agent",
		Nodes: []string{nodes.NameAnalyzeAndRoute, nodes.NamePlan, nodes.NameToolCall, nodes.NameGradeEvidence, nodes.NameSynthesize},
		Edges: []graph.Edge{
			{From: "START", To: nodes.NameAnalyzeAndRoute},
			{From: nodes.NameAnalyzeAndRoute, To: nodes.NamePlan, Label: "search"},
			{From: nodes.NameAnalyzeAndRoute, To: nodes.NameSynthesize, Label: "chitchat"},
			{From: nodes.NameAnalyzeAndRoute, To: nodes.NameSynthesize, Label: "exhausted"},
			{From: nodes.NamePlan, To: nodes.NameToolCall},
			{From: nodes.NameToolCall, To: nodes.NameGradeEvidence},
			{From: nodes.NameGradeEvidence, To: nodes.NameSynthesize, Label: "GENERATE"},
			{From: nodes.NameGradeEvidence, To: nodes.NamePlan, Label: "REFINE"},
			{From: nodes.NameGradeEvidence, To: nodes.NameSynthesize, Label: "capped"},
			{From: nodes.NameSynthesize, To: "END"},
		},
	}
}
