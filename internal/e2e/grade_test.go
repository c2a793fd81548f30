package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/nodes/reply"
)

// A reply under the schema of grading is N tenths, or it is refused as a whole: a number is never made up.
func TestGradesUnderASchemaAreNTenthsOrRefused(t *testing.T) {
	w := build(t, server(t), options{})
	honoured := 0
	for _, n := range []int{1, 2, 3, 8, 20} {
		schema := fmt.Sprintf(`{"type":"object","properties":{"scores":{"type":"array","items":{"type":"number","enum":[0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1]},"minItems":%d,"maxItems":%d}},"required":["scores"],"additionalProperties":false}`, n, n)
		resp, err := w.model.GenerateContent(t.Context(), []llms.MessageContent{
			llms.TextParts(llms.ChatMessageTypeHuman, fmt.Sprintf("Grade %d passages from 0 to 1. Reply with a JSON array of %d numbers.", n, n)),
		}, llm.Schema("grades", json.RawMessage(schema)), llms.WithMaxTokens(512))
		if errors.Is(err, llm.ErrCut) {
			continue // a server may give up a model that repeats itself: never an answer
		}
		require.NoError(t, err)
		choice := resp.Choices[0]
		ratings, err := reply.Scores(choice.Content, n)
		var refused *reply.ParseError
		if errors.As(err, &refused) {
			continue
		}
		require.NoError(t, err)
		require.Len(t, ratings.Values, n)
		for _, v := range ratings.Values {
			assert.InDelta(t, math.Round(v*10)/10, v, 1e-9, "a tenth")
		}
		honoured++
	}
	t.Logf("%d of 5 replies held their grades", honoured)
}

// roleCounter notes which role asked with which model.
type roleCounter struct {
	next http.RoundTripper

	mu     sync.Mutex
	models map[string]string
	tools  map[string]bool
}

func countRoles(c *roleCounter) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		c.next, c.models, c.tools = next, map[string]string{}, map[string]bool{}
		return c
	}
}

func (c *roleCounter) RoundTrip(r *http.Request) (*http.Response, error) {
	if call, ok := nodes.CallFrom(r.Context()); ok && r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		var request struct {
			Model string
			Tools []any
		}
		if err := json.NewDecoder(body).Decode(&request); err != nil {
			return nil, err
		}
		c.mu.Lock()
		c.models[call.Role] = request.Model
		c.tools[call.Role] = c.tools[call.Role] || len(request.Tools) > 0
		c.mu.Unlock()
	}
	return c.next.RoundTrip(r)
}

func TestGradingInTheAgentIsTheModelsOrSaysThatItIsNot(t *testing.T) {
	roles := new(roleCounter)
	w := build(t, server(t), options{settings: graded, wrap: countRoles(roles)})
	for _, q := range []string{"How long are old logs kept?", "What fills the disk?", "When does the backup run?"} {
		r, err := w.ask(t.Context(), agent.Question{Text: q})
		require.NoError(t, err)
		whole(t, r)
		a := r.answer
		if roles.models[nodes.RoleGrader] == "" {
			continue // routed as small talk: nothing was graded
		}
		switch {
		case a.GradeSource == "":
			assert.Empty(t, a.EvidenceScores)
		case a.GradeSource == "llm":
			for _, v := range a.EvidenceScores {
				assert.True(t, v >= 0 && v <= 1)
			}
		case strings.HasPrefix(a.GradeSource, "rule:"):
		case a.GradeSource == "fallback":
			for _, v := range a.EvidenceScores {
				assert.Equal(t, reply.UngradedValue, v, "the documented fallback")
			}
		default:
			assert.NotEmpty(t, a.Warnings, "the grades of %s are told", a.GradeSource)
		}
		t.Logf("%q: graded by %s %v, warnings %q", q, a.GradeSource, a.EvidenceScores, a.Warnings)
	}
}

func TestTwoModelsShareTheWorkByRole(t *testing.T) {
	e := server(t)
	if e.fast == "" {
		t.Skip("KB_AGENT_E2E_FAST_MODEL names no model")
	}
	roles := new(roleCounter)
	w := build(t, e, options{settings: graded, wrap: countRoles(roles), fast: true})
	for _, q := range []string{"How long are old logs kept?", "What is the refund window?"} {
		r, err := w.ask(t.Context(), agent.Question{Text: q})
		require.NoError(t, err)
		whole(t, r)
	}
	for role, model := range roles.models {
		want := e.model
		if role == nodes.RoleRouter || role == nodes.RoleGrader {
			want = e.fast
		}
		assert.Equal(t, want, model, role)
	}
	assert.Contains(t, roles.models, nodes.RoleRouter)
}
