package agent_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

var updateExplain = flag.Bool("update-explain", false, "rewrite the golden files of Explain")

// told is a run as its nodes told it, update by update.
type told struct {
	t *testing.T
	s state.AgentState
}

func begun(t *testing.T, question string, settings func(*state.Settings)) *told {
	cfg := state.DefaultSettings()
	if settings != nil {
		settings(&cfg)
	}
	return (&told{t: t}).say(state.Update{Begin: &state.Begin{Run: "r1", Question: question, Settings: cfg}})
}

func (r *told) say(u state.Update) *told {
	r.t.Helper()
	next, err := r.s.Apply(u)
	require.NoError(r.t, err)
	r.s = next
	return r
}

func (r *told) moves(events ...rules.Event) []state.Transition {
	r.t.Helper()
	moves, err := rules.Fire(r.s.Phase, events...)
	require.NoError(r.t, err)
	return moves
}

func (r *told) routed(query, category string, strategy state.Strategy) *told {
	return r.say(state.Update{
		Node: nodes.NameAnalyzeAndRoute, ResolvedQuery: &query, Route: new(state.RouteSearch), Category: &category,
		RouteConfidence: new(0.8), Strategy: &strategy, Transitions: r.moves(rules.EventSearch),
	})
}

func (r *told) rerouted(strategy state.Strategy) *told {
	return r.say(state.Update{
		Node: nodes.NameAnalyzeAndRoute, Strategy: &strategy, Transitions: r.moves(rules.EventReroute, rules.EventSearch),
	})
}

func (r *told) planned() *told {
	u := state.Update{Node: nodes.NamePlan}
	if r.s.Phase == state.PhaseRefine {
		u.Transitions = r.moves(rules.EventReplan)
	}
	return r.say(u)
}

func (r *told) called(records []state.ToolRecord, found ...state.Evidence) *told {
	return r.say(state.Update{
		Node: nodes.NameToolCall, Round: &state.Round{Records: records, Found: found}, Transitions: r.moves(rules.EventRetrieved),
	})
}

// graded judges the context with scores; those below the threshold leave it.
func (r *told) graded(source string, event rules.Event, stop state.StopReason, scores ...float64) *told {
	r.t.Helper()
	require.Len(r.t, scores, len(r.s.Context))
	g := state.Grading{Source: source, Action: rules.Judge(scores, r.s.Settings).Action}
	for i, item := range r.s.Context {
		grade := state.Grade{ID: item.ID, Score: scores[i]}
		if !rules.AtLeast(scores[i], r.s.Settings.EvidenceMinScore) {
			grade.Reason = "score is below 0.30"
		}
		g.Items = append(g.Items, grade)
	}
	u := state.Update{Node: nodes.NameGradeEvidence, Grading: &g, Transitions: r.moves(event)}
	if stop != "" {
		u.StopReason = &stop
	}
	return r.say(u)
}

func (r *told) answered(answer string, citations ...state.Citation) *told {
	return r.final(state.Final{Answer: answer, Status: state.StatusAnswered, Citations: citations})
}

func (r *told) abstained() *told {
	return r.final(state.Final{Answer: r.s.Settings.Abstention, Status: state.StatusAbstained})
}

func (r *told) final(f state.Final) *told {
	return r.say(state.Update{
		Node: nodes.NameSynthesize, Final: &f, Transitions: r.moves(rules.EventAnswered, rules.EventDeliver),
	})
}

func passage(tool, path string, start, end int, score float64, kind state.ScoreKind) state.Evidence {
	return state.Evidence{
		ID: state.EvidenceID(path, start, end, ""), Tool: tool, Path: path, StartLine: start, EndLine: end,
		RetrievalScore: score, ScoreKind: kind, Content: "…",
	}
}

func made(name, args string, items ...state.Evidence) state.ToolRecord {
	r := state.ToolRecord{Name: name, Args: json.RawMessage(args), ScoreKind: state.ScoreNone}
	for _, i := range items {
		r.ItemIDs, r.Scores, r.ScoreKind = append(r.ItemIDs, i.ID), append(r.Scores, i.RetrievalScore), i.ScoreKind
	}
	return r
}

func citation(n int, i state.Evidence, quote string) state.Citation {
	return state.Citation{N: n, Path: i.Path, StartLine: i.StartLine, EndLine: i.StartLine + 1, Quote: quote, ItemID: i.ID}
}

var (
	keysPassage = passage("keyword_search", "guide/keys.md", 12, 30, 0.83, state.ScoreBM25)
	rotate      = passage("keyword_search", "guide/rotate.md", 1, 14, 0.71, state.ScoreBM25)
	billing     = passage("keyword_search", "billing.md", 40, 52, 0.22, state.ScoreBM25)
	faq         = passage("hybrid_search", "faq.md", 3, 9, 0.64, state.ScoreRRF)
)

func wordSearch(words string, items ...state.Evidence) []state.ToolRecord {
	return []state.ToolRecord{made("keyword_search", `{"query":"`+words+`"}`, items...)}
}

// explained is a run for each thing that Explain has to put into words.
func explained(t *testing.T) map[string]state.AgentState {
	runs := map[string]*told{}

	runs["a rule approved few passages"] = begun(t, "How do I rotate a key?", nil).
		routed("How do I rotate a key?", "how_to", state.StrategyKeyword).planned().
		called(wordSearch("How do I rotate a key?", keysPassage, rotate), keysPassage, rotate).
		graded("rule:few_context", rules.EventSufficient, state.StopSufficient, 1, 1).
		answered("Use rotate. [1]", citation(1, keysPassage, "Run rotate once a month."))

	near := passage("vector_search", "guide/keys.md", 12, 30, 0.91, state.ScoreCosine)
	also := passage("vector_search", "guide/rotate.md", 1, 14, 0.84, state.ScoreCosine)
	runs["a rule approved near vectors"] = begun(t, "What is a key?", func(s *state.Settings) { s.AutoApproveMaxItems = 0 }).
		routed("What is a key?", "definition", state.StrategyVector).planned().
		called([]state.ToolRecord{made("vector_search", `{"query":"What is a key?","k":4}`, near, also)}, near, also).
		graded("rule:high_vector_score", rules.EventSufficient, state.StopSufficient, 1, 1).
		answered("A key is a secret. [1]", citation(1, near, "A key is a secret."))

	file := passage("read_file", "faq.md", 1, 90, 0, state.ScoreNone)
	runs["a rule approved files that were read"] = begun(t, "What does faq.md say?", nil).
		routed("What does faq.md say?", "other", state.StrategyReadFile).planned().
		called([]state.ToolRecord{made("read_file", `{"path":"faq.md"}`, file)}, file).
		graded("rule:read_file", rules.EventSufficient, state.StopSufficient, 1).
		answered("It says much. [1]", citation(1, file, "Much."))

	runs["a follow-up took all three decisions"] = threeRounds(t)

	broken := state.ToolRecord{Name: "grep", Args: json.RawMessage(`{"pattern":"(?i)key"}`), Error: "TIMEOUT: the tool took too long"}
	runs["scores could not be read and nothing new was found"] = begun(t, "Which keys expire?", nil).
		routed("Which keys expire?", "list", state.StrategyExpanded).planned().
		called(append(wordSearch("keys expire end", keysPassage, rotate, billing), broken), keysPassage, rotate, billing).
		graded("fallback", rules.EventMixed, "", 0.5, 0.5, 0.5).planned().
		called(nil).
		graded("lexical", rules.EventNoProgress, state.StopNoProgress, 0.6, 0.4, 0.1).
		say(state.Update{Warnings: []string{"grep failed: TIMEOUT: the tool took too long"}}).
		answered("Keys expire. [1]", citation(1, keysPassage, "Keys expire."))

	runs["dropped passages were all there was"] = begun(t, "Who wrote it?", func(s *state.Settings) { s.MaxIterations = 1 }).
		routed("Who wrote it?", "other", state.StrategyKeyword).planned().
		called(wordSearch("Who wrote it?", keysPassage, rotate, billing), keysPassage, rotate, billing).
		graded("lexical", rules.EventCapped, state.StopMaxIterations, 0.2, 0.1, 0).
		answered("Perhaps a person. [1]", citation(1, keysPassage, "by a person"))

	runs["a strict run dropped everything"] = begun(t, "Who wrote it?", func(s *state.Settings) {
		s.MaxIterations, s.AnswerMode = 1, state.ModeStrict
	}).routed("Who wrote it?", "other", state.StrategyKeyword).planned().
		called(wordSearch("Who wrote it?", keysPassage, rotate, billing), keysPassage, rotate, billing).
		graded("lexical", rules.EventCapped, state.StopMaxIterations, 0.2, 0.1, 0).
		abstained()

	runs["nothing was found in any way"] = exhausted(t)

	runs["passages did not hold the answer"] = begun(t, "How old is it?", nil).
		routed("How old is it?", "other", state.StrategyKeyword).planned().
		called(wordSearch("How old is it?", keysPassage), keysPassage).
		graded("rule:few_context", rules.EventSufficient, state.StopSufficient, 1).
		abstained()

	runs["the budget was used up"] = begun(t, "Which keys expire?", nil).
		routed("Which keys expire?", "list", state.StrategyKeyword).planned().
		called(wordSearch("Which keys expire?", keysPassage, rotate, billing), keysPassage, rotate, billing).
		graded("llm", rules.EventCapped, state.StopBudget, 0.6, 0.5, 0.4).
		say(state.Update{Usage: state.Usage{LLMCalls: 1, TotalTokens: 1, PromptTokens: 1, ByNode: map[string]int{nodes.NameGradeEvidence: 1}}}).
		answered("Some do.")

	hello := begun(t, "hello", nil)
	runs["small talk"] = hello.say(state.Update{
		Node: nodes.NameAnalyzeAndRoute, Route: new(state.RouteChitchat), RouteConfidence: new(0.9), ResolvedQuery: new("hello"),
		Category: new("other"), StopReason: new(state.StopChitchat), Transitions: hello.moves(rules.EventChitchat),
	}).answered("Hello!")

	runs["a run stopped before it was understood"] = begun(t, "How do I rotate a key?", nil)

	runs["a run stopped before its second grading"] = begun(t, "How do I rotate a key?", func(s *state.Settings) { s.AutoApproveMaxItems = 0 }).
		routed("How do I rotate a key?", "how_to", state.StrategyKeyword).planned().
		called(wordSearch("How do I rotate a key?", keysPassage, billing), keysPassage, billing).
		graded("lexical", rules.EventMixed, "", 0.5, 0.1).planned().
		called(wordSearch("rotate", rotate), rotate)

	states := make(map[string]state.AgentState, len(runs))
	for name, run := range runs {
		states[name] = run.s
	}
	return states
}

// threeRounds is poor, mixed, sufficient, with a conversation before it.
func threeRounds(t *testing.T) *told {
	r := begun(t, "and how often?", func(s *state.Settings) { s.AutoApproveMaxItems = 0 })
	r.say(state.Update{SubQueries: &[]string{"How do I rotate a key?", "how often?"}})
	listed := state.ToolRecord{Name: "list_files", Args: json.RawMessage(`{}`), Note: "billing.md (52 lines)\nfaq.md (90 lines)\n"}
	return r.routed("How do I rotate a key? and how often?", "how_to", state.StrategyHybrid).planned().
		called([]state.ToolRecord{made("hybrid_search", `{"query":"how often","keywords":["often"]}`, billing), listed}, billing).
		graded("llm", rules.EventPoor, "", 0.1).
		rerouted(state.StrategyKeyword).planned().
		called(wordSearch("rotate a key", rotate, billing), rotate, billing).
		graded("llm", rules.EventMixed, "", 0.6, 0).planned().
		called(wordSearch("often", keysPassage, faq), keysPassage, faq).
		graded("llm", rules.EventSufficient, state.StopSufficient, 0.8, 0.9, 0.29).
		say(state.Update{
			Usage: state.Usage{LLMCalls: 6, PromptTokens: 4100, CompletionTokens: 321, TotalTokens: 4421, ByNode: map[string]int{
				nodes.NameAnalyzeAndRoute: 1, nodes.NamePlan: 1, nodes.NameGradeEvidence: 3, nodes.NameSynthesize: 1,
			}},
			Warnings: []string{"1 citation(s) removed: marker [7] cites no passage"},
		}).
		answered("Once a month [1][2].", citation(1, keysPassage, "Run rotate once a month."), citation(2, rotate, strings.Repeat("rotate ", 40)))
}

// exhausted searches in two ways and finds nothing.
func exhausted(t *testing.T) *told {
	nothing := func(query string) []state.ToolRecord {
		return []state.ToolRecord{{Name: "keyword_search", Args: json.RawMessage(`{"query":"` + query + `"}`), Note: "no passage holds a word of it"}}
	}
	r := begun(t, "Wo ist der Bahnhof?", nil).
		routed("Wo ist der Bahnhof?", "other", state.StrategyKeyword).planned().
		called(nothing("Wo ist der Bahnhof?")).graded("", rules.EventPoor, "").
		rerouted(state.StrategyExpanded).planned().
		called(nothing("Bahnhof Station")).graded("", rules.EventPoor, "")
	return r.say(state.Update{
		Node: nodes.NameAnalyzeAndRoute, StopReason: new(state.StopExhausted),
		Transitions: r.moves(rules.EventReroute, rules.EventExhausted),
	}).abstained()
}

func TestExplainSaysInPlainWordsWhyARunTookItsPath(t *testing.T) {
	for name, s := range explained(t) {
		t.Run(name, func(t *testing.T) {
			got := agent.Explain(s)
			golden := filepath.Join("testdata", "explain", strings.ReplaceAll(name, " ", "_")+".txt")
			if *updateExplain {
				require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got)
		})
	}
}

func TestExplainHasNoGoldenFileWithoutItsRun(t *testing.T) {
	runs := explained(t)
	files, err := filepath.Glob(filepath.Join("testdata", "explain", "*.txt"))
	require.NoError(t, err)
	assert.Len(t, files, len(runs))
}

func TestExplainOfAThreadWithoutAQuestionSaysSo(t *testing.T) {
	assert.Equal(t, "No question was asked on this thread yet.\n", agent.Explain(state.AgentState{}))
}

func TestExplainIsTheSameForTheSameState(t *testing.T) {
	s := threeRounds(t).s
	want := agent.Explain(s)
	for range 20 {
		require.Equal(t, want, agent.Explain(s))
	}
}

func TestExplainWorksAfterEveryStepOfEveryRun(t *testing.T) {
	for name, s := range explained(t) {
		t.Run(name, func(t *testing.T) {
			for n := range s.Transitions { // a state cut at any move, as a crash leaves it
				cut := s
				cut.Transitions = s.Transitions[:n]
				cut.Phase = s.Transitions[n].From
				text := agent.Explain(cut)
				assert.Contains(t, text, "Question: ")
				assert.NotContains(t, text, "%!", "a verb without its value")
				assert.NotContains(t, text, "The answer", "there is no answer before the end")
			}
		})
	}
}

func TestExplainLetsNoDocumentSteerTheTerminalOrShowACard(t *testing.T) {
	evil := passage("keyword_search", "a\x1b[2Jb\u202e.md", 1, 2, 0.5, state.ScoreBM25)
	s := begun(t, "what\nis \x1b]0;title\a 4111 1111 1111 1111?", nil).
		routed("what \u009b31m", "o\x1bther", state.StrategyKeyword).planned().
		called(wordSearch("x", evil), evil).
		graded("rule:few_context", rules.EventSufficient, state.StopSufficient, 1).
		say(state.Update{Warnings: []string{"a\rb"}}).
		answered("x", citation(1, evil, "\x1b[31mred\xff")).s

	text := agent.Explain(s)

	for _, r := range text {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Errorf("control character %U in %q", r, text)
		}
	}
	assert.NotContains(t, text, "4111 1111 1111 1111")
	assert.Contains(t, text, "1111?", "the last four digits stay")
}
