package metrics

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/agent/scenarios"
	"github.com/kbagent/kbagent/graph"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/audit"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/scenario"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/store/sqlite"
	"github.com/kbagent/kbagent/tools"
)

// logged writes lines into an audit log.
type logged struct{ log *audit.Log }

func (l logged) Record(n nodes.Line) error {
	return l.log.Write(audit.Entry{Time: n.Time, Thread: n.Thread, Run: n.Run, Step: n.Step, Action: n.Action, Details: n.Details})
}

// answered asks an agent over two documents, without a model, and records with audit.
func answered(t testing.TB, audit nodes.Audit, questions ...string) {
	t.Helper()
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs")
	require.NoError(t, os.Mkdir(docs, 0o755))
	for name, text := range map[string]string{
		"logs.md": "# Logs\n\nThe daemon rotates its logs every night. Old logs are kept for seven days and then deleted.\n",
		"disk.md": "# Disk\n\nLogs that are kept too long fill the disk.\n\n## Full disk\n\nA full disk stops the daemon.\n",
		"oven.md": "# Oven\n\nThe oven is in the kitchen. It is hot.\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(docs, name), []byte(text), 0o644))
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "kbagent.db"), sqlite.Options{Synchronous: "NORMAL"})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	ix, err := index.Open(t.Context(), db.Index(), nil, index.Options{})
	require.NoError(t, err)
	_, err = ix.Update(t.Context(), []string{docs}, index.UpdateOptions{})
	require.NoError(t, err)
	settings := state.DefaultSettings()
	settings.Verify, settings.ScoreConfidence, settings.AutoApproveMaxItems = true, true, 1
	a, err := agent.New(agent.Config{Store: graph.NewMemoryStore(), Settings: settings, Nodes: nodes.Config{
		Tools: tools.NewSet(tools.Local(ix)...), Library: agent.Library(ix, false), Audit: audit,
	}})
	require.NoError(t, err)
	for _, q := range questions {
		_, err := a.Do(t.Context(), agent.Question{Text: q})
		require.NoError(t, err)
	}
}

func TestALogThatIsReadGivesTheNumbersThatItsRunsGaveLive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(path)
	require.NoError(t, err)
	live := New(Options{})
	answered(t, Tee(logged{log}, live), "How long are old logs kept?", "hello", "Compare the logs and the disk", "What is a zeppelin?")
	require.NoError(t, log.Close())

	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	read := New(Options{})
	tally, err := Read(t.Context(), file, Filter{}, read)
	require.NoError(t, err)
	assert.Zero(t, tally.Damaged)
	assert.Equal(t, withoutTimes(exposition(t, live)), withoutTimes(exposition(t, read)))
	got := strings.Join(samples(t, read), "\n")
	assert.Contains(t, got, "kbagent_runs_started_total 4")
	assert.Contains(t, got, `kbagent_questions_total{category="other",route="chitchat"} 1`)
	assert.Contains(t, got, "crag_retrieval_latency_seconds_count")
	assert.Contains(t, got, "kbagent_answer_confidence_ratio_count")
	assert.NotContains(t, got, "unread")
}

// withoutTimes leaves out the sums of times: the log holds microseconds, and sums are inexact.
func withoutTimes(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "_seconds_sum{") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// overheard is the agent's scenarios with what was audited and observed kept.
type overheard struct {
	scenario.Subject[scenarios.Given, scenarios.When, scenarios.Observation]
	mu   sync.Mutex
	runs int
	all  []heard
}

// heard is the lines of a session and what was seen at the end of each turn.
type heard struct {
	thread string
	lines  []audit.Entry
	turns  []scenarios.Observation
}

type session struct {
	scenario.Session[scenarios.When, scenarios.Observation]
	to *overheard
	heard
}

func (o *overheard) Start(ctx context.Context, g scenarios.Given) (scenario.Session[scenarios.When, scenarios.Observation], error) {
	s, err := o.Subject.Start(ctx, g)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.runs++
	return &session{s, o, heard{thread: fmt.Sprint(o.runs)}}, err
}

func (s *session) Turn(ctx context.Context, w scenarios.When) (scenarios.Observation, scenario.Trace, error) {
	o, trace, err := s.Session.Turn(ctx, w)
	for _, l := range o.Audit {
		s.lines = append(s.lines, audit.Entry{Time: noon, Thread: s.thread + w.Thread, Run: fmt.Sprint(len(s.turns)), Action: l.Action, Details: l.Details})
	}
	s.turns = append(s.turns, o)
	return o, trace, err
}

func (s *session) Close() error {
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	s.to.all = append(s.to.all, s.heard)
	return s.Session.Close()
}

// The scenarios take every edge of the graph and every row of the machine: nothing that they audit is news to the collector,
// and its counts are what the answers say.
func TestTheLinesOfAllScenariosAreUnderstood(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all scenarios")
	}
	list, err := scenario.Load[scenarios.Given, scenarios.When, scenarios.Observation](filepath.Join("..", "..", "agent", "scenarios"))
	require.NoError(t, err)
	subject := &overheard{Subject: scenarios.Subject()}
	scenario.Run(t.Context(), subject, list, scenario.Options{})
	c := New(Options{})
	statuses, actions := Counts{}, Counts{}
	for _, h := range subject.all {
		for _, e := range h.lines {
			c.RecordEntry(e)
		}
		for _, o := range h.turns {
			for _, l := range o.Audit {
				switch l.Action {
				case nodes.AuditRunEnd:
					statuses[o.Status]++
				case nodes.AuditDecide:
					action, _, _ := strings.Cut(o.Decisions[0], " ")
					o.Decisions = o.Decisions[1:]
					actions[action]++
				}
			}
		}
	}
	r, err := c.Report()
	require.NoError(t, err)
	assert.Greater(t, r.Runs.Finished, 100)
	assert.Equal(t, statuses, r.Runs.Statuses)
	assert.Equal(t, actions, r.Answers.Actions)
	for _, line := range samples(t, c) {
		assert.NotContains(t, line, "unread")
		if strings.Contains(line, `"other"`) && !strings.Contains(line, "kbagent_questions_total") && !strings.HasPrefix(line, "kbagent_tool_") {
			t.Errorf("a value of a label that is not known: %s", line)
		}
	}
	for _, name := range []string{"PASS", "SELF_CORRECT", "WEB_SEARCH", "REVIEW", "DELIVER"} {
		assert.Positive(t, r.Answers.Actions[name], name)
	}
	strategies := map[string]bool{}
	for _, correction := range r.Retrieval.Corrections {
		strategies[correction.Strategy] = true
		results := correction.Results.total()
		assert.LessOrEqual(t, results, correction.Count, correction.Strategy)
	}
	text, err := json.Marshal(r.Retrieval.Corrections)
	require.NoError(t, err)
	for _, name := range []string{correctRefine, correctReRetrieve, correctExpansion, correctDecompose, correctWeb, correctAnswer, correctRerank} {
		assert.True(t, strategies[name], "no scenario corrects by %s: %s", name, text)
	}
}
