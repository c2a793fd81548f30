package config_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/config"
	"github.com/kbagent/kbagent/state"
)

// others are values that differ from the defaults; each fits one kind of variable.
var others = []string{
	"off", "on", "1", "7", "0.2", "0.5", "0.75", "0.9", "90s", "strict", "lexical", "rate", "provisional", "json", "debug", "anthropic",
	"incorrect", "http://localhost:1/x", "postgres://h/x", "redis://h/1", "word",
}

// world is an environment in which every variable may be changed alone.
var world = []string{
	"KB_AGENT_LLM_BASE_URL=http://localhost:9/v1", "KB_AGENT_LLM_MODEL=m", "KB_AGENT_LLM_FAST_MODEL=f", "KB_AGENT_LLM_API_KEY=k",
	"KB_AGENT_EMBEDDING_BASE_URL=http://localhost:9/v1", "KB_AGENT_EMBEDDING_MODEL=e", "KB_AGENT_SEARXNG_URL=http://localhost:9",
	"KB_AGENT_SMTP_HOST=h", "KB_AGENT_SMTP_FROM=a@b.c", "KB_AGENT_SMTP_TO=a@b.c",
}

func TestOfQuestionNamesExactlyTheVariablesThatReachTheSettingsAlone(t *testing.T) {
	c, err := load(t, world...)
	require.NoError(t, err)
	for _, name := range config.Names() {
		settings, program := false, false
		for _, value := range others {
			changed, err := c.With(map[string]string{name: value})
			if err != nil {
				continue
			}
			settings = settings || changed.Settings != c.Settings
			program = program || !sameProgram(c, changed)
		}
		want := settings && !program
		assert.Equal(t, want, slices.Contains(config.OfQuestion(), name), "%s: settings %t, program %t", name, settings, program)
	}
}

// sameProgram says whether two configurations differ in the settings of questions alone.
func sameProgram(a, b config.Config) bool {
	a.Settings, b.Settings = state.Settings{}, state.Settings{}
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if x.Type().Field(i).IsExported() && !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			return false
		}
	}
	return true
}

func TestWithChangesOneValueAndNotItsReceiver(t *testing.T) {
	c, err := load(t, "KB_AGENT_MAX_ITERATIONS=4")
	require.NoError(t, err)
	changed, err := c.With(map[string]string{"KB_AGENT_MAX_ITERATIONS": " 5 ", "KB_AGENT_ANSWER_MODE": "STRICT"})
	require.NoError(t, err)
	assert.Equal(t, 5, changed.Settings.MaxIterations)
	assert.Equal(t, state.ModeStrict, changed.Settings.AnswerMode)
	assert.Equal(t, 4, c.Settings.MaxIterations)
	for _, v := range changed.Values() {
		if v.Name == "KB_AGENT_MAX_ITERATIONS" {
			assert.Equal(t, config.SourceSession, v.Source)
		}
	}
	back, err := changed.With(map[string]string{"KB_AGENT_MAX_ITERATIONS": ""})
	require.NoError(t, err)
	assert.Equal(t, 3, back.Settings.MaxIterations, "the default, not what the environment says")
	assert.Equal(t, state.ModeStrict, back.Settings.AnswerMode, "what was changed before stays")
}

func TestWithRefusesWhatLoadWouldRefuse(t *testing.T) {
	c, err := load(t)
	require.NoError(t, err)
	_, err = c.With(map[string]string{"KB_AGENT_MAX_ITERATION": "5"})
	require.ErrorIs(t, err, config.ErrUnknown)
	assert.ErrorContains(t, err, "did you mean KB_AGENT_MAX_ITERATIONS?")
	_, err = c.With(map[string]string{"xyz": "5"})
	assert.EqualError(t, err, "there is no such setting: xyz")

	for name, value := range map[string]string{"KB_AGENT_MAX_ITERATIONS": "11", "KB_AGENT_EVALUATOR": "llm", "KB_AGENT_GENERATE_MIN_SCORE": "0.1", "KB_AGENT_WEB_SEARCH": "incorrect"} {
		_, err = c.With(map[string]string{name: value})
		var faults *config.FaultsError
		require.ErrorAs(t, err, &faults, name)
		assert.Contains(t, err.Error(), name)
		assert.Contains(t, err.Error(), "(session)")
	}
}

func TestWithOnTheZeroValueStartsFromTheDefaults(t *testing.T) {
	c, err := config.Config{}.With(map[string]string{"KB_AGENT_MAX_ITERATIONS": "5"})
	require.NoError(t, err)
	assert.Equal(t, 5, c.Settings.MaxIterations)
	assert.NotContains(t, fmt.Sprintf("%+v %#v", c, c), strings.Repeat("*", 4))
}
