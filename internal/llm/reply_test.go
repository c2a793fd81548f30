package llm

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAReplyWithoutEndIsMalformedAndNotReadForEver(t *testing.T) {
	e := newEndpoint(Config{BaseURL: "http://model.test"})
	endless := io.NopCloser(zeros{})
	_, err := e.readAll(t.Context(), &http.Response{Body: endless})
	require.ErrorIs(t, err, ErrMalformed)
	require.ErrorContains(t, err, "larger than 64 MiB")
}

// zeros never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
