package scenarios

import (
	"slices"

	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/scenario/explore"
)

// A Class is outcomes of the environment that have the same consequences for the agent. An exploration takes the first one
// for all.
type Class struct {
	Name  string   `json:"name"`           // the outcome that is taken
	Same  []string `json:"same,omitempty"` // the others
	Fault bool     `json:"fault,omitzero"` // only taken with faults
	Means string   `json:"means"`          // what it is, and what follows
}

// Place is a point where the environment of the agent chooses, with all that it can do there.
type Place struct {
	Point   string  `json:"point"`
	Classes []Class `json:"classes"`
}

// The points besides the roles of the model and the tools.
const (
	scorePoint  = "score"
	queuePoint  = "review queue"
	personPoint = explore.Person
)

// Names of outcomes that have to be known in more than one place.
const (
	malformed = "malformed"
	empty     = "empty"
	down      = "down"
	timesOut  = "times out"
	cut       = "cut"
	nothing   = "nothing"
)

// Alphabet is everything that the environment of an explored run can do. Which outcomes are one class is an assertion about
// the agent, and a test explores the others in their places.
func Alphabet() []Place {
	broken := []string{empty, down, timesOut, cut}
	return []Place{
		{nodes.RoleRouter, []Class{
			{Name: "search", Means: "the question needs evidence"},
			{Name: "vague", Means: "the same, with nothing to search for but the question itself"},
			{Name: "chitchat", Means: "it needs none"},
			{Name: malformed, Same: broken, Fault: true, Means: "the built-in router decides"},
		}},
		{nodes.RolePlanner, []Class{
			{Name: "searches", Means: "a search that was not made before"},
			{Name: "searches deeper", Means: "the search that the built-in planner makes for missing evidence; once made, nothing new"},
			{Name: malformed, Same: append([]string{"repeats a search", "unknown tool"}, broken...), Fault: true, Means: "the built-in planner plans"},
		}},
		{nodes.RoleGrader, []Class{
			{Name: "all good", Same: []string{"mended"}, Means: "every passage has exactly what GENERATE needs"},
			{Name: "all middling", Means: "every passage is kept, and their average just misses GENERATE"},
			{Name: "all bad", Means: "every passage just misses being kept"},
			{Name: "one good", Means: "the first passage as in all good, the others as in all bad"},
			{Name: "one middling", Means: "the first passage is just kept, the others are not"},
			{Name: malformed, Same: []string{empty, "too few", "another scale"}, Fault: true, Means: "every passage gets 0.5; the third time the lexical grader takes over"},
			{Name: down, Same: []string{timesOut, cut}, Fault: true, Means: "the lexical grader grades"},
		}},
		{nodes.RoleSynthesizer, []Class{
			{Name: "cites", Means: "two claims, the first one cited"},
			{Name: "abstains", Means: "the evidence holds no answer"},
			{Name: "cites nothing", Fault: true, Means: "an answer without citations"},
			{Name: "claims nothing", Fault: true, Means: "an answer without a fact, which nobody can verify"},
			{Name: down, Same: []string{empty, timesOut, cut}, Fault: true, Means: "the built-in synthesizer quotes the evidence"},
		}},
		{nodes.RoleVerifier, []Class{
			{Name: "all hold", Means: "each claim is quoted from the evidence"},
			{Name: "one holds", Same: []string{"the others hold in part", "a quote that stands nowhere"}, Means: "all but the first claim lack support"},
			{Name: malformed, Same: append([]string{"a claim is left out"}, broken...), Fault: true, Means: "the answer cannot be verified"},
		}},
		{nodes.RoleReranker, []Class{
			{Name: "all good", Same: []string{"mended"}, Means: "everything that was found is evidence again"},
			{Name: "one good", Means: "the first passage is evidence, the others are not"},
			{Name: "all bad", Means: "nothing is good enough, and the evidence stays"},
			{Name: malformed, Same: append([]string{"too few", "another scale"}, broken...), Fault: true, Means: "the built-in re-ranker orders the passages"},
		}},
		{scorePoint, []Class{
			{Name: "high", Means: "each dimension is above its floor, and the total passes"},
			{Name: "medium", Means: "exactly what a person is asked from"},
			{Name: "low", Means: "exactly what a correction is tried from"},
			{Name: "very low", Means: "less than that"},
		}},
		{"keyword_search", []Class{
			{Name: "three passages", Means: "more than are approved without grading"},
			{Name: "one passage", Means: "so few that they are approved"},
			{Name: nothing, Same: []string{"fails", timesOut}, Means: "no evidence"},
		}},
		{"web_search", []Class{
			{Name: "a page", Means: "evidence of the web"},
			{Name: nothing, Same: []string{"fails", timesOut}, Means: "no evidence"},
		}},
		{"grep", []Class{{Name: nothing, Means: "what it could find, the search beside it can find as well"}}},
		{queuePoint, []Class{
			{Name: "takes it", Means: "a person is asked"},
			{Name: down, Fault: true, Means: "nobody can be asked"},
		}},
		{personPoint, []Class{
			{Name: "approves", Means: "the answer goes out"},
			{Name: "corrects", Means: "another answer goes out"},
			{Name: "rejects", Means: "no answer goes out"},
		}},
	}
}

// options are the outcomes that a point has in an exploration: one of each class, or all of them.
func (x Exploration) options(point string) []string {
	var list []string
	for _, p := range Alphabet() {
		if p.Point != point {
			continue
		}
		for _, c := range p.Classes {
			if c.Fault && !x.Faults {
				continue
			}
			list = append(list, c.Name)
			if x.Members {
				list = append(list, c.Same...)
			}
		}
	}
	return slices.Clip(list)
}
