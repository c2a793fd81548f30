package agent_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

var updatePicture = flag.Bool("update-picture", false, "rewrite the golden file of Picture")

func TestAPictureShowsTheWayWithScoresAndDroppedPassages(t *testing.T) {
	got := agent.Picture(threeRounds(t).s)
	golden := filepath.Join("testdata", "picture.txt")
	if *updatePicture {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got)
}

func TestAPictureIsDrawnOfEveryRunAndOfEveryPartOfOne(t *testing.T) {
	for name, s := range explained(t) {
		t.Run(name, func(t *testing.T) {
			for n := range len(s.Transitions) + 1 {
				part := s
				if n < len(s.Transitions) {
					part.Transitions, part.Phase = s.Transitions[:n], s.Transitions[n].From
				}
				text := agent.Picture(part)
				assert.Contains(t, text, "question")
				assert.NotContains(t, text, "%!")
				assert.Equal(t, part.Finished(), strings.Contains(text, "\nanswer "), text)
				assert.Equal(t, !part.Finished(), strings.Contains(text, "\nstopped "), text)
			}
		})
	}
}

func TestAPictureDrawsACheckBeforeTheSearchThatItLedTo(t *testing.T) {
	s := moved([]state.Strategy{state.StrategyKeyword}, rules.EventSearch, rules.EventRetrieved, rules.EventSufficient, rules.EventAnswered,
		rules.EventCorrect, rules.EventRetrieved, rules.EventSufficient, rules.EventAnswered, rules.EventPass)
	s.Status = state.StatusCorrected
	s.Attempts = []state.Attempt{
		{Kind: state.AttemptFirst, Confidence: &state.Confidence{Total: 0.4}},
		{Kind: state.AttemptCorrect, Verification: state.Verification{Outcome: state.OutcomeVerified, Checked: 2, Supported: 2, Confidence: 1}},
	}
	text := agent.Picture(s)
	last := -1
	for _, part := range []string{"search 1", "the first answer", "████░░░░░░ 0.40", "answer again", "search 2", "a corrected answer: 2 of 2 claims hold", "it passed", "CORRECTED"} {
		at := strings.Index(text, part)
		assert.Greater(t, at, last, "%s in\n%s", part, text)
		last = at
	}
}

func TestAPictureLetsNoDocumentSteerTheTerminalOrShowACard(t *testing.T) {
	evil := passage("keyword_search", "a\x1b[2Jb\u202e.md", 1, 2, 0.5, state.ScoreBM25)
	text := agent.Picture(begun(t, "what\nis \x1b]0;title\a 4111 1111 1111 1111?", nil).
		routed("what \u009b31m", "o\x1bther", state.StrategyKeyword).planned().
		called(wordSearch("x\x1b", evil), evil).
		graded("rule:few_context", rules.EventSufficient, state.StopSufficient, 1).
		answered("x", citation(1, evil, "\x1b[31mred\xff")).s)
	for _, r := range text {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Errorf("control character %U in %q", r, text)
		}
	}
	assert.NotContains(t, text, "4111 1111 1111 1111")
}

func TestAPictureOfAThreadWithoutAQuestionSaysSo(t *testing.T) {
	assert.Equal(t, "No question was asked on this thread yet.\n", agent.Picture(state.AgentState{}))
}

func TestAPictureHasAnAnswerFromANewOrderBeforeTheSearchThatFollowsIt(t *testing.T) {
	s := moved([]state.Strategy{state.StrategyKeyword}, rules.EventSearch, rules.EventRetrieved, rules.EventSufficient, rules.EventAnswered,
		rules.EventRerank, rules.EventAnswered, rules.EventCorrect, rules.EventRetrieved, rules.EventSufficient, rules.EventAnswered, rules.EventPass)
	found := func(supported int) state.Verification {
		return state.Verification{Outcome: state.OutcomeVerified, Checked: 3, Supported: supported}
	}
	s.Attempts = []state.Attempt{
		{Kind: state.AttemptFirst, Verification: found(1)},
		{Kind: state.AttemptCorrect, Mending: state.MendRerank, Verification: found(2)},
		{Kind: state.AttemptCorrect, Mending: state.MendSearch, Verification: found(3)},
	}
	text, last := agent.Picture(s), -1
	for _, part := range []string{"search 1", "1 of 3 claims", "2 of 3 claims", "search 2", "3 of 3 claims"} {
		at := strings.Index(text, part)
		assert.Greater(t, at, last, "%s in\n%s", part, text)
		last = at
	}
}
