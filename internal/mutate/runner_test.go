package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// guarded is a module with one function and tests that guard it more or less well.
var guarded = map[string]string{
	"go.mod": "module guarded\n\ngo 1.26\n",
	"sum/sum.go": `package sum

func Sum(list []int) int {
	n := 0
	for _, v := range list {
		n += v
	}
	return n
}
`,
	"sum/sum_test.go": `package sum

import "testing"

func TestSumOfTwo(t *testing.T) {
	if Sum([]int{2, 3}) != 5 {
		t.Fatal("not five")
	}
}

func TestSumOfNone(t *testing.T) {
	t.Run("nil", func(t *testing.T) {
		if Sum(nil) != 0 {
			t.Fatal("not zero")
		}
	})
}

func TestThatAlwaysFails(t *testing.T) { t.Fatal("always") }

func TestInAGoroutine(t *testing.T) {
	done := make(chan int)
	go func() { done <- Sum([]int{1}) }()
	<-done
}

func TestThatIsSkipped(t *testing.T) { t.Skip("not here") }
`,
}

func module(t *testing.T, list string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range guarded {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	write(t, filepath.Join(dir, "list.txt"), list)
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

const list = `## the sum starts at one
test: sum TestSumOfTwo
test: sum TestSumOfNone/nil
file: sum/sum.go
-	n := 0
+	n := 1
## only one of two tests notices
test: sum TestSumOfTwo
test: sum TestSumOfNone/nil
file: sum/sum.go
-		n += v
+		n -= v
## no test of the list notices
test: sum TestSumOfNone
file: sum/sum.go
-		n += v
+		n -= v
## the line is gone
test: sum TestSumOfTwo
file: sum/sum.go
-	n := 2
+	n := 1
## the file is gone
test: sum TestSumOfTwo
file: sum/product.go
-	n := 2
+	n := 1
## a name is not declared
test: sum TestSumOfTwo
file: sum/sum.go
-		n += v
+		n += w
## a brace is missing
test: sum TestSumOfTwo
file: sum/sum.go
-	return n
-}
+	return n
## the sum never ends
test: sum TestSumOfTwo
file: sum/sum.go
-		n += v
+		for v > 0 {
+		}
## the sum never ends, which may be
test: sum TestSumOfTwo
hang: caught
file: sum/sum.go
-		n += v
+		for v > 0 {
+		}
## a panic in a goroutine ends the process
test: sum TestInAGoroutine
file: sum/sum.go
-		n += v
+		panic(v)
## the test fails anyway
test: sum TestThatAlwaysFails
file: sum/sum.go
-	n := 0
+	n := 1
## there is no such test
test: sum TestNothing
file: sum/sum.go
-	n := 0
+	n := 1
## a skipped test proves nothing
test: sum TestThatIsSkipped
file: sum/sum.go
-	n := 0
+	n := 1
`

func TestAViolationIsCaughtOnlyWhenEveryNamedTestFailsBecauseOfIt(t *testing.T) {
	var out, complaints strings.Builder
	status := run(t.Context(), []string{"-dir", module(t, list), "-list", "list.txt", "-timeout", "2s"}, &out, &complaints)
	assert.Equal(t, 1, status)
	assert.Empty(t, complaints.String())
	var verdicts []string
	for line := range strings.Lines(out.String()) {
		if line[0] != ' ' {
			verdicts = append(verdicts, strings.TrimSpace(line))
		}
	}
	assert.Equal(t, []string{
		"caught             the sum starts at one",
		"NOT CAUGHT         only one of two tests notices",
		"NOT CAUGHT         no test of the list notices",
		"does not apply     the line is gone",
		"does not apply     the file is gone",
		"does not compile   a name is not declared",
		"does not compile   a brace is missing",
		"hangs              the sum never ends",
		"caught             the sum never ends, which may be",
		"caught             a panic in a goroutine ends the process",
		"test fails anyway  the test fails anyway",
		"test fails anyway  there is no such test",
		"test fails anyway  a skipped test proves nothing",
		"3 of 13 caught",
	}, verdicts)
	for _, want := range []string{"TestSumOfNone/nil: pass", "undefined: w", "TestNothing: there is no such test", "TestThatIsSkipped: skip"} {
		assert.Contains(t, out.String(), want)
	}
}

func TestTheTreeIsNotWrittenAndAllCaughtIsStatusZero(t *testing.T) {
	dir := module(t, list)
	var out strings.Builder
	status := run(t.Context(), []string{"-dir", dir, "-list", "list.txt", "-run", "starts at one|ends the process"}, &out, &out)
	assert.Zero(t, status, out.String())
	assert.Contains(t, out.String(), "2 of 2 caught")
	for name, text := range guarded {
		now, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		require.NoError(t, err)
		assert.Equal(t, text, string(now), name)
	}
}

func TestWhatCannotBeReadIsStatusTwo(t *testing.T) {
	dir := module(t, "## nothing\n")
	for name, args := range map[string][]string{
		"a flag that there is not":     {"-colour"},
		"no job at all":                {"-jobs", "0"},
		"an expression that is broken": {"-run", "("},
		"a list that is missing":       {"-dir", dir, "-list", "missing.txt"},
		"a list with mistakes":         {"-dir", dir, "-list", "list.txt"},
		"a title that no entry has":    {"-dir", module(t, list), "-list", "list.txt", "-run", "no such title"},
	} {
		var out, complaints strings.Builder
		assert.Equal(t, 2, run(t.Context(), args, &out, &complaints), name)
		assert.Empty(t, out.String(), name)
		assert.NotEmpty(t, complaints.String(), name)
	}
}

func TestAnInterruptedRunReportsItsCause(t *testing.T) {
	dir := module(t, list)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	var out, complaints strings.Builder
	assert.Equal(t, 2, run(ctx, []string{"-dir", dir, "-list", "list.txt"}, &out, &complaints))
	assert.Contains(t, complaints.String(), "enough")
}
