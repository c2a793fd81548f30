// Command mutate plants violations of the rules in the source and tells whether the tests that guard them notice. It
// imports the standard library only.
//
//	go run ./internal/mutate [-list file] [-run regexp] [-jobs n] [-timeout d] [-v]
//
// A violation counts as caught only when every test that it names fails: not when the source no longer compiles, not when
// a test hangs (unless the entry says that it may), and not when the test fails without the violation too. The exit status
// is 0 when all are caught, 1 when some are not, 2 when the list cannot be read.
//
// Violations are planted with `go test -overlay`: the tree is never written, so it may be worked in meanwhile. A test that
// reads source files itself, like those of internal/arch, does not see them and cannot be tried in this way.
//
// # The list
//
// An entry of violations.txt has a title, the tests, and one or more edits as in a diff:
//
//	## rule 4: the limit allows one step more
//	test: graph TestAChainOfNNodesPassesWithLimitN
//	file: graph/run.go
//	-		if r.result.Steps >= r.steps {
//	+		if r.result.Steps > r.steps {
//
// A title starts with "## ", a comment before the first entry or between a title and its edits with "# ". "test:" names a
// package folder and a test in it, a subtest behind a slash with underscores for spaces; with several lines, all of them
// have to fail. "hang: caught" says that a test which hangs until the timeout is as good as a failure, "race: on" that the
// race detector has to be on. Behind "file:" come whole lines: removed ones start with "-", added ones with "+", those that
// stay with a blank. What is removed and what stays must occur exactly once in the file, in this order. A file may have
// several edits; each is made on the result of the one before.
package main
