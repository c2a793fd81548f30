package scenarios

import (
	"context"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/kbagent/kbagent/scenario/explore"
)

// Scenario writes the path to a violation down as a scenario file: what the model and the tools did on it, in their order.
// It shows the path; what should have been seen is for whoever mends the fault to add. Scores of answers and decisions of
// people stand in comments: a scenario measures the first, and a turn of its own gives the second.
func (x Exploration) Scenario(ctx context.Context, v explore.Violation) ([]byte, error) {
	subject, w, err := x.subject()
	if err != nil {
		return nil, err
	}
	w.keep = true
	_, failure := subject.Thread("scenario").Invoke(explore.Under(ctx, v.Path), subject.Input)
	var b strings.Builder
	fmt.Fprintf(&b, "scenario: %q\nguards: %q\n", v.Invariant, oneLine(v.Reason))
	for _, step := range v.Path {
		for _, c := range step.Choices {
			if c.Point == scorePoint {
				fmt.Fprintf(&b, "# %s\n", c)
			}
		}
		if step.Answer != "" {
			fmt.Fprintf(&b, "# the person %s\n", step.Answer)
		}
	}
	if failure != nil {
		fmt.Fprintf(&b, "# the run fails: %s\n", oneLine(failure.Error()))
	}
	given, err := yaml.MarshalWithOptions(struct {
		Given struct {
			Env   map[string]string `yaml:"env"`
			Tools []ToolResult      `yaml:"tools,omitempty"`
			Model []ModelReply      `yaml:"model,omitempty"`
		} `yaml:"given"`
	}{Given: struct {
		Env   map[string]string `yaml:"env"`
		Tools []ToolResult      `yaml:"tools,omitempty"`
		Model []ModelReply      `yaml:"model,omitempty"`
	}{environment(x), w.results, w.replies}}, yaml.OmitEmpty())
	if err != nil {
		return nil, fmt.Errorf("write the scenario: %w", err)
	}
	b.Write(given)
	fmt.Fprintf(&b, "turns:\n  - when: {ask: %q}\n    then: {error: \"\"}\n", explored)
	return []byte(b.String()), nil
}

// environment is the settings of an exploration as variables.
func environment(x Exploration) map[string]string {
	s := x.Settings
	env := map[string]string{"KB_AGENT_MAX_ITERATIONS": fmt.Sprint(s.MaxIterations)}
	for name, on := range map[string]bool{"REFINE_CONTEXT": s.RefineContext, "VERIFY": s.Verify, "CONFIDENCE": s.ScoreConfidence} {
		if on {
			env["KB_AGENT_"+name] = "on"
		}
	}
	if s.WebSearch != "" && s.WebSearch != "off" {
		env["KB_AGENT_WEB_SEARCH"], env["KB_AGENT_SEARXNG_URL"] = string(s.WebSearch), "http://localhost:1"
	}
	if s.ReviewMode != "" && s.ReviewMode != "off" {
		env["KB_AGENT_REVIEW"] = string(s.ReviewMode)
	}
	return env
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
