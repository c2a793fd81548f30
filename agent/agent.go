package agent

import (
	"errors"
	"fmt"
	"time"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// Agent answers questions over a knowledge base. It is immutable and safe for concurrent use; two questions on one
// thread at once are refused by the store's fence.
type Agent struct {
	cfg Config
	app *graph.App[state.AgentState, state.Update]
}

// Config is what an agent works with.
type Config struct {
	Nodes    nodes.Config   // Tools, Library and Audit are required
	Store    graph.Store    // where threads are kept; default a memory store of this agent
	Settings state.Settings // thresholds and switches of new runs; the zero value means state.DefaultSettings
	Observer graph.Observer // sees runs, steps and nodes; default nobody
	NewID    func() string  // ids of runs and of threads that nobody named; default random

	planted planted // nothing outside of tests
}

// maxSteps is above what the longest run needs: 10 rounds of four nodes, and 7 answers of seven nodes each.
const maxSteps = 100

// New builds the agent. This is the whole graph:
func New(cfg Config) (*Agent, error) {
	if cfg.Nodes.Audit == nil || cfg.Nodes.Library == nil {
		return nil, errors.New("agent: Nodes.Audit and Nodes.Library are required")
	}
	cfg = cfg.withDefaults()
	n := nodes.New(cfg.Nodes)
	g := graph.New[state.AgentState]("kb-agent")
	node := func(name string, body graph.NodeFunc[state.AgentState, state.Update]) graph.Node {
		return g.Node(name, cfg.planted.body(name, body))
	}

	analyze := node(nodes.NameAnalyzeAndRoute, n.AnalyzeAndRoute())
	plan := node(nodes.NamePlan, n.Plan())
	toolCall := node(nodes.NameToolCall, n.ToolCall())
	grade := node(nodes.NameGradeEvidence, n.GradeEvidence())
	refine := node(nodes.NameRefineContext, n.RefineContext())
	synthesize := node(nodes.NameSynthesize, n.Synthesize())
	verify := node(nodes.NameVerifyAnswer, n.VerifyAnswer())
	decide := node(nodes.NameDecide, n.Decide())
	rerank := node(nodes.NameRerank, n.Rerank())
	review := node(nodes.NameHumanReview, n.HumanReview())

	g.Start(analyze)
	graph.Route(g, analyze, route(cfg.planted, analyze, lastEvent),
		graph.Case(rules.EventSearch, plan),
		graph.Case(rules.EventChitchat, synthesize),
		graph.Case(rules.EventExhausted, synthesize))
	g.Edge(plan, toolCall)
	g.Edge(toolCall, grade)
	graph.Route(g, grade, route(cfg.planted, grade, afterGrading),
		graph.Case(outcomeGenerate, synthesize),
		graph.Case(outcomeRefine, plan),
		graph.Case(outcomeReRetrieve, analyze),
		graph.Case(outcomeCapped, synthesize),
		graph.Case(outcomeNoProgress, synthesize),
		graph.Case(outcomeStrips, refine)) // KB_AGENT_REFINE_CONTEXT, instead of synthesize
	g.Edge(refine, synthesize)
	graph.Route(g, synthesize, route(cfg.planted, synthesize, lastEvent),
		graph.Case(rules.EventDeliver, graph.End),
		graph.Case(rules.EventAnswered, verify)) // KB_AGENT_VERIFY
	g.Edge(verify, decide)
	graph.Route(g, decide, route(cfg.planted, decide, lastEvent),
		graph.Case(rules.EventPass, graph.End),
		graph.Case(rules.EventDeliver, graph.End),
		graph.Case(rules.EventCorrect, plan),
		graph.Case(rules.EventRerank, rerank),
		graph.Case(rules.EventWeb, plan),
		graph.Case(rules.EventReview, review)) // KB_AGENT_REVIEW
	g.Edge(rerank, synthesize)
	g.Edge(review, graph.End)

	opts := []graph.Option{graph.MaxSteps(maxSteps)}
	if cfg.Observer != nil {
		opts = append(opts, graph.Observe(cfg.Observer))
	}
	app, err := g.Compile(opts...)
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return &Agent{cfg: cfg, app: app}, nil
}

// lastEvent routes by the last move of the corrective machine.
func lastEvent(s state.AgentState) rules.Event {
	if len(s.Transitions) == 0 {
		return ""
	}
	return rules.Event(s.Transitions[len(s.Transitions)-1].Event)
}

// outcome is where grade_evidence leads.
type outcome string

const (
	outcomeGenerate   = outcome(state.ActionGenerate)
	outcomeRefine     = outcome(state.ActionRefine)
	outcomeReRetrieve = outcome(state.ActionReRetrieve)
	outcomeCapped     = outcome(rules.EventCapped)     // a limit, whatever the action says
	outcomeNoProgress = outcome(rules.EventNoProgress) // likewise
	outcomeStrips     = outcome("strips")              // the loop has ended with evidence that is to be cut into strips
)

// afterGrading routes by the grader's action, unless the machine ended the loop against it.
func afterGrading(s state.AgentState) outcome {
	event := lastEvent(s)
	ended := event == rules.EventCapped || event == rules.EventNoProgress
	switch {
	case s.Settings.RefineContext && len(s.Context) > 0 && (ended || s.GraderAction == state.ActionGenerate):
		return outcomeStrips
	case ended:
		return outcome(event)
	default:
		return outcome(s.GraderAction)
	}
}

func (c Config) withDefaults() Config {
	if c.Store == nil {
		c.Store = graph.NewMemoryStore()
	}
	if c.Settings == (state.Settings{}) {
		c.Settings = state.DefaultSettings()
	}
	if c.Nodes.Now == nil {
		c.Nodes.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = randomID
	}
	return c
}

// Topology is the agent's graph as data, for drawings and coverage.
func (a *Agent) Topology() graph.Topology { return a.app.Topology() }

// Graph is the agent's graph itself, for programs that go over it, such as package explore. It is immutable.
func (a *Agent) Graph() *graph.App[state.AgentState, state.Update] { return a.app }

// NewThread is an id for a new conversation.
func (a *Agent) NewThread() string { return a.cfg.NewID() }
