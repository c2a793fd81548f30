package nodes

import (
	"context"
	"slices"
	"time"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/tools"
	"github.com/kbagent/kbagent/verify"
)

// The names of the nodes. They are stored with every run: a rename is a change of the format.
const (
	NameAnalyzeAndRoute = "analyze_and_route"
	NamePlan            = "plan"
	NameToolCall        = "tool_call"
	NameGradeEvidence   = "grade_evidence"
	NameRefineContext   = "refine_context"
	NameRerank          = "rerank"
	NameSynthesize      = "synthesize"
	NameVerifyAnswer    = "verify_answer"
	NameDecide          = "decide"
	NameHumanReview     = "human_review"
)

// The roles that a model plays.
const (
	RoleRouter      = "router"
	RolePlanner     = "planner"
	RoleGrader      = "grader"
	RoleSynthesizer = "synthesizer"
	RoleVerifier    = "verifier"
	RoleExpander    = "expander"
	RoleReranker    = "reranker"
)

// Config is what the nodes work with.
type Config struct {
	Tools   tools.Set
	Library Library // the knowledge base, as far as routing and grading look into it
	Audit   Audit   // required; see [Discard]

	// Model plays all roles, or those that ModelRoles names, when it is set. Without it, and when it fails, the
	// built-in roles do the work.
	Model      *Model
	FastModel  *Model   // plays router, grader, verifier, expander and reranker instead of Model; default Model
	ModelRoles []string // RoleRouter, …; default all

	// Reranker orders evidence anew where an answer is corrected that way, instead of the model; one that fails is replaced
	// by words, with a warning. Default: the model, without one words.
	Reranker Reranker

	Prompts Prompts // what the models are asked with; the zero value is the built-in ones

	Rules []rules.Rule     // the pre-filter rules; default rules.Default()
	Now   func() time.Time // default time.Now

	Reviews     Reviews         // where doubtful answers go; needed when Settings.ReviewMode is not off
	Synonyms    *rules.Synonyms // default rules.DefaultSynonyms()
	Cache       Cache           // keeps grades; default none
	WebCooldown time.Duration   // between two runs that search the web; default 30 s, negative = none

	// Measure measures the dimensions of an answer's confidence; default [Measure].
	Measure func(context.Context, state.AgentState, state.Attempt) state.Components
	// Weights are those of the dimensions for a category; default verify.DefaultWeights for all.
	Weights func(category string) verify.Weights

	ToolTimeout     time.Duration // for each call of a tool; default 20 s
	ToolParallelism int           // calls of a round that run at once; default 4
}

// Library is the part of the knowledge base that routing and grading need.
type Library interface {
	// NamedFiles is the files of the knowledge base that the text names, by path or by file name.
	NamedFiles(ctx context.Context, text string) ([]string, error)
	// HasVectors says whether vector search can work.
	HasVectors() bool
	// DocFreq is in how many passages each term occurs, and how many passages there are.
	DocFreq(ctx context.Context, terms []string) (map[string]int, int, error)
}

// Nodes is the agent's nodes. It is immutable and safe for concurrent use.
type Nodes struct {
	cfg       Config
	router    roles[Router]
	planner   roles[Planner]
	grader    roles[Grader]
	synthesis roles[Synthesizer]
	verifier  roles[Verifier]
	expander  *Expander // nil without a model
	reranker  roles[Reranker]
	web       *webTurn
}

// roles is the two implementations of a role: by model (nil without one) and built in.
type roles[R any] struct {
	model   *R
	builtIn R
}

// New makes the nodes.
func New(cfg Config) *Nodes {
	if cfg.Rules == nil {
		cfg.Rules = rules.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Synonyms == nil {
		cfg.Synonyms = new(rules.DefaultSynonyms())
	}
	if cfg.Measure == nil {
		cfg.Measure = Measure
	}
	if cfg.Weights == nil {
		cfg.Weights = func(string) verify.Weights { return verify.DefaultWeights() }
	}
	if cfg.ToolTimeout == 0 {
		cfg.ToolTimeout = 20 * time.Second
	}
	if cfg.ToolParallelism == 0 {
		cfg.ToolParallelism = 4
	}
	lexical := lexicalGrader{lib: cfg.Library}
	n := &Nodes{cfg: cfg}
	n.router.builtIn = heuristicRouter{}
	n.planner.builtIn = heuristicPlanner{}
	n.grader.builtIn = lexical
	n.synthesis.builtIn = extractiveSynthesizer{lib: cfg.Library}
	n.verifier.builtIn = lexicalVerifier{lib: cfg.Library}
	n.web = &webTurn{cooldown: tools.NewCooldown(cfg.WebCooldown)}
	n.reranker.builtIn = lexicalReranker{lib: cfg.Library}
	n.giveRoles()
	if cfg.Reranker != nil {
		n.reranker.model = &cfg.Reranker
	}
	return n
}

// giveRoles gives the model the roles that it plays.
func (n *Nodes) giveRoles() {
	strong, fast := n.cfg.Model, n.cfg.FastModel
	if strong == nil {
		return
	}
	if fast == nil {
		fast = strong
	}
	strong, fast = strong.with(n.cfg.Prompts), fast.with(n.cfg.Prompts)
	plays := func(role string) bool { return n.cfg.ModelRoles == nil || slices.Contains(n.cfg.ModelRoles, role) }
	if plays(RoleRouter) {
		n.router.model = new(Router(modelRouter{fast}))
	}
	if plays(RolePlanner) {
		n.planner.model = new(Planner(modelPlanner{strong}))
	}
	if plays(RoleGrader) {
		n.grader.model = new(Grader(modelGrader{fast}))
	}
	if plays(RoleSynthesizer) {
		n.synthesis.model = new(Synthesizer(modelSynthesizer{strong}))
	}
	if plays(RoleVerifier) {
		n.verifier.model = new(Verifier(modelVerifier{fast}))
	}
	if plays(RoleExpander) {
		n.expander = new(Expander(modelExpander{fast}))
	}
	if plays(RoleReranker) {
		n.reranker.model = new(Reranker(modelReranker{fast}))
	}
}

// body is what a node does; it reads t.state and fills t.update.
type body func(ctx context.Context, t *turn) error

// run is one node: it gives the body a turn, and returns the update that the body filled.
func (n *Nodes) run(name string, b body) graph.NodeFunc[state.AgentState, state.Update] {
	return func(ctx context.Context, s state.AgentState) (state.Update, error) {
		ctx, meter := withMeter(tools.WithScope(ctx, s.Settings.Scope), name, s, n.cfg.Now)
		t := &turn{nodes: n, name: name, state: s, meter: meter}
		meter.audit = t.audit
		if err := b(ctx, t); err != nil {
			return state.Update{}, err
		}
		t.update.Node = name
		t.update.Usage = meter.usage()
		t.update.Elapsed = meter.running()
		return t.update, nil
	}
}
