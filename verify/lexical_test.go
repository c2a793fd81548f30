package verify_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kbagent/kbagent/state"
	"github.com/kbagent/kbagent/verify"
)

// corpus is a knowledge base of a hundred passages in which the terms of common stand often.
type corpus struct {
	common []string
	err    error
}

func (c corpus) DocFreq(_ context.Context, terms []string) (map[string]int, int, error) {
	freq := make(map[string]int)
	for _, t := range terms {
		for _, known := range c.common {
			if t == known {
				freq[t] = 80
			}
		}
	}
	return freq, 100, c.err
}

var manual = []state.Evidence{
	{ID: "logs", Content: "# Logs\n\nThe server rotates its logs every night at two. Old logs are kept for seven days.\nA full disk stops the server."},
	{ID: "cache", Content: "The cache is enabled by default. It holds 512 MB and was written by Grace Hopper in 2019."},
	{ID: "zh", Content: "数据库默认使用端口5432。日志会自动删除。"},
}

func lexical(t *testing.T, answer string) state.Verification {
	t.Helper()
	v, err := verify.Lexical(t.Context(), answer, manual, nil, verify.Options{})
	require.NoError(t, err)
	assert.Equal(t, verify.ByLexical, v.By)
	assert.Equal(t, verify.Blind, v.Blind)
	return v
}

func TestLexicalJudgesAClaimByTheEvidence(t *testing.T) {
	for claim, want := range map[string]struct {
		verdict state.ClaimVerdict
		item    string
	}{
		"The server rotates its logs every night at two.": {state.ClaimSupported, "logs"},
		"Old logs are kept for 7 days [1].":               {state.ClaimSupported, "logs"},
		"Old logs are kept for a week.":                   {state.ClaimSupported, "logs"},
		"By default the cache is enabled.":                {state.ClaimSupported, "cache"},
		"数据库默认使用端口5432。":                                  {state.ClaimSupported, "zh"},
		"日志会自动删除。":                                        {state.ClaimSupported, "zh"},
		"Old logs are kept for 30 days.":                  {state.ClaimUnsupported, "logs"},
		"The cache is disabled by default.":               {state.ClaimUnsupported, "cache"},
		"The cache was written by Alan Turing in 2019.":   {state.ClaimPartial, "cache"}, // a name is a word like others
		"Bananas contain potassium and fibre.":            {state.ClaimUnsupported, ""},
		"日志不会自动删除。":                                       {state.ClaimUnsupported, "zh"},
	} {
		v := lexical(t, claim)
		if assert.Len(t, v.Claims, 1, claim) {
			got := v.Claims[0]
			assert.Equal(t, want.verdict, got.Verdict, "%s: %+v", claim, got)
			assert.Equal(t, want.item, got.ItemID, claim)
			assert.NotEmpty(t, got.Reasoning, claim)
		}
	}
}

func TestTheQuoteOfALexicalVerdictStandsVerbatimInItsItem(t *testing.T) {
	v := lexical(t, "Old logs are kept for seven days. The cache holds 512 MB. A full disk stops the server. 日志会自动删除。")
	require.Len(t, v.Claims, 4)
	for _, c := range v.Claims {
		assert.Equal(t, state.ClaimSupported, c.Verdict, c.Text)
		for _, item := range manual {
			if item.ID == c.ItemID {
				assert.Contains(t, item.Content, c.Quote)
			}
		}
		id, ok := verify.FindQuote(c.Quote, manual)
		assert.True(t, ok, c.Quote)
		assert.Equal(t, c.ItemID, id)
	}
	assert.True(t, v.Grounded)
	assert.InDelta(t, 1, v.Confidence, 1e-12)
}

func TestLexicalOfAnAnswerWithoutClaimsIsNotVerifiable(t *testing.T) {
	v := lexical(t, "Hello! How can I help you?")
	assert.Equal(t, state.OutcomeNotVerifiable, v.Outcome)
	assert.False(t, v.Grounded)
}

func TestLexicalWithoutEvidenceSupportsNothing(t *testing.T) {
	v, err := verify.Lexical(t.Context(), "Logs rotate daily.", nil, nil, verify.Options{})
	require.NoError(t, err)
	assert.Equal(t, state.ClaimUnsupported, v.Claims[0].Verdict)
	assert.Zero(t, v.Claims[0].Score)
}

func TestTheKnowledgeBaseSaysWhichWordsMatter(t *testing.T) {
	answer := "The cache is enabled on the frobnicator."
	score := func(c verify.Corpus) float64 {
		v, err := verify.Lexical(t.Context(), answer, manual, c, verify.Options{})
		require.NoError(t, err)
		return v.Claims[0].Score
	}
	rare, common := score(corpus{common: []string{"cach", "enabl"}}), score(corpus{common: []string{"frobnic"}})
	assert.Less(t, rare, common, "an absent word that is rare weighs more than a common one")
}

func TestLexicalPassesFailuresOn(t *testing.T) {
	broken := errors.New("the index is gone")
	_, err := verify.Lexical(t.Context(), "Logs rotate daily.", manual, corpus{err: broken}, verify.Options{})
	assert.ErrorIs(t, err, broken)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = verify.Lexical(ctx, "Logs rotate daily.", manual, nil, verify.Options{})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestLexicalIsDeterministic(t *testing.T) {
	answer := "Old logs are kept for seven days. The cache holds 1 GB. Bananas are yellow."
	first := lexical(t, answer)
	for range 20 {
		assert.Equal(t, first, lexical(t, answer))
	}
}

func TestSupportOrdersClaimsByWhatThePassageHolds(t *testing.T) {
	passage := manual[0].Content + "\n\n" + manual[1].Content
	ordered := []string{
		"The server rotates its logs every night at two.",
		"The server rotates its logs every night at four.",
		"The router archives its logs every month.",
		"The router archives its mails in Berlin.",
	}
	last := 1.0
	for _, claim := range ordered {
		s := verify.Support(claim, passage, nil)
		assert.Less(t, s, last, claim)
		last = s
	}
	assert.Zero(t, verify.Support("Bananas.", passage, nil))
	assert.Zero(t, verify.Support("", passage, nil))
	assert.Zero(t, verify.Support("the of", passage, nil))
}

func TestAFurtherFalseSentenceLowersSupport(t *testing.T) {
	one := verify.Support("Old logs are kept for seven days.", manual[0].Content, nil)
	two := verify.Support("Old logs are kept for seven days. Backups go to Berlin each Tuesday.", manual[0].Content, nil)
	assert.Less(t, two, one)
}

// longEvidence is n items of 200 words of a vocabulary that repeats.
func longEvidence(n int) []state.Evidence {
	items := make([]state.Evidence, n)
	for i := range items {
		var b strings.Builder
		for w := 0; w < 200; {
			fmt.Fprintf(&b, "The server%d rotates its logs every %d hours and does not keep more than %d MB on disk%d. ", (i*7+w)%50, w%24, w*3, i)
			w += 17
		}
		items[i] = state.Evidence{ID: fmt.Sprint(i), Content: b.String()}
	}
	return items
}

func longAnswer(claims int) string {
	var b strings.Builder
	for i := range claims {
		fmt.Fprintf(&b, "The server%d rotates its logs every %d hours and keeps at most %d MB on its disk [%d].\n", i, i+3, i*9, i)
	}
	return b.String()
}

// Ten claims against twenty items of 200 words: the promise is 5 ms.
func BenchmarkLexical(b *testing.B) {
	answer, items := longAnswer(10), longEvidence(20)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := verify.Lexical(b.Context(), answer, items, nil, verify.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkClaims(b *testing.B) {
	answer := longAnswer(100)
	b.SetBytes(int64(len(answer)))
	for b.Loop() {
		verify.Claims(answer)
	}
}

func BenchmarkSupport(b *testing.B) {
	passage := longEvidence(1)[0].Content
	for b.Loop() {
		verify.Support("The server7 rotates its logs every 3 hours and keeps at most 9 MB on its disk.", passage, nil)
	}
}

// hostile are texts that make careless readers quadratic.
func hostile(size int) map[string]string {
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	return map[string]string{
		"one_word":          repeat("a"),
		"words_of_no_space": repeat("不"),
		"negations":         repeat("not "),
		"directions":        repeat("increase decrease "),
		"than":              repeat("x than y "),
		"digits":            repeat("1"),
		"numbers":           repeat("1 "),
		"points":            repeat("1."),
		"Chinese_numbers":   repeat("一"),
		"brackets":          repeat("["),
		"markers":           repeat("[1"),
		"links":             repeat("[a]("),
		"backticks":         repeat("`"),
		"code":              repeat("`a"),
		"stars":             repeat("*"),
		"lines":             repeat("\n"),
		"spaces":            "a" + repeat(" ") + "[b",
		"pipes":             repeat("|-"),
		"tables":            repeat("|-|\n"),
		"hedges":            repeat("the documents it they "),
		"names":             repeat("Ab Cd by "),
		"sentences":         repeat("Ab is 1. "),
	}
}

// readHostile does with a text all that can be done.
func readHostile(s string) {
	verify.Claims(s)
	verify.Contradiction(s, s)
	verify.FindQuote(s[:len(s)/2]+"x", []state.Evidence{{Content: s}})
}

// The values do not matter here: what is checked is that each call comes back, and quickly enough for the test to end.
func TestHostileTextIsReadInBoundedTime(t *testing.T) {
	for name, s := range hostile(20_000) {
		t.Run(name, func(t *testing.T) {
			readHostile(s)
			score := verify.Support(s, s, nil)
			assert.True(t, score >= 0 && score <= 1, score)
		})
	}
}

// The throughput of one name is the same at every size, or something is not linear.
func BenchmarkHostile(b *testing.B) {
	for _, size := range []int{25_000, 50_000, 100_000} {
		cases := hostile(size)
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			b.Run(fmt.Sprint(name, "/", size), func(b *testing.B) {
				b.SetBytes(int64(len(cases[name])))
				for b.Loop() {
					readHostile(cases[name])
				}
			})
		}
	}
}
