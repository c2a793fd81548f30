package llm

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readEvents reads to the end; the error is nil at a clean end.
func readEvents(r io.Reader) ([]sseEvent, error) {
	reader := newSSEReader(r)
	var events []sseEvent
	for {
		event, err := reader.next()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, event)
	}
}

func TestAnEventStreamIsCutIntoEvents(t *testing.T) {
	for name, c := range map[string]struct {
		stream string
		want   []sseEvent
	}{
		"two events":                      {"data: a\n\ndata: b\n\n", []sseEvent{{Data: []byte("a")}, {Data: []byte("b")}}},
		"no space after the colon":        {"data:a\n\n", []sseEvent{{Data: []byte("a")}}},
		"only one space is taken":         {"data:  a\n\n", []sseEvent{{Data: []byte(" a")}}},
		"carriage returns":                {"data: a\r\n\r\ndata: b\r\n\r\n", []sseEvent{{Data: []byte("a")}, {Data: []byte("b")}}},
		"comments and browser fields":     {": ping\nid: 7\nretry: 10\ndata: a\n\n", []sseEvent{{Data: []byte("a")}}},
		"several data lines are one":      {"data: a\ndata: b\n\n", []sseEvent{{Data: []byte("a\nb")}}},
		"a named event":                   {"event: error\ndata: a\n\ndata: b\n\n", []sseEvent{{Name: "error", Data: []byte("a")}, {Data: []byte("b")}}},
		"a name without data is dropped":  {"event: ping\n\ndata: b\n\n", []sseEvent{{Data: []byte("b")}}},
		"blank lines between":             {"\n\n\ndata: a\n\n\n\n", []sseEvent{{Data: []byte("a")}}},
		"a byte order mark":               {"\uFEFFdata: a\n\n", []sseEvent{{Data: []byte("a")}}},
		"no blank line at the end":        {"data: a\n", []sseEvent{{Data: []byte("a")}}},
		"no line end at the end":          {"data: a", []sseEvent{{Data: []byte("a")}}},
		"nothing":                         {"", nil},
		"only comments":                   {": a\n: b", nil},
		"a field without a colon is data": {"data\n\n", []sseEvent{{}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readEvents(strings.NewReader(c.stream))
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
			slow, err := readEvents(iotest.OneByteReader(strings.NewReader(c.stream)))
			require.NoError(t, err)
			assert.Equal(t, c.want, slow, "byte by byte")
		})
	}
}

func TestALineThatIsNoFieldIsAnError(t *testing.T) {
	for _, stream := range []string{"error: {}\n\n", "{\"error\":1}\n", "hello\n", " data: a\n\n"} {
		_, err := readEvents(strings.NewReader(stream))
		assert.Error(t, err, "%q", stream)
	}
}

func TestAReadErrorIsPassedOnAndNotTakenForTheEnd(t *testing.T) {
	broken := errors.New("broken")
	got, err := readEvents(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	assert.Len(t, got, 1, "the event that was under way is not delivered")
}

func TestAnEventWithoutEndIsBounded(t *testing.T) {
	endless := strings.Repeat("x", maxEvent)
	_, err := readEvents(strings.NewReader("data: " + endless))
	assert.ErrorContains(t, err, "longer than")
	half := strings.Repeat("x", maxEvent/2)
	_, err = readEvents(strings.NewReader("data: " + half + "\ndata: " + half + "\n\n"))
	assert.ErrorContains(t, err, "larger than")
}

func FuzzTheReaderNeverPanicsAndDoesNotDependOnHowBytesArrive(f *testing.F) {
	for _, seed := range []string{
		"data: {\"choices\":[]}\n\ndata: [DONE]\n\n", "event: error\r\ndata: x\r\n\r\n", ": c\n\ndata\n\n",
		"data: a\ndata: b", "\uFEFFdata: a\n", "nonsense\n", "data: \x00\xff\n\n", "\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole, wholeErr := readEvents(bytes.NewReader(stream))
		bits, bitsErr := readEvents(iotest.OneByteReader(bytes.NewReader(stream)))
		require.Equal(t, whole, bits)
		require.Equal(t, wholeErr == nil, bitsErr == nil)
		for _, event := range whole {
			require.LessOrEqual(t, len(event.Data), len(stream))
		}
	})
}
