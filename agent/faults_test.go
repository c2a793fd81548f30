package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/store/sqlite"
	"github.com/kbagent/kbagent/tools"
)

// frail is a model that plays every role well but one.
type frail struct {
	role  string
	fault string
	at    int // chunk behind which a stream is cut

	mu     sync.Mutex
	failed int
}

const fullAnswer = "Old logs are kept for seven days [1]. They are deleted on Mondays [1]."

func (f *frail) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, f, prompt, options...)
}

func (f *frail) GenerateContent(ctx context.Context, msgs []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var opts llms.CallOptions
	for _, o := range options {
		o(&opts)
	}
	call, _ := nodes.CallFrom(ctx)
	if call.Role != f.role {
		return f.good(ctx, call.Role, msgs, opts)
	}
	f.mu.Lock()
	f.failed++
	f.mu.Unlock()
	switch f.fault {
	case "down":
		return nil, errors.New("connection refused")
	case "rate limited":
		return nil, errors.New("429 Too Many Requests")
	case "talks garbage":
		return say(ctx, "lorem ipsum dolor", opts)
	case "sends nothing":
		return &llms.ContentResponse{}, nil
	case "hangs":
		<-ctx.Done()
		return nil, ctx.Err()
	case "breaks off":
		if _, err := say(ctx, pieces(fullAnswer)[:f.at], opts); err != nil {
			return nil, err
		}
		return nil, errors.New("the stream was cut")
	default:
		panic("no such fault: " + f.fault)
	}
}

// good is a reply as the role has to give it.
func (f *frail) good(ctx context.Context, role string, msgs []llms.MessageContent, opts llms.CallOptions) (*llms.ContentResponse, error) {
	prompt := fmt.Sprint(msgs)
	switch role {
	case nodes.RoleRouter:
		return say(ctx, `{"route":"search","confidence":0.9,"category":"other","query":"How long are old logs kept?","sub_queries":[],"keywords":["logs"]}`, opts)
	case nodes.RolePlanner:
		return say(ctx, `[{"name":"keyword_search","args":{"query":"old logs kept"}}]`, opts)
	case nodes.RoleGrader:
		n := len(regexp.MustCompile(` BEGIN \d`).FindAllString(prompt, -1))
		return say(ctx, "["+strings.TrimSuffix(strings.Repeat("0.9,", n), ",")+"]", opts)
	case nodes.RoleVerifier:
		return say(ctx, `{"verdicts":[{"claim":1,"verdict":"SUPPORTED","passage":1,"quote":"Old logs are kept for seven days","reasoning":""},{"claim":2,"verdict":"SUPPORTED","passage":1,"quote":"deleted on Mondays","reasoning":""}],"suggested_corrections":[]}`, opts)
	default:
		return say(ctx, fullAnswer, opts)
	}
}

func pieces(s string) pieceList { return strings.SplitAfter(s, " ") }

type pieceList []string

// say replies with a text, or with the pieces of one, streamed when the caller wants that.
func say[T string | pieceList](ctx context.Context, reply T, opts llms.CallOptions) (*llms.ContentResponse, error) {
	list, ok := any(reply).(pieceList)
	if !ok {
		list = pieces(fmt.Sprint(reply))
	}
	for _, piece := range list {
		if opts.StreamingFunc != nil {
			if err := opts.StreamingFunc(ctx, []byte(piece)); err != nil {
				return nil, err
			}
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: strings.Join(list, ""), StopReason: "stop"}}}, nil
}

// reviewsDown is a queue that takes nothing.
type reviewsDown struct{}

func (reviewsDown) Submit(context.Context, nodes.ReviewRequest) (state.Review, error) {
	return state.Review{}, errors.New("the database is gone")
}

// frailAgent has every stage on, a model with a fault, and a review queue that is down.
func frailAgent(t *testing.T, model llms.Model) *agent.Agent {
	return frailAgentWith(t, model, func(*agent.Config) {})
}

// frailAgentWith is a frailAgent with other settings.
func frailAgentWith(t *testing.T, model llms.Model, change func(*agent.Config)) *agent.Agent {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"logs.md":  "# Logs\n\nOld logs are kept for seven days. They are deleted on Mondays.\n",
		"disk.md":  "# Disk\n\nLogs that are kept too long fill the disk. Old disks fill sooner.\n",
		"other.md": "# Other\n\nThe old logs of the oven are kept in the kitchen.\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "kb"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "kb", name), []byte(text), 0o600))
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "kb.db"), sqlite.Options{Synchronous: "NORMAL"})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	ix, err := index.Open(t.Context(), db.Index(), nil, index.Options{})
	require.NoError(t, err)
	_, err = ix.Update(t.Context(), []string{filepath.Join(dir, "kb")}, index.UpdateOptions{})
	require.NoError(t, err)
	settings := state.DefaultSettings()
	settings.RefineContext, settings.Verify, settings.ScoreConfidence, settings.ReviewMode = true, true, true, state.ReviewProvisional
	settings.RunTimeout = 300 * time.Millisecond // for the model that hangs
	cfg := agent.Config{Settings: settings, Nodes: nodes.Config{
		Tools: tools.NewSet(tools.Local(ix)...), Library: agent.Library(ix, false), Audit: nodes.Discard{}, Model: &nodes.Model{LLM: model}, Reviews: reviewsDown{},
	}}
	change(&cfg)
	a, err := agent.New(cfg)
	require.NoError(t, err)
	return a
}

// Whatever fails in whatever role, the run ends in an answer or an abstention and says what failed.
func TestARunEndsAndSaysWhyWhateverRoleOfTheModelFails(t *testing.T) {
	for _, role := range []string{nodes.RoleRouter, nodes.RolePlanner, nodes.RoleGrader, nodes.RoleSynthesizer, nodes.RoleVerifier} {
		for _, fault := range []string{"down", "rate limited", "talks garbage", "sends nothing", "hangs"} {
			t.Run(role+" "+fault, func(t *testing.T) {
				model := &frail{role: role, fault: fault}
				answer, err := frailAgent(t, model).Do(t.Context(), agent.Question{Text: "How long are old logs kept?"})
				require.NoError(t, err)
				assert.Positive(t, model.failed, "the role was asked")
				assert.NotEmpty(t, answer.Answer)
				assert.Contains(t, []state.Status{state.StatusPass, state.StatusCorrected, state.StatusLowConfidence, state.StatusAbstained, state.StatusAnswered}, answer.Status)
				if role != nodes.RoleSynthesizer || fault != "talks garbage" { // an answer in good order, whose claims do not hold
					assert.NotEmpty(t, answer.Warnings)
				}
				if role == nodes.RoleVerifier {
					assert.NotEqual(t, state.StatusPass, answer.Status, "what could not be verified never passes")
				}
				assert.True(t, answer.State.Finished())
			})
		}
	}
}

// A stream that breaks off behind any of its pieces is no answer: the pieces are void, and another answer follows.
func TestAStreamThatIsCutAtAnyPieceIsNeverShownAsTheAnswer(t *testing.T) {
	for at := range len(pieces(fullAnswer)) + 1 {
		t.Run(fmt.Sprint("behind piece ", at), func(t *testing.T) {
			a := frailAgent(t, &frail{role: nodes.RoleSynthesizer, fault: "breaks off", at: at})
			shown, restarts := "", 0
			var answer agent.Answer
			for e, err := range a.Ask(t.Context(), agent.Question{Text: "How long are old logs kept?"}) {
				require.NoError(t, err)
				switch {
				case e.Restart:
					shown, restarts = "", restarts+1
				case e.Answer != nil:
					answer = *e.Answer
				default:
					shown += e.Token
				}
			}
			assert.Contains(t, strings.Join(answer.Warnings, "\n"), "the model failed as synthesizer")
			assert.Equal(t, answer.Answer, shown, "what was streamed since the last restart is the answer")
			assert.Contains(t, strings.Join(answer.Warnings, "\n"), "no model wrote this answer")
		})
	}
}
