package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/kbagent/kbagent/index/text"
)

func TestTerms(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"words are lower-cased and stemmed", "Searching Databases quickly", []string{"search", "databas", "quick"}},
		{"stop words are left out, whatever apostrophe they have", "Why doesn't it; why doesn’t the", nil},
		{"negations are kept", "not never no", []string{"not", "never", "no"}},
		{"a possessive is the word", "the gopher's mascot", []string{"gopher", "mascot"}},
		{"a camel-case identifier is kept whole and in parts", "ReadFile", []string{"readfile", "read", "file"}},
		{"an abbreviation inside an identifier is one part", "parseHTTPServer", []string{"parsehttpserver", "pars", "http", "server"}},
		{"a plural abbreviation is not cut", "CPUs and APIs", []string{"cpu", "api"}},
		{"an underscored identifier is kept whole and in parts", "read_file", []string{"read_file", "read", "file"}},
		{"a dotted name is kept whole and in parts", "go.mod", []string{"go.mod", "go", "mod"}},
		{"a version is a number", "Go 1.21.3", []string{"go", "1.21.3"}},
		{"letters and digits part", "go1.21", []string{"go1.21", "go", "1.21"}},
		{"thousands lose their commas", "1,024", []string{"1024"}},
		{"the letters of an abbreviation say nothing", "e.g. x", []string{"e.g", "x"}},
		{"language names keep their signs", "C++ or C#, not C", []string{"c++", "c#", "not", "c"}},
		{"Chinese is cut into overlapping pairs", "数据库索引", []string{"数据", "据库", "库索", "索引"}},
		{"a single ideograph stays", "猫 cat", []string{"猫", "cat"}},
		{"Chinese question words are stop words", "什么", nil},
		{"Kana and Kanji are one run", "東京タワー", []string{"東京", "京タ", "タワ", "ワー"}},
		{"Hangul is cut into pairs within a word", "데이터 베이스", []string{"데이", "이터", "베이", "이스"}},
		{"Chinese and Latin part", "使用Go语言", []string{"使用", "go", "语言"}},
		{"Russian words are stemmed", "Журналы журналов хранятся", []string{"журнал", "журнал", "хран"}},
		{"full-width letters are letters", "ＧＯ", []string{"go"}},
		{"invalid bytes separate", "alpha\xffbeta", []string{"alpha", "beta"}},
		{"punctuation alone is nothing", "?: --- ***", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := text.Terms(tt.in)
			if len(tt.want) == 0 {
				assert.Empty(t, got)
				return
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestWordsAreTheSurfaceWithoutStopWords(t *testing.T) {
	assert.Equal(t, []string{"searching", "readfile", "数据库"}, text.Words("What is searching? ReadFile 数据库"))
}

func TestLanguage(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"English", "The quick brown fox jumps over the lazy dog.", "en"},
		{"a short Latin text counts as English", "goroutine leak", "en"},
		{"Latin text without English function words is unknown", "Der schnelle braune Fuchs springt heute gern ueber faule Hunde", ""},
		{"Chinese", "数据库的索引是什么", "zh"},
		{"Chinese with some English", "使用 Go 语言编写的数据库", "zh"},
		{"Japanese", "データベースの索引とは何ですか", "ja"},
		{"Korean", "데이터베이스 색인은 무엇입니까", "ko"},
		{"Cyrillic is unknown", "Быстрая коричневая лиса", ""},
		{"nothing is unknown", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, text.Language(tt.in)) })
	}
}

func TestTermsAreNeverEmptyNorHoldWhiteSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkTerms(t, rapid.String().Draw(t, "s")) })
}

func TestTermsOfTwoTextsAreTheTermsOfEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		got := text.Terms(a + "\n\n" + b)
		want := append(text.Terms(a), text.Terms(b)...)
		assert.ElementsMatch(t, want, got)
	})
}

func checkTerms(t assert.TestingT, s string) {
	for _, term := range text.Terms(s) {
		assert.Equal(t, []string{term}, strings.Fields(term), "terms of %q", s)
		assert.LessOrEqual(t, len(term), 96)
	}
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"ReadFile go1.21 C++ e.g.", "東京タワー", "a’s'_'__'", "\xff\xfe\x00", "1,2,.3", strings.Repeat("x", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkTerms(t, s) })
}

func BenchmarkTerms(b *testing.B) {
	s := strings.Repeat("The ReadFile function of package os reads the named file and returns its contents. ", 100)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		text.Terms(s)
	}
}

func TestShortWordsWithADoubleLetterKeepItInAllTheirForms(t *testing.T) {
	for _, w := range []string{"add", "added", "adding", "adds"} {
		assert.Equal(t, []string{"add"}, text.Terms(w), w)
	}
	assert.Equal(t, text.Terms("egg"), text.Terms("egged"))
	assert.Equal(t, []string{"hop"}, text.Terms("hopping"), "other doubles are undone")
}

func TestGrammarIsNoTopic(t *testing.T) {
	for term, want := range map[string]bool{"not": true, "never": true, "的书": true, "数据": false, "東の": true, "note": false, "": false} {
		assert.Equal(t, want, text.IsGrammar(term), term)
	}
	assert.False(t, text.IsGrammarPair("not"))
	assert.True(t, text.IsGrammarPair("的书"))
}
