package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/state"
)

// bestAnswer is the sentence that AnswerSentences puts first.
func bestAnswer(t *testing.T, question string, contents ...string) string {
	t.Helper()
	items := texts(contents...)
	list := AnswerSentences(question, items, TermStats{})
	require.NotEmpty(t, list)
	return items[list[0].Item].Content[list[0].Start:list[0].End]
}

func TestTheSentenceThatAnswersIsPutBeforeOthersThatShareAsManyWords(t *testing.T) {
	for name, c := range map[string]struct{ question, content, want string }{
		"with the number that is asked for": {
			"How many nodes does the cluster have?",
			"The nodes of a cluster share the load. The cluster has seven nodes.", "The cluster has seven nodes."},
		"with the time that is asked for": {
			"When was the archive opened?",
			"The archive was opened by the mayor. The archive was opened in 1987.", "The archive was opened in 1987."},
		"with the person who is asked for": {
			"Who designed the bridge?",
			"The bridge was designed in a hurry. The bridge was designed by Ada Miller.", "The bridge was designed by Ada Miller."},
		"with a reason for a question why": {
			"Why are logs rotated?",
			"Logs are rotated every night. Logs are rotated because disks are small.", "Logs are rotated because disks are small."},
		"with what something is": {
			"What is a checkpoint?",
			"Every checkpoint takes a moment to write. A checkpoint is a copy of the state.", "A checkpoint is a copy of the state."},
		"and not the one that announces it": {
			"Which ports does the server open?",
			"The server opens the ports below:\n\nThe server opens the ports 80 and 443.", "The server opens the ports 80 and 443."},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, bestAnswer(t, c.question, c.content))
		})
	}
}

func TestASentenceGainsFromTheOneBeforeItThatHoldsTheRestOfTheQuestion(t *testing.T) {
	items := texts("Its limit is 3 GB. Bread is baked. The archive takes files. Its limit is 2 GB.")
	for _, s := range AnswerSentences("What is the limit of the archive?", items, TermStats{}) {
		got := items[0].Content[s.Start:s.End]
		require.NotEqual(t, "Its limit is 3 GB.", got, "before the limit of the archive")
		if got == "Its limit is 2 GB." {
			return
		}
	}
}

func TestAChineseQuestionFindsItsSentence(t *testing.T) {
	assert.Equal(t, "缓存是内存中的副本。", bestAnswer(t, "缓存是什么？", "日志每天轮换。缓存是内存中的副本。"))
}

func TestTheLikelihoodsOfAllSentencesAddUpToOne(t *testing.T) {
	list := AnswerSentences("How are logs rotated?", texts("Logs are rotated nightly. They are small.", "Bread is baked."), TermStats{})
	require.Len(t, list, 3)
	sum := 0.0
	for i, s := range list {
		sum += s.Score
		assert.True(t, i == 0 || s.Score <= list[i-1].Score, "best first")
	}
	assert.InDelta(t, 1, sum, 1e-9)
}

func TestThereIsNoSentenceWithoutItems(t *testing.T) {
	assert.Empty(t, AnswerSentences("How are logs rotated?", nil, TermStats{}))
	assert.Empty(t, AnswerSentences("How are logs rotated?", []state.Evidence{{}}, TermStats{}))
}

func TestAQuestionWithoutContentWordsStillRanks(t *testing.T) {
	list := AnswerSentences("", texts("Logs are rotated nightly."), TermStats{})
	require.Len(t, list, 1)
	assert.InDelta(t, 1, list[0].Score, 1e-9)
}

func TestEveryFeatureOfASentenceHasANameAndIsAShare(t *testing.T) {
	sentences, rows := AnswerFeatures("Why did Ada Miller open 3 archives?", texts("Ada Miller opened them because:", "A. B. It is 3."), TermStats{})
	require.Len(t, rows, len(sentences))
	for _, row := range rows {
		require.Len(t, row, len(AnswerFeatureNames()))
		for i, x := range row {
			assert.True(t, x >= 0 && x <= 1, "%s = %g", AnswerFeatureNames()[i], x)
		}
	}
}
