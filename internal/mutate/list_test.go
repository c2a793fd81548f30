package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAListIsReadWithItsTestsAndEdits(t *testing.T) {
	list, err := parse(`# a comment

## first
# why
test: graph TestA/with a space
test: ./store/sqlite TestB
race: on
hang: caught
file: graph/a.go
 keep

-old
+new

file: graph/b.go
-gone

## second
test: . TestC
file: c.go
-x
+y
`)
	require.NoError(t, err)
	require.Len(t, list, 2)
	first := list[0]
	assert.Equal(t, "first", first.title)
	assert.Equal(t, []test{{"graph", "TestA/with_a_space"}, {"store/sqlite", "TestB"}}, first.tests)
	assert.True(t, first.race && first.hangs)
	require.Len(t, first.edits, 2)
	assert.Equal(t, "keep\n\nold\n", first.edits[0].side('+'), "an empty line within an edit stays, those behind it do not count")
	assert.Equal(t, "keep\n\nnew\n", first.edits[0].side('-'))
	assert.Equal(t, "graph/b.go", first.edits[1].file)
	assert.False(t, list[1].race || list[1].hangs)
}

func TestEveryMistakeOfAListIsReportedWithItsLine(t *testing.T) {
	_, err := parse(`file: a.go
## no test
file: a.go
-x
+y
## nothing changes
test: a TestA
file: a.go
-x
+x
## only additions
test: a TestA
file: a.go
+x
## outside
test: ../a TestA
test: a
file: /etc/passwd
hang: maybe
## no test
test: a TestA
file: a.go
-x
`)
	for _, want := range []string{
		`line 1: "file: a.go" before the first title`,
		`line 2: "no test" needs a title, a test and a file`,
		`line 8: the edit of a.go changes nothing`,
		`line 13: the edit of a.go names no line that is there`,
		`line 16: want "test: folder TestName", got "test: ../a TestA"`,
		`line 17: want "test: folder TestName", got "test: a"`,
		`line 18: cannot read "file: /etc/passwd"`,
		`line 19: cannot read "hang: maybe"`,
		`line 20: "no test" has this title already, in line 2`,
	} {
		assert.ErrorContains(t, err, want)
	}
}

func TestAnEditReplacesWholeLinesThatOccurExactlyOnce(t *testing.T) {
	e := edit{file: "a.go"}
	e.add(' ', "one")
	e.add('-', "two")
	e.add('+', "2")
	got, err := e.apply("one\ntwo\nthree\n")
	require.NoError(t, err)
	assert.Equal(t, "one\n2\nthree\n", got)

	_, err = e.apply("one\nthree\n")
	require.ErrorIs(t, err, errApply)
	_, err = e.apply("none\ntwo\n")
	require.ErrorIs(t, err, errApply, "part of a line is not the line")
	_, err = e.apply("one\ntwo\none\ntwo\n")
	require.ErrorIs(t, err, errApply)
	assert.ErrorContains(t, err, "more than once")
}

func TestLinesThatRepeatWithAnOverlapAreNotExactlyOnce(t *testing.T) {
	e := edit{file: "a.go"}
	e.add('-', "}")
	e.add('-', "}")
	_, err := e.apply("}\n}\n}\n")
	require.ErrorIs(t, err, errApply)
}

// The cheap half of `make mutate`: it does not run the tests of the violations.
func TestEveryViolationOfTheListApplies(t *testing.T) {
	text, err := os.ReadFile("violations.txt")
	require.NoError(t, err)
	list, err := parse(string(text))
	require.NoError(t, err)
	root := os.DirFS(filepath.Join("..", ".."))
	for _, v := range list {
		_, err := v.plant(root)
		assert.NoError(t, err, v.title)
	}
}
