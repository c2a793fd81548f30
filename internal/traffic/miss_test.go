package traffic_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/llm/llmtest"
	"github.com/kbagent/kbagent/internal/traffic"
)

func TestAMissNamesTheNearestRequestAndWhereTheyDiffer(t *testing.T) {
	const long = "the quick brown fox jumps over the lazy dog and runs far away"
	file := record(t, scripted(answer(200, io.EOF, "1"), answer(200, io.EOF, "2")), func(r *traffic.Recorder) {
		for _, body := range []string{`{"model":"m","messages":[{"role":"user","content":"` + long + `"}]}`, `{"other":true}`} {
			_, _, err := post(t, r, body)
			require.NoError(t, err)
		}
	})
	for body, want := range map[string]traffic.MissError{
		`{"model":"m","messages":[{"role":"user","content":"the quick brown fox jumps over the lazy cat and runs far away"}]}`: {
			Line: 2, Where: "messages[0].content", Recorded: "…brown fox jumps over the lazy dog and runs far away", Asked: "…brown fox jumps over the lazy cat and runs far away",
		},
		`{"model":"n","messages":[{"role":"user","content":"` + long + `"}]}`: {Line: 2, Where: "model", Recorded: "m", Asked: "n"},
		`{"other":null}`:                {Line: 3, Where: "other", Recorded: "true", Asked: "null"},
		`{"other":true,"messages":[1]}`: {Line: 3, Where: "messages", Recorded: "", Asked: "[1]"},
		`[]`:                            {Line: 3, Where: "the body", Recorded: `{"other":true}`, Asked: "[]"},
	} {
		_, _, err := post(t, replay(t, file), body)
		var miss *traffic.MissError
		require.ErrorAs(t, err, &miss)
		want.Name, want.Method, want.Path = "rec.jsonl", "POST", "/v1/chat/completions"
		assert.Equal(t, want, *miss)
	}
	_, _, err := post(t, replay(t, file), `{"model":"n","messages":[]}`)
	assert.ErrorContains(t, err, "POST /v1/chat/completions is not in the recording rec.jsonl: the nearest, on line ")
	assert.ErrorContains(t, err, "differs at ")
}

func TestAMissWithoutAnythingNearSaysSo(t *testing.T) {
	p := replay(t, record(t, traffic.Options{}, func(*traffic.Recorder) {}))
	_, _, err := post(t, p, `{}`)
	require.EqualError(t, err, "POST /v1/chat/completions is not in the recording rec.jsonl: it holds no request of this kind")
	require.Error(t, p.Err())
}

// counting counts the requests that pass.
type counting struct {
	http.RoundTripper
	n int
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n++
	return c.RoundTripper.RoundTrip(r)
}

func TestAMissIsNotTriedAgain(t *testing.T) {
	s := llmtest.NewServer(t)
	s.Reply(llmtest.Text("fine"))
	file := record(t, traffic.Options{}, func(r *traffic.Recorder) { hear(t.Context(), model(t, s.URL, r), "a", false) })
	c := &counting{RoundTripper: replay(t, file)}
	h := hear(t.Context(), model(t, s.URL, c), "b", false)
	assert.Contains(t, h.Error, `differs at messages[0].content: recorded "a", asked "b"`)
	assert.Equal(t, 1, c.n)
}
