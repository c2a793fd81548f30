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
	call, err := graderPrompt.call(RoleGrader)
	if err != nil {
		return Grades{}, err
	}
	data := struct {
		Query string
		fenced
	}{q.Query, fence(g.m.fence(), q.Items, graderItemRunes)}
	msgs, err := graderPrompt.messages(data, nil)
	if err != nil {
		return Grades{}, err
	}
	read := func(c *llms.ContentChoice) (Grades, error) {
		ratings, err := reply.Scores(c.Content, len(q.Items))
		return Grades{Scores: ratings.Values, Ungraded: ratings.Ungraded}, err
	}
	grades, err := repaired(ctx, g.m, call, msgs, read, g.m.schema("grades", gradesSchema(len(q.Items)))...)
	var parse *reply.ParseError
	if errors.As(err, &parse) {
		return Grades{}, &UnreadableError{Reason: parse.Reason, Raw: parse.Excerpt}
	}
	return grades, err
}

// gradesSchema is an array of n tenths: providers ignore minimum and maximum, but not an enum.
func gradesSchema(n int) json.RawMessage {
	return fmt.Appendf(nil, `{"type":"object","properties":{"scores":{"type":"array","items":{"type":"number","enum":[0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1]},"minItems":%d,"maxItems":%d}},"required":["scores"],"additionalProperties":false}`, n, n)
}
