package traffic

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const mixedTape = `{"traffic":{"version":1,"seed":"S"}}
{"exchange":{"n":2,"method":"POST","path":"/v1/chat/completions","status":200,"header":{"Content-Type":"text/event-stream"},"body":["two"],"failure":{"kind":"left"}}}
{"exchange":{"n":1,"method":"POST","path":"/v1/chat/completions","status":200,"body":["one"]}}
{"exchange":{"n":3,"method":"POST","path":"/v1/embeddings","status":200,"body":["vectors"]}}
{"exchange":{"n":4,"method":"POST","path":"/v1/chat/completions","status":429,"body":["later"]}}
{"exchange":{"n":5,"method":"POST","path":"/v1/chat/completions","status":200,"body":["cu"],"failure":{"kind":"cut","text":"unexpected EOF"}}}
{"exchange":{"n":6,"method":"GET","path":"/v1/models","status":200,"body":["list"]}}
{"end":{"exchanges":6}}
`

func TestASequenceGivesTheWholeAnswersOfModelsInTheOrderOfTheirRequests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(mixedTape), 0o600))
	seq, err := OpenSequence(path)
	require.NoError(t, err)
	client := http.Client{Transport: seq}
	var bodies []string
	var streams []bool
	for {
		asked, streamed, ok := seq.Next()
		if !ok {
			break
		}
		assert.Equal(t, "/v1/chat/completions", asked)
		resp, err := client.Post("http://anything.invalid", "application/json", strings.NewReader("{}"))
		require.NoError(t, err)
		one := make([]byte, 3)
		_, err = io.ReadFull(resp.Body, one)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		bodies, streams = append(bodies, string(one)), append(streams, streamed)
	}
	assert.Equal(t, []string{"one", "two"}, bodies)
	assert.Equal(t, []bool{false, true}, streams)
	_, err = client.Get("http://anything.invalid")
	assert.ErrorIs(t, err, errSequenceEnd)
}

func TestASequenceOfNoRecordingIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tape.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("no\n"), 0o600))
	_, err := OpenSequence(path)
	var format *FormatError
	assert.ErrorAs(t, err, &format)
	_, err = OpenSequence(filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
