package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var noon = time.Date(2024, 5, 6, 12, 0, 0, 1000, time.UTC)

func open(t *testing.T, path string, opts ...Option) *Log {
	t.Helper()
	log, err := Open(path, opts...)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := log.Close(); !errors.Is(err, os.ErrClosed) {
			assert.NoError(t, err)
		}
	})
	return log
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func TestALineHoldsTheEntryInAFixedOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folder", "audit.jsonl")
	log := open(t, path)
	require.NoError(t, log.Write(Entry{Time: noon, Thread: "t", Run: "r", Step: 3, Action: "route", Details: map[string]any{"b": "<x> & \"y\"", "a": []any{1, nil, 0.5}}}))
	require.NoError(t, log.Write(Entry{Time: noon}))
	assert.Equal(t, `{"time":"2024-05-06T12:00:00.000001Z","thread":"t","run":"r","step":3,"action":"route","details":{"a":[1,null,0.5],"b":"<x> & \"y\""}}
{"time":"2024-05-06T12:00:00.000001Z","thread":"","run":"","step":0,"action":"","details":{}}
`, text(t, path))
}

func TestAnOpenedLogIsContinued(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	for _, action := range []string{"one", "two"} {
		log := open(t, path)
		require.NoError(t, log.Write(Entry{Action: action}))
		require.NoError(t, log.Close())
	}
	assert.Equal(t, []string{"one", "two"}, actions(t, path))
}

func TestALineThatWasCutSpoilsNoOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{\"action\":\"old\"}\n{\"time\":\"20"), 0o600))
	log := open(t, path)
	require.NoError(t, log.Write(Entry{Action: "one"}))
	other, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = other.WriteString("{\"killed in the mid")
	require.NoError(t, errors.Join(err, other.Close()))
	require.NoError(t, log.Write(Entry{Action: "two"}))
	assert.Equal(t, []string{"old", "cut", "one", "cut", "two"}, actions(t, path))
}

func TestAnEntryThatCannotBeEncodedIsNotWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := open(t, path)
	err := log.Write(Entry{Action: "grade", Details: map[string]any{"score": math.NaN()}})
	assert.ErrorContains(t, err, `the audit line "grade" cannot be encoded`)
	assert.Error(t, log.Write(Entry{Time: time.Date(10001, 1, 1, 0, 0, 0, 0, time.UTC)}))
	assert.Error(t, NewRecorder().Write(Entry{Details: map[string]any{"x": make(chan int)}}))
	assert.Empty(t, text(t, path))
}

func TestAClosedLogTakesNothing(t *testing.T) {
	log := open(t, filepath.Join(t.TempDir(), "audit.jsonl"))
	require.NoError(t, log.Close())
	assert.ErrorIs(t, log.Write(Entry{}), os.ErrClosed)
	assert.ErrorIs(t, log.Close(), os.ErrClosed)
}

func TestALogThatCannotBeOpenedIsAnError(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir)
	assert.ErrorContains(t, err, "the audit log cannot be opened")
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = Open(filepath.Join(file, "audit.jsonl"))
	assert.ErrorContains(t, err, "the folder of the audit log cannot be made")
}

type nested struct {
	Card string   `json:"card"`
	List []string `json:"list"`
}

func TestCardsAndSecretsAreMaskedInEveryString(t *testing.T) {
	const card, key = "4111 1111 1111 1111", `sk-"quoted"\key`
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, recorder := open(t, path, WithSecrets(key), WithSecrets("step")), NewRecorder(WithSecrets(key, "step"))
	e := Entry{Time: noon, Thread: "thread of " + card, Run: key, Step: 1, Action: "step", Details: map[string]any{
		"text":           "pay with " + card + " now",
		"nested":         map[string]any{"deep": []any{nested{Card: card, List: []string{key, "a" + key + "b"}}, &nested{Card: "4111111111111111"}}},
		"raw":            json.RawMessage(`{"card":"\u0034111111111111111"}`),
		"key of " + card: key,
		"count":          12345,
	}}
	require.NoError(t, log.Write(e))
	require.NoError(t, recorder.Write(e))
	written := text(t, path)
	for _, secret := range []string{card, "4111111111111111", "sk-", "quoted"} {
		assert.NotContains(t, written, secret)
	}
	assert.Contains(t, written, `"text":"pay with **** **** **** 1111 now"`)
	assert.Contains(t, written, `"step":1,"action":"step"`, "a secret that is an everyday word leaves the form of the line alone")
	assert.Contains(t, written, `"count":12345`)

	var l line
	require.NoError(t, json.Unmarshal([]byte(written), &l))
	assert.Equal(t, "thread of **** **** **** 1111", l.Thread)
	require.Len(t, recorder.Entries(), 1)
	assert.Equal(t, "****", recorder.Entries()[0].Details["key of **** **** **** 1111"])
	assert.Equal(t, "****", recorder.Entries()[0].Run)
}

func TestARecorderKeepsWhatALogWouldHold(t *testing.T) {
	var r Recorder
	require.NoError(t, r.Write(Entry{Time: noon, Thread: "t", Run: "r", Step: 2, Action: "one", Details: map[string]any{"n": 1, "list": []string{"x"}}}))
	require.NoError(t, r.Write(Entry{Action: "two"}))
	assert.Equal(t, []string{"one", "two"}, r.Actions())
	got := r.Entries()
	assert.Equal(t, Entry{Time: noon, Thread: "t", Run: "r", Step: 2, Action: "one", Details: map[string]any{"n": 1.0, "list": []any{"x"}}}, got[0])
	got[0].Action = "changed"
	assert.Equal(t, "one", r.Entries()[0].Action)
}

func TestGoroutinesAndProcessesShareALog(t *testing.T) {
	if path := os.Getenv("AUDIT_TEST_CHILD"); path != "" {
		writeMany(t, path, "child")
		return
	}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var children []*exec.Cmd
	for range 2 {
		child := exec.Command(os.Args[0], "-test.run=^TestGoroutinesAndProcessesShareALog$")
		child.Env = append(os.Environ(), "AUDIT_TEST_CHILD="+path)
		require.NoError(t, child.Start())
		children = append(children, child)
	}
	writeMany(t, path, "parent")
	for _, child := range children {
		require.NoError(t, child.Wait())
	}
	counts := map[string]int{}
	for _, action := range actions(t, path) {
		counts[action]++
	}
	assert.Equal(t, map[string]int{"parent": 400, "child": 800}, counts)
}

func writeMany(t *testing.T, path, action string) {
	log := open(t, path)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 100 {
				assert.NoError(t, log.Write(Entry{Action: action, Step: i, Details: map[string]any{"text": strings.Repeat("x", g*i*20)}}))
			}
		})
	}
	wg.Wait()
}

func TestMaskingKeepsTheDetailsButForWhatItHides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		details := map[string]any{}
		for k, v := range rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "details") {
			details[k] = v
		}
		var r Recorder
		require.NoError(t, r.Write(Entry{Details: details}))
		want := map[string]any{}
		for k, v := range details {
			want[valid(r.hide(k))] = valid(r.hide(v.(string)))
		}
		assert.Equal(t, want, r.Entries()[0].Details)
	})
}

// valid is what encoding/json makes of a string.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func FuzzHideStrings(f *testing.F) {
	f.Add(`{"a":"4111111111111111","b":[1,"\"\\",{"c":"sk-12"}]}`)
	f.Add(`"\u0034111111111111111"`)
	f.Add(`{"":null}`)
	h := hider{secrets: []string{"sk-12"}}
	f.Fuzz(func(t *testing.T, s string) {
		var v any
		if json.Unmarshal([]byte(s), &v) != nil {
			return
		}
		compact, err := marshal(v)
		require.NoError(t, err)
		hidden, err := h.hideStrings(compact)
		require.NoError(t, err)
		var again any
		require.NoError(t, json.Unmarshal(hidden, &again), "%s became %s", compact, hidden)
		assert.NotContains(t, string(hidden), "sk-12")
		twice, err := h.hideStrings(hidden)
		require.NoError(t, err)
		assert.True(t, json.Valid(twice))
	})
}

func BenchmarkWrite(b *testing.B) {
	log, err := Open(filepath.Join(b.TempDir(), "audit.jsonl"), WithSecrets("sk-12345"))
	require.NoError(b, err)
	e := Entry{Time: noon, Thread: "thread", Run: "run", Step: 3, Action: "tool_call", Details: map[string]any{"name": "keyword_search", "args": map[string]any{"query": "install on Linux", "k": 8}, "items": 8}}
	for b.Loop() {
		if err := log.Write(e); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, log.Close())
}

// actions are the actions of the lines of a log; "cut" for a line that is no JSON.
func actions(t *testing.T, path string) []string {
	t.Helper()
	var list []string
	lines := bufio.NewScanner(bytes.NewReader([]byte(text(t, path))))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l line
		switch err := json.Unmarshal(lines.Bytes(), &l); {
		case len(lines.Bytes()) == 0: // two writers may both start a new line
		case err != nil:
			list = append(list, "cut")
		default:
			list = append(list, l.Action)
		}
	}
	require.NoError(t, lines.Err())
	return list
}

func ExampleLog() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			fmt.Println(err)
		}
	}()
	path := filepath.Join(dir, "audit.jsonl")
	log, err := Open(path, WithSecrets("sk-12345"))
	if err != nil {
		fmt.Println(err)
		return
	}
	err = log.Write(Entry{Time: noon, Thread: "t1", Run: "r1", Step: 2, Action: "tool_error", Details: map[string]any{"error": "key sk-12345 refused"}})
	line, readErr := os.ReadFile(path)
	fmt.Print(string(line), errors.Join(err, readErr, log.Close()))
	// Output:
	// {"time":"2024-05-06T12:00:00.000001Z","thread":"t1","run":"r1","step":2,"action":"tool_error","details":{"error":"key **** refused"}}
	// <nil>
}
