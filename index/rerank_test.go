package index_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ranked are the files that a query finds, best first.
func ranked(t *testing.T, files map[string]string, query string) []string {
	t.Helper()
	x := newIndex(t)
	for i := range 10 {
		files[fmt.Sprintf("other%d.md", i)] = "a text that holds none of it"
	}
	update(t, x, folder(t, files))
	return hitPaths(keyword(t, x, query))
}

func TestTheLastLineOfAQueryCountsMoreThanItsContext(t *testing.T) {
	files := func() map[string]string {
		return map[string]string{"logs.md": "logrotate handles it", "windows.md": "windows handles it"}
	}
	assert.Equal(t, []string{"windows.md", "logs.md"}, ranked(t, files(), "logrotate\nwindows"))
	assert.Equal(t, []string{"logs.md", "windows.md"}, ranked(t, files(), "windows\nlogrotate\n"))
	assert.Equal(t, []string{"logs.md"}, ranked(t, files(), "logrotate\nand why?"), "a last line that says nothing leaves the context")
}

func TestNegationsCountLessThanTopics(t *testing.T) {
	files := map[string]string{"no.md": "never again", "topic.md": "carburetor again"}
	assert.Equal(t, []string{"topic.md", "no.md"}, ranked(t, files, "never carburetor"))
	assert.Equal(t, []string{"no.md"}, ranked(t, map[string]string{"no.md": "never again"}, "never"))
}

func TestAQuestionWhyFindsThePassageThatGivesReasons(t *testing.T) {
	files := func() map[string]string {
		return map[string]string{
			"list.md":    "gopher mascot, gopher picture, gopher shirt and other things that are sold here in all sizes",
			"reasons.md": "gopher mascot was the choice since it is simple: a decision that had a purpose, because it can be drawn",
		}
	}
	require.Equal(t, "list.md", ranked(t, files(), "gopher mascot")[0])
	assert.Equal(t, "reasons.md", ranked(t, files(), "why gopher mascot?")[0])
}

func TestNotesOfChangesFallBackUnlessAVersionIsAskedFor(t *testing.T) {
	files := func() map[string]string {
		return map[string]string{
			"CHANGELOG.md": "# Changelog\n\nThe scheduler preempts more often now.",
			"guide.md":     "# Guide\n\nThe scheduler picks what runs next and when.",
		}
	}
	assert.Equal(t, []string{"guide.md", "CHANGELOG.md"}, ranked(t, files(), "How does the scheduler work?"))
	assert.Equal(t, []string{"CHANGELOG.md", "guide.md"}, ranked(t, files(), "Which version changed the scheduler?"))
	assert.Equal(t, []string{"CHANGELOG.md", "guide.md"}, ranked(t, files(), "scheduler"), "words are no question")
}

func TestAPassageThatHoldsMoreOfAChineseQueryRises(t *testing.T) {
	files := map[string]string{
		"one.md":  "索引索引索引索引",
		"many.md": "数据库的索引保存在文件中，每次更新之后都会重新写入磁盘，并且可以随时恢复，系统会记录每一个步骤。",
	}
	assert.Equal(t, []string{"many.md", "one.md"}, ranked(t, files, "数据库索引文件"))
}
