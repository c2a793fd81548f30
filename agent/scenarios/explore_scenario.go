package scenarios

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/kbagent/kbagent/scenario/explore"
	"github.com/kbagent/kbagent/state"
)

// Scenario writes the path to a violation down as a scenario file. It fails while the invariant is broken, and passes once
// the agent was mended, whatever way it goes then: it names what the environment did, and expects that no invariant breaks.
func (x Exploration) Scenario(v explore.Violation) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "scenario: %q\nguards: %q\n", v.Invariant, oneLine(v.Reason))
	for i, step := range v.Path {
		fmt.Fprintf(&b, "# %2d. %s%s\n", i+1, strings.Join(step.Nodes, ", "), happened(step))
	}
	type given struct {
		Env      map[string]string   `yaml:"env"`
		Outcomes map[string][]string `yaml:"outcomes"`
	}
	type turn struct {
		When map[string]any      `yaml:"when"`
		Then map[string][]string `yaml:"then"`
	}
	unbroken := map[string][]string{"broken": {}}
	turns := []turn{{map[string]any{"ask": explored}, unbroken}}
	outcomes := v.Outcomes()
	for _, name := range outcomes[personPoint] {
		d := decisions[name]
		review := map[string]string{"status": string(d.Status), "reviewer": d.Reviewer}
		if d.Answer != "" {
			review["answer"] = d.Answer
		}
		turns = append(turns, turn{map[string]any{"review": review}, unbroken})
	}
	body, err := yaml.MarshalWithOptions(struct {
		Given given  `yaml:"given"`
		Turns []turn `yaml:"turns"`
	}{given{environment(x.Modes[v.Path[0].Input]), outcomes}, turns}, yaml.Flow(false), yaml.UseSingleQuote(false))
	if err != nil {
		return nil, fmt.Errorf("write the scenario: %w", err)
	}
	b.Write(body)
	return []byte(b.String()), nil
}

// happened is what the environment did in a step.
func happened(s explore.Step) string {
	var list []string
	if s.Answer != "" {
		list = append(list, fmt.Sprintf("the person %s", s.Answer))
	}
	for _, c := range s.Choices {
		list = append(list, c.String())
	}
	if len(list) == 0 {
		return ""
	}
	return ": " + strings.Join(list, "; ")
}

// environment is the settings of an exploration as variables, where they are not the defaults.
func environment(s state.Settings) map[string]string {
	env := map[string]string{"KB_AGENT_MAX_ITERATIONS": fmt.Sprint(s.MaxIterations)}
	for name, on := range map[string]bool{"REFINE_CONTEXT": s.RefineContext, "VERIFY": s.Verify, "CONFIDENCE": s.ScoreConfidence} {
		if on {
			env["KB_AGENT_"+name] = "on"
		}
	}
	if s.WebSearch != "" && s.WebSearch != state.WebOff {
		env["KB_AGENT_WEB_SEARCH"], env["KB_AGENT_SEARXNG_URL"] = string(s.WebSearch), "http://localhost:1"
	}
	if s.ReviewMode != "" && s.ReviewMode != state.ReviewOff {
		env["KB_AGENT_REVIEW"] = string(s.ReviewMode)
	}
	if s.AnswerMode != "" && s.AnswerMode != state.ModeBestEffort {
		env["KB_AGENT_ANSWER_MODE"] = string(s.AnswerMode)
	}
	if s.MaxLLMCalls > 0 {
		env["KB_AGENT_LLM_MAX_CALLS"] = fmt.Sprint(s.MaxLLMCalls)
	}
	return env
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
