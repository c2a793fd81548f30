package scenarios

import (
	"time"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/scenario/explore"
	"github.com/kbagent/kbagent/state"
)

// Exploration says what of the agent is explored.
type Exploration struct {
	Modes   map[string]state.Settings // of runs, by names: at least one; a question may come with its own settings
	Faults  bool                      // models, tools and the review queue also fail
	Members bool                      // every outcome of a class is taken, not only the first one
	// Alter plants a fault in the agent, for tests. Nil for none.
	Alter func(*agent.Config)
}

// CoreModes is the loop for evidence and the answer, no stage around them.
func CoreModes(iterations int) map[string]state.Settings {
	s := state.DefaultSettings()
	s.MaxIterations = iterations
	return map[string]state.Settings{"core": s}
}

// AllModes has every stage on: once with strips, a web search beside doubtful evidence, and a person who is waited for; and
// once without these three, since each of them stands in the way of an edge: with strips no run goes from grading to the
// answer, with a person no doubtful answer is delivered, and a round with a web search always makes progress.
func AllModes(iterations int) map[string]state.Settings {
	plain := state.DefaultSettings()
	plain.MaxIterations, plain.Verify, plain.ScoreConfidence = iterations, true, true
	plain.WebSearch = state.WebIncorrect
	all := plain
	all.RefineContext, all.WebSearch, all.ReviewMode = true, state.WebAmbiguous, state.ReviewBlocking
	return map[string]state.Settings{"all on": all, "without strips and people": plain}
}

// The question that every explored run answers. It has two parts and words with synonyms, so that all strategies make sense.
const explored = "How do I delete a directory and what does rm remove?"

// Explored is the agent as a subject of explorations: its real graph and nodes, with stand-ins for models, tools and people.
func Explored(x Exploration) (explore.Subject[state.AgentState, state.Update], error) {
	a, w, err := x.build(state.DefaultSettings()) // those of the runs come with the questions
	if err != nil {
		return explore.Subject[state.AgentState, state.Update]{}, err
	}
	inputs := map[string]state.Update{}
	for name, settings := range x.Modes {
		inputs[name] = state.Update{Begin: &state.Begin{Run: "run", Question: explored, Settings: settings, At: time.Unix(0, 0).UTC()}}
	}
	return explore.Subject[state.AgentState, state.Update]{
		App: a.Graph(), Inputs: inputs,
		Canonical: canonical,
		Answers: func(graph.Interrupt) map[string]any {
			all := map[string]any{}
			for _, name := range x.options(personPoint) {
				all[name] = decisions[name]
			}
			return all
		},
		Moves: moves(), Moved: moved, Invariants: w.invariants(),
	}, nil
}

// build is the agent with its surroundings.
func (x Exploration) build(settings state.Settings) (*agent.Agent, *cosmos, error) {
	options := map[string][]string{}
	for _, p := range Alphabet() {
		options[p.Point] = x.options(p.Point)
	}
	w := &cosmos{options: func(point string) []string { return options[point] }, audit: map[string][]nodes.Line{}}
	cfg := agent.Config{
		Settings: settings, NewID: func() string { return "id" },
		Nodes: nodes.Config{
			Tools: w.tools(), Library: cosmosLibrary{}, Audit: w, Now: func() time.Time { return time.Unix(0, 0).UTC() }, ToolParallelism: 1,
			Model:      &nodes.Model{LLM: standIn{w}, Fence: func() string { return "FENCE" }},
			ModelRoles: []string{nodes.RoleRouter, nodes.RolePlanner, nodes.RoleGrader, nodes.RoleSynthesizer, nodes.RoleVerifier, nodes.RoleReranker},
			Reviews:    w, WebCooldown: -1, Measure: w.measured,
		},
	}
	if x.Alter != nil {
		x.Alter(&cfg)
	}
	a, err := agent.New(cfg)
	return a, w, err
}

// moved are the rows of the machine that a step took.
func moved(from, to state.AgentState) []string {
	var list []string
	for _, t := range to.Transitions[min(len(from.Transitions), len(to.Transitions)):] {
		list = append(list, moveName(t))
	}
	return list
}
