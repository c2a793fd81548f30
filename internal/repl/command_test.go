package repl

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

func TestTheNearestCommandIsWithinTwoSlips(t *testing.T) {
	for word, want := range map[string]string{
		"/hepl": "/help", "/source": "/sources", "/soruces": "/sources", "/WHY": "/why", "/grpah": "/graph",
		"/treads": "/threads", "/mod": "/mode", "/qiut": "/quit", "/exti": "/exit", "/nwe": "/new", "/?": "", "/histroy": "/history", "/frok": "/fork", "/reusme": "/resume", "/": "",
	} {
		message := unknown(word).Error()
		if want == "" {
			assert.Contains(t, message, "/help lists the commands", word)
			continue
		}
		assert.Contains(t, message, "did you mean "+want+"?", word)
	}
}

func TestTabCompletesCommandsAndTheirArguments(t *testing.T) {
	s := newSession(Config{
		Agent:   newScripted(),
		Threads: func(context.Context) ([]string, error) { return []string{"alpha", "beta"}, nil },
	})
	s.cited = []int{1, 3, 12}
	for before, want := range map[string]string{
		"/":                 "/sources /why /graph /retry /edit /compare /new /threads /thread /history /fork /resume /export /mode /model /set /index /review /stats /help /quit",
		"/s":                "/sources /set /stats",
		"/src":              "/sources",
		"/ompa":             "/compare",
		"/TH":               "/threads /thread",
		"/compare st":       "strict",
		"/compare strict o": "open",
		"/thread lph":       "alpha",
		"/export ":          "md json",
		"/export j":         "json",
		"/review a":         "approve",
		"/why ":             "words picture",
		"/xyz ":             "",
		"/mode ":            "strict best_effort open",
		"/mode b":           "best_effort",
		"/sources ":         "1 3 12",
		"/sources 1":        "1 12",
		"/thread ":          "alpha beta",
		"/thread a":         "alpha",
		"/help /st":         "/stats",
		"/resume ":          "",
		"":                  "",
		"how do I":          "",
		"what is /so":       "",
	} {
		_, offers, err := s.candidates(t.Context(), before)
		require.NoError(t, err)
		var values []string
		for _, o := range offers {
			values = append(values, o.value)
		}
		assert.Equal(t, want, strings.Join(values, " "), "behind %q", before)
	}
}

func TestTabTellsWhyThereAreNoThreads(t *testing.T) {
	broken := errors.New("disk on fire")
	s := newSession(Config{Threads: func(context.Context) ([]string, error) { return nil, broken }})
	_, _, err := s.candidates(t.Context(), "/thread ")
	require.ErrorIs(t, err, broken)
}

func TestTheWayOfARunIsDrawnFromItsState(t *testing.T) {
	topology := newScripted().Topology()
	fire := func(events ...rules.Event) []state.Transition {
		moves, err := rules.Fire(state.PhaseRoute, events...)
		require.NoError(t, err)
		return moves
	}
	way := func(s state.AgentState) string {
		var labels []string
		for _, e := range taken(topology, s) {
			labels = append(labels, e.From+">"+e.Label+">"+e.To)
		}
		return strings.Join(labels, " ")
	}
	assert.Empty(t, way(state.AgentState{}))
	assert.Equal(t, "START>>analyze_and_route analyze_and_route>chitchat>synthesize synthesize>>END", way(state.AgentState{
		Path: []string{nodes.NameAnalyzeAndRoute, nodes.NameSynthesize}, Phase: state.PhaseDone,
		Transitions: fire(rules.EventChitchat, rules.EventAnswered, rules.EventDeliver),
	}))
	assert.Equal(t, "START>>analyze_and_route analyze_and_route>search>plan plan>>tool_call tool_call>>grade_evidence grade_evidence>capped>synthesize", way(state.AgentState{
		Path:        []string{nodes.NameAnalyzeAndRoute, nodes.NamePlan, nodes.NameToolCall, nodes.NameGradeEvidence, nodes.NameSynthesize},
		Phase:       state.PhaseGenerate,
		Transitions: fire(rules.EventSearch, rules.EventRetrieved, rules.EventCapped),
	}), "an unfinished run has no edge to END")
	assert.Equal(t, "START>>analyze_and_route", way(state.AgentState{Path: []string{nodes.NameAnalyzeAndRoute, "gone"}}), "a node that the graph has lost")
}

func TestAnErrorIsOneSentence(t *testing.T) {
	for _, err := range []error{graph.ErrFenced, graph.ErrNothingToResume, graph.ErrGraphChanged, graph.ErrNewerFormat, state.ErrNewerVersion, errors.Join(errProvider, errors.New("a\nb\x1b"))} {
		got := sentence(err)
		assert.NotEmpty(t, got)
		assert.NotContains(t, got, "\n")
		assert.NotContains(t, got, "\x1b")
	}
}

func TestNodesAreShownInFriendlyWords(t *testing.T) {
	a := newScripted()
	s := newSession(Config{Agent: a, Interactive: true, Thread: "t"})
	for node, want := range map[string]string{
		nodes.NameAnalyzeAndRoute: "understanding the question…",
		nodes.NamePlan:            "planning the search…",
		nodes.NameToolCall:        "searching…",
		nodes.NameGradeEvidence:   "judging what was found…",
		nodes.NameSynthesize:      "writing the answer…",
		"verify_answer":           "verify answer…",
	} {
		assert.Equal(t, want, s.doing(t.Context(), node))
	}
	a.keep("t", answeredState("x"))
	assert.Equal(t, "judging 2 passages…", s.doing(t.Context(), nodes.NameGradeEvidence))
	a.broken = errProvider
	assert.Equal(t, "judging what was found…", s.doing(t.Context(), nodes.NameGradeEvidence))
}

func TestTheHistoryComesBackWithTextsOfSeveralLinesAndOfAnyLength(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "history")
	h, err := openHistory(file)
	require.NoError(t, err)
	long := strings.Repeat("x", 200<<10)
	for _, entry := range []string{"one", "two\nlines", "two\nlines", "  ", long} {
		_, err := h.Write(entry)
		require.NoError(t, err)
	}
	again, err := openHistory(file)
	require.NoError(t, err)
	assert.Equal(t, []string{"one", "two\nlines", long}, again.Dump())
	assert.Equal(t, 3, again.Len())
	last, err := again.GetLine(1)
	require.NoError(t, err)
	assert.Equal(t, "two\nlines", last)
	_, err = again.GetLine(3)
	require.Error(t, err)
	_, err = again.GetLine(-1)
	require.Error(t, err)
}

func TestAHistoryThatWasTornGoesOnBehindTheTear(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	require.NoError(t, os.WriteFile(file, []byte("\"one\"\nnonsense\n\"tw"), 0o600))
	h, err := openHistory(file)
	require.NoError(t, err)
	for _, entry := range []string{"three", "four"} {
		_, err = h.Write(entry)
		require.NoError(t, err)
	}
	again, err := openHistory(file)
	require.NoError(t, err)
	assert.Equal(t, []string{"one", "three", "four"}, again.Dump())
}

func TestAHistoryThatHasGrownTooLongIsCut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "history")
	var all strings.Builder
	for i := range 2*historyLimit + 1 {
		all.Write(encodeEntry(strings.Repeat("x", i%7+1)))
	}
	require.NoError(t, os.WriteFile(file, []byte(all.String()), 0o600))
	h, err := openHistory(file)
	require.NoError(t, err)
	assert.Equal(t, historyLimit, h.Len())
	again, err := openHistory(file)
	require.NoError(t, err)
	assert.Equal(t, h.Dump(), again.Dump())
}

func TestAHistoryThatCannotBeReadOrWrittenIsAnErrorAndWorksInMemory(t *testing.T) {
	h, err := openHistory(t.TempDir()) // a folder
	require.Error(t, err)
	_, err = h.Write("one")
	require.NoError(t, err)
	assert.Equal(t, 1, h.Len())

	file := filepath.Join(t.TempDir(), "folder", "history")
	h, err = openHistory(file)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Dir(file)))
	_, err = h.Write("one")
	require.Error(t, err)
	assert.Equal(t, 1, h.Len())
}
