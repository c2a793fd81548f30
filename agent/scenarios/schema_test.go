package scenarios_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/scenario"
)

var update = flag.Bool("update", false, "write schema.json")

// The checked-in schema is what the types say: go test ./agent/scenarios -run Schema -update writes it.
func TestTheSchemaIsThatOfTheTypes(t *testing.T) {
	comments, err := scenario.ReadComments(".", "..", filepath.Join("..", "..", "state"))
	require.NoError(t, err)
	want, err := scenario.Schema[scenarios.Given, scenarios.When, scenarios.Observation](scenario.SchemaOptions{
		Title: "A scenario of kbagent", Words: scenarios.Subject().(scenario.Words).Words(), Describe: comments.Describe,
	})
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("schema.json", want, 0o644))
		return
	}
	assert.Equal(t, string(want), string(scenarios.Schema()), "run go test ./agent/scenarios -run Schema -update")
}

func TestAllScenarioFilesFollowTheSchema(t *testing.T) {
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal(scenarios.Schema(), &s))
	resolved, err := s.Resolve(nil)
	require.NoError(t, err)
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		parsed, err := parser.ParseBytes(data, 0)
		require.NoError(t, err)
		for _, doc := range parsed.Docs {
			if doc.Body == nil {
				continue
			}
			var v any
			require.NoError(t, yaml.NodeToValue(doc.Body, &v))
			text, err := json.Marshal(v)
			require.NoError(t, err)
			var plain any
			require.NoError(t, json.Unmarshal(text, &plain))
			assert.NoError(t, resolved.Validate(plain), "%s:%d", file, doc.Body.GetToken().Position.Line)
		}
	}
}

func TestTheSchemaRefusesMistakes(t *testing.T) {
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal(scenarios.Schema(), &s))
	resolved, err := s.Resolve(nil)
	require.NoError(t, err)
	const ok = `{"scenario": "s", "guards": "g", "turns": [{"when": {"ask": "x"}, "then": {"path": ["plan"], "iteration": {"at_least": 1}}}]}`
	for claim, text := range map[string]string{
		"an unknown key":             `{"scenario": "s", "guards": "g", "expects": 1, "turns": [{"when": {}}]}`,
		"no claim":                   `{"guards": "g", "turns": [{"when": {}}]}`,
		"no turns":                   `{"scenario": "s", "guards": "g", "turns": []}`,
		"an unknown key of an item":  `{"scenario": "s", "guards": "g", "given": {"tools": [{"tol": "grep"}]}, "turns": [{"when": {}}]}`,
		"an unknown node":            `{"scenario": "s", "guards": "g", "turns": [{"when": {}, "then": {"path": ["plam"]}}]}`,
		"a text for a number":        `{"scenario": "s", "guards": "g", "turns": [{"when": {}, "then": {"iteration": "three"}}]}`,
		"an unknown matcher":         `{"scenario": "s", "guards": "g", "turns": [{"when": {}, "then": {"iteration": {"atleast": 1}}}]}`,
		"a role that no model plays": `{"scenario": "s", "guards": "g", "given": {"model": [{"role": "cook"}]}, "turns": [{"when": {}}]}`,
		"a time that is no time":     `{"scenario": "s", "guards": "g", "given": {"tick": "soon"}, "turns": [{"when": {}}]}`,
	} {
		var v any
		require.NoError(t, json.Unmarshal([]byte(text), &v))
		assert.Error(t, resolved.Validate(v), claim)
	}
	var v any
	require.NoError(t, json.Unmarshal([]byte(ok), &v))
	assert.NoError(t, resolved.Validate(v))
}
