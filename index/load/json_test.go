package load_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/index/load"
)

func TestEachLineOfJSONLinesIsASection(t *testing.T) {
	loaded := read(t, "answers.jsonl", testdata(t, "answers.jsonl"))
	assert.Equal(t, []outline{{1, 1, "line 1: How do I rotate keys?"}, {12, 1, "line 3: 备份在哪里？"}}, marks(loaded))
	assert.Equal(t, `id: 7
title: How do I rotate keys?
meta.team: ops
meta.tags: keys
meta.tags: security
body:

Run `+"`kbctl rotate`"+`.
Wait for the reload.


id: 8
title: 备份在哪里？
meta.team: dba
body: 备份保存在对象存储中。
`, loaded.Text)
}

func TestAChosenFieldIsTheTextOfARecord(t *testing.T) {
	f := newFiles(t, load.Options{TextField: "doc.body"})
	loaded, err := f.Load(t.Context(), "a.json", []byte(`{"version": 2, "items": [{"title": "T", "doc": {"body": "the body", "n": 1}}, {"title": "no body"}, {"doc": {"body": "second"}}]}`))
	require.NoError(t, err)
	assert.Equal(t, []outline{{1, 1, "items record 1: T"}, {5, 1, "items record 3"}}, marks(loaded))
	assert.Equal(t, "T\n\nthe body\n\nsecond\n", loaded.Text)
}

func TestJSON(t *testing.T) {
	for name, tt := range map[string]struct {
		in, want string
		marks    []outline
	}{
		"a list of objects":           {`[{"name":"a","n":1.50},{"name":"b","ok":true,"x":null}]`, "name: a\nn: 1.50\n\nname: b\nok: true\n", []outline{{1, 1, "record 1: a"}, {4, 1, "record 2: b"}}},
		"an object that holds a list": {`{"team":"ops","people":[{"name":"Ann"}]}`, "team: ops\n\nname: Ann\n", []outline{{1, 0, "team"}, {3, 1, "people record 1: Ann"}}},
		"settings":                    {`{"server":{"port":80,"tls":{"on":true}},"paths":["a","b"]}`, "server.port: 80\nserver.tls.on: true\n\npaths: a\npaths: b\n", []outline{{1, 0, "server"}, {4, 0, "paths"}}},
		"a single value":              {`"hello"`, "hello\n", nil},
		"a list of values":            {`["a","b"]`, "a\n\nb\n", []outline{{1, 0, ""}, {3, 0, ""}}},
		"large numbers stay":          {`{"n":12345678901234567890}`, "n: 12345678901234567890\n", []outline{{1, 0, "n"}}},
		"a NUL is left out":           {`{"n":"a\u0000b"}`, "n: ab\n", []outline{{1, 0, "n"}}},
	} {
		t.Run(name, func(t *testing.T) {
			loaded := read(t, "a.json", tt.in)
			assert.Equal(t, tt.want, loaded.Text)
			assert.Equal(t, tt.marks, marks(loaded))
		})
	}
}

func TestMalformedJSONIsRefusedWithThePlace(t *testing.T) {
	for name, tt := range map[string]struct{ file, in, want string }{
		"cut short":                {"a.json", `{"a": [1, 2`, "ends in the middle"},
		"a comma too many":         {"a.json", `{"a": 1,}`, "offset"},
		"several values in a file": {"a.json", "{}\n{}", "JSON Lines are read from .jsonl"},
		"a broken line":            {"a.jsonl", "{}\n{\"a\"\n{}", "line 2"},
		"two values in a line":     {"a.jsonl", "{} {}", "more than one value"},
	} {
		t.Run(name, func(t *testing.T) {
			err := refused(t, tt.file, tt.in)
			require.ErrorIs(t, err, load.ErrMalformed)
			assert.ErrorContains(t, err, tt.want)
		})
	}
	require.ErrorIs(t, refused(t, "a.json", strings.Repeat("[", 10_000)), load.ErrTooLarge)
}

func TestRecordsAboveTheLimitAreCounted(t *testing.T) {
	f := newFiles(t, load.Options{MaxRows: 1})
	loaded, err := f.Load(t.Context(), "a.jsonl", []byte("{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"))
	require.NoError(t, err)
	assert.Equal(t, "a: 1\n\nThe first 1 of 3 records are here.\n", loaded.Text)
}
