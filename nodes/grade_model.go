package nodes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/nodes/reply"
)

// modelGrader grades all items in one call.
type modelGrader struct{ m *Model }

// graderItemRunes is how much of an item the grader sees; a longer one is cut at a sentence end and says so.
const graderItemRunes = 2000

// Grade returns *UnreadableError when neither the reply nor its repair can be read.
func (g modelGrader) Grade(ctx context.Context, q GradeRequest) (Grades, error) {
	asked := g.m.prompts.get(promptGrader)
	data := graderData{Query: q.Query, Items: promptItems(q.Items, graderItemRunes), fencing: newFencing(g.m.fence())}
	msgs, err := asked.messages(data, nil)
	if err != nil {
		return Grades{}, err
	}
	read := func(c *llms.ContentChoice) (Grades, error) {
		ratings, err := reply.Scores(c.Content, len(q.Items))
		return Grades{Scores: ratings.Values, Ungraded: ratings.Ungraded}, err
	}
	grades, err := repaired(ctx, g.m, asked.call(RoleGrader), msgs, read, g.m.schema("grades", gradesSchema(len(q.Items)))...)
	var parse *reply.ParseError
	if errors.As(err, &parse) {
		return Grades{}, &UnreadableError{Reason: parse.Reason, Raw: parse.Excerpt}
	}
	return grades, err
}

// graderCall is the call that the model's grader makes.
func (n *Nodes) graderCall() Call { return n.cfg.Prompts.get(promptGrader).call(RoleGrader) }

// graderModel is the name of the model that grades, as far as it is known.
func (n *Nodes) graderModel() string {
	m := n.cfg.FastModel
	if m == nil {
		m = n.cfg.Model
	}
	return m.Name
}

// gradesSchema is an array of n tenths: providers ignore minimum and maximum, but not an enum.
func gradesSchema(n int) json.RawMessage {
	return fmt.Appendf(nil, `{"type":"object","properties":{"scores":{"type":"array","items":{"type":"number","enum":[0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1]},"minItems":%d,"maxItems":%d}},"required":["scores"],"additionalProperties":false}`, n, n)
}
