package e2e

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kbagent/kbagent/agent"
	"github.com/kbagent/kbagent/index"
	"github.com/kbagent/kbagent/internal/llm"
	"github.com/kbagent/kbagent/nodes"
	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/store/sqlite"
	"github.com/kbagent/kbagent/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// endpoint is the server that the environment names.
type endpoint struct {
	provider, base, key, model, fast, embedding string
}

// server is the endpoint, or the test is skipped.
func server(t *testing.T) endpoint {
	t.Helper()
	e := endpoint{
		provider: os.Getenv("KB_AGENT_E2E_PROVIDER"), base: os.Getenv("KB_AGENT_E2E_LLM_BASE_URL"), key: os.Getenv("KB_AGENT_E2E_API_KEY"),
		model: os.Getenv("KB_AGENT_E2E_LLM_MODEL"), fast: os.Getenv("KB_AGENT_E2E_FAST_MODEL"), embedding: os.Getenv("KB_AGENT_E2E_EMBEDDING_MODEL"),
	}
	if e.base == "" || e.model == "" {
		t.Skip("KB_AGENT_E2E_LLM_BASE_URL and KB_AGENT_E2E_LLM_MODEL name no server")
	}
	return e
}

// number is a setting of the suite.
func number(t *testing.T, name string, standard uint64) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(cmp.Or(os.Getenv(name), strconv.FormatUint(standard, 10)), 10, 64)
	require.NoError(t, err, name)
	return n
}

// documents is the knowledge base of every test.
var documents = map[string]string{
	"logs.md":    "# Logs\n\n## Retention\n\nOld logs are kept for seven days. Then the nightly job removes them.\n\n## Rotation\n\nLogs are rotated when they reach 100 MB.\n",
	"refunds.md": "# Refunds\n\nThe refund window is thirty days from the day of the purchase. A refund is paid to the card that was charged.\n",
	"disk.md":    "# Disk\n\nLogs that are kept too long fill the disk. Raise the limit of the volume, or shorten the retention of the logs.\n",
	"backup.md":  "# Backup\n\nA backup runs every night at two. It keeps the last fourteen copies of the database, and the logs of the last day.\n",
	"baking.md":  "# Bread\n\nBread bakes for an hour at 220 degrees. Let it cool before you cut it.\n",
}

// world is an agent with everything that the program gives it, on a store of its own.
type world struct {
	*agent.Agent
	index     *index.Index
	transport *http.Transport
	model     *llm.Model
}

// options change a world.
type options struct {
	base     string // in place of the endpoint's
	wrap     func(http.RoundTripper) http.RoundTripper
	settings func(*state.Settings)
	roles    []string // that the model plays; default all
	fast     bool
	vectors  bool
	retries  int // default none
	fence    func() string
}

// callTimeout bounds each call: a server that hangs fails the test instead of holding it up.
const callTimeout = 5 * time.Minute

// build makes a world that ends with the test.
func build(t *testing.T, e endpoint, o options) *world {
	t.Helper()
	w := &world{transport: http.DefaultTransport.(*http.Transport).Clone()}
	t.Cleanup(w.transport.CloseIdleConnections)
	var transport http.RoundTripper = w.transport
	if o.wrap != nil {
		transport = o.wrap(transport)
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "kbagent.db"), sqlite.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	w.index = openIndex(t, e, db, transport, o.vectors)

	cfg := llm.Config{
		Provider: e.provider, BaseURL: cmp.Or(o.base, e.base), APIKey: e.key, Model: e.model, Transport: transport,
		MaxRetries: cmp.Or(o.retries, -1), RetryWait: time.Millisecond, Timeout: callTimeout,
	}
	w.model, err = llm.New(cfg)
	require.NoError(t, err)
	settings := state.DefaultSettings()
	if o.settings != nil {
		o.settings(&settings)
	}
	n := nodes.Config{
		Tools: tools.NewSet(tools.Local(w.index)...), Library: agent.Library(w.index, o.vectors), Audit: nodes.Discard{},
		Model: &nodes.Model{LLM: w.model, Schema: llm.Schema, Fence: o.fence}, ModelRoles: o.roles,
	}
	if o.fast {
		cfg.Model = e.fast
		fast, err := llm.New(cfg)
		require.NoError(t, err)
		n.FastModel = &nodes.Model{LLM: fast, Schema: llm.Schema}
	}
	w.Agent, err = agent.New(agent.Config{Nodes: n, Store: db.Checkpoints(), Settings: settings})
	require.NoError(t, err)
	return w
}

// openIndex indexes the documents.
func openIndex(t *testing.T, e endpoint, db *sqlite.DB, transport http.RoundTripper, vectors bool) *index.Index {
	t.Helper()
	folder := t.TempDir()
	for name, text := range documents {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	var embedder index.Embedder
	if vectors {
		embed, err := llm.NewEmbedder(llm.EmbeddingConfig{BaseURL: e.base, APIKey: e.key, Model: e.embedding, Transport: transport})
		require.NoError(t, err)
		embedder = embed
	}
	ix, err := index.Open(t.Context(), db.Index(), embedder, index.Options{Degraded: func(err error) { t.Errorf("search by meaning failed: %v", err) }})
	require.NoError(t, err)
	report, err := ix.Update(t.Context(), []string{folder}, index.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, len(documents), report.Files.Indexed)
	return ix
}

// run is what one question showed on its way.
type run struct {
	shown  string // the answer as it was streamed
	events int    // before the answer
	answer agent.Answer
}

// ask asks and watches. Its error is that of the run.
func (w *world) ask(ctx context.Context, q agent.Question) (run, error) {
	var r run
	for e, err := range w.Ask(ctx, q) {
		switch {
		case err != nil:
			return r, err
		case e.Restart:
			r.shown = ""
		case e.Answer != nil:
			r.answer = *e.Answer
		default:
			r.events++
		}
		r.shown += e.Token
	}
	return r, nil
}

// approved makes every search sufficient: the way to the answer is short.
func approved(s *state.Settings) { s.AutoApproveMaxItems = 100 }

// graded makes every search go to the grader: no rule approves it.
func graded(s *state.Settings) { s.AutoApproveMaxItems, s.MaxIterations = 0, 2 }
