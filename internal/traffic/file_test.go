package traffic_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/internal/traffic"
)

func small(t *testing.T) string {
	return record(t, scripted(answer(200, io.EOF, "one\ntwo"), fails(errors.New("refused"))), func(r *traffic.Recorder) {
		post(t, r, `{"x":1}`)
		post(t, r, `{"x":2}`)
	})
}

func TestARecordingThatIsCutAnywhereIsRefusedWithTheLine(t *testing.T) {
	file := small(t)
	require.Equal(t, 4, strings.Count(file, "\n"))
	for n := range len(file) {
		_, err := traffic.NewReplayer(strings.NewReader(file[:n]), "rec.jsonl", traffic.Options{})
		var format *traffic.FormatError
		require.ErrorAs(t, err, &format, "cut after %d bytes", n)
		assert.Equal(t, strings.Count(file[:n], "\n")+1, format.Line)
		assert.Contains(t, err.Error(), "was cut")
	}
}

func TestARecordingWithGarbageIsRefusedWithTheLine(t *testing.T) {
	lines := strings.SplitAfter(small(t), "\n")
	change := func(i int, text string) string {
		changed := append([]string(nil), lines...)
		changed[i] = text
		return strings.Join(changed, "")
	}
	for file, want := range map[string]string{
		change(0, ""):            "rec.jsonl:1: it does not begin as a recording does",
		change(0, "hello\n"):     "rec.jsonl:1: it is no line of a recording",
		change(1, "{}\n"):        "rec.jsonl:2: it is no line of a recording",
		change(1, "\n"):          "rec.jsonl:2: it is no line of a recording",
		change(1, ""):            "rec.jsonl:3: it holds 1 exchanges and says that it has 2",
		change(2, lines[0]):      "rec.jsonl:3: another recording begins inside",
		change(4, lines[1]):      "rec.jsonl:5: something follows the end",
		change(1, "{\"x\":1}\n"): "rec.jsonl:2: it is no line of a recording",
		strings.Replace(small(t), `"version":1`, `"version":9`, 1):              "rec.jsonl:1: it has the version 9",
		change(1, strings.Replace(lines[1], `}}`, `}} {}`, 1)):                  "rec.jsonl:2: ",
		change(1, strings.Replace(lines[1], `"status":200`, `"status":7`, 1)):   "rec.jsonl:2: an exchange has an impossible status",
		change(1, strings.Replace(lines[1], `"status":200,`, ``, 1)):            "rec.jsonl:2: an exchange has neither an answer nor a failure",
		change(1, strings.Replace(lines[1], `"n":1`, `"n":0`, 1)):               "rec.jsonl:2: an exchange has no number",
		change(1, strings.Replace(lines[1], `"POST"`, `""`, 1)):                 "rec.jsonl:2: an exchange has no method",
		change(2, strings.Replace(lines[2], `"other"`, `"new"`, 1)):             `rec.jsonl:3: a failure has the unknown kind "new"`,
		change(1, strings.Replace(lines[1], `"one\ntwo"`, `{"base64":"*"}`, 1)): "rec.jsonl:2: it is no line of a recording",
	} {
		_, err := traffic.NewReplayer(strings.NewReader(file), "rec.jsonl", traffic.Options{})
		require.ErrorContains(t, err, want)
	}
	_, err := traffic.Open(filepath.Join(t.TempDir(), "none"), traffic.Options{})
	require.ErrorContains(t, err, "traffic: replay: open")
}

func TestAFailureIsReplayedAsWhatItWas(t *testing.T) {
	for _, failure := range []error{
		&net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")},
		&net.DNSError{Err: "no such host", Name: "model.test", IsNotFound: true},
		&tls.CertificateVerificationError{Err: errors.New("unknown authority")},
		http.ErrSchemeMismatch,
		io.ErrUnexpectedEOF,
	} {
		file := record(t, scripted(fails(failure)), func(r *traffic.Recorder) { post(t, r, `{}`) })
		_, _, err := post(t, replay(t, file), `{}`)
		require.EqualError(t, err, failure.Error())
		var dns *net.DNSError
		if errors.As(failure, &dns) {
			require.ErrorAs(t, err, &dns)
			assert.Equal(t, "model.test", dns.Name)
		}
		var certificate *tls.CertificateVerificationError
		assert.Equal(t, errors.As(failure, &certificate), errors.As(err, &certificate))
		assert.Equal(t, errors.Is(failure, http.ErrSchemeMismatch), errors.Is(err, http.ErrSchemeMismatch))
		assert.Equal(t, errors.Is(failure, io.ErrUnexpectedEOF), errors.Is(err, io.ErrUnexpectedEOF))
	}
}

// silent answers when the client has gone.
func silent(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestASilentServerIsSilentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var file strings.Builder
		r, err := traffic.NewRecorder(&file, scripted(silent, silent, silent))
		require.NoError(t, err)
		want := hearWithin(t, 3*time.Second, r)
		require.NoError(t, r.Close())
		begin := time.Now()
		assert.Equal(t, want, hearWithin(t, 3*time.Second, replay(t, file.String())))
		assert.Equal(t, 3*time.Second, time.Since(begin))
		assert.Equal(t, context.DeadlineExceeded.Error(), want.Error)
	})
}

func hearWithin(t *testing.T, d time.Duration, transport http.RoundTripper) heard {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	return hear(ctx, model(t, "http://model.test/v1", transport), "hello", false)
}

func TestWhatTheClientDidNotReadIsNotInvented(t *testing.T) {
	file := record(t, scripted(answer(200, io.EOF, "read", "unread")), func(r *traffic.Recorder) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://model.test/v1/chat/completions", strings.NewReader(`{}`))
		require.NoError(t, err)
		resp, err := r.RoundTrip(req)
		require.NoError(t, err)
		_, err = io.ReadFull(resp.Body, make([]byte, 4))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.NoError(t, resp.Body.Close())
	})
	_, got, err := post(t, replay(t, file), `{}`)
	require.ErrorContains(t, err, "the recorded client read no further")
	assert.Equal(t, []string{"read"}, got)
}

func TestAReplayOnlyAnswersAsLongAsItsContextLives(t *testing.T) {
	p := replay(t, small(t))
	ctx, cancel := context.WithCancel(t.Context())
	send := func() (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://model.test/v1/chat/completions", strings.NewReader(`{"x":1}`))
		require.NoError(t, err)
		return p.RoundTrip(req)
	}
	resp, err := send()
	require.NoError(t, err)
	cancel()
	_, err = resp.Body.Read(make([]byte, 9))
	require.ErrorIs(t, err, context.Canceled)
	_, err = send()
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, p.Left(), "a cancelled request takes no answer")
	require.NoError(t, resp.Body.Close())
}

func TestAnExchangeThatIsUnderWayAtTheEndIsAnError(t *testing.T) {
	var file strings.Builder
	r, err := traffic.NewRecorder(&file, scripted(answer(200, io.EOF, "one")))
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://model.test/v1/models", nil)
	require.NoError(t, err)
	resp, err := r.RoundTrip(req)
	require.NoError(t, err)
	require.ErrorContains(t, r.Close(), "1 of 1 exchanges were not recorded: they were still under way")
	require.NoError(t, resp.Body.Close())
	require.Error(t, r.Close(), "closing again tells the same")
	_, err = traffic.NewReplayer(strings.NewReader(file.String()), "rec.jsonl", traffic.Options{})
	require.ErrorContains(t, err, "was cut")
}

// full is a disk that is full after n writes.
type full struct{ n int }

func (f *full) Write(p []byte) (int, error) {
	if f.n--; f.n < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func TestAFullDiskIsToldAtTheEndAndDoesNotStopTheWork(t *testing.T) {
	_, err := traffic.NewRecorder(&full{}, traffic.Options{})
	require.ErrorContains(t, err, "no space left")
	r, err := traffic.NewRecorder(&full{n: 1}, scripted(answer(200, io.EOF, "one")))
	require.NoError(t, err)
	_, got, err := post(t, r, `{}`)
	require.NoError(t, err)
	assert.Equal(t, []string{"one"}, got)
	require.ErrorContains(t, r.Close(), "no space left")
}
