package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Passage is a piece of a made corpus.
type Passage struct {
	ID             string // set, row of the corpus, piece of the row, and round: "scifact/4983/0/2"
	Title, Heading string
	Text           string
}

// The sizes and shares of a made corpus.
const (
	pieceWords   = 180  // a longer row is cut into pieces of so many words
	changedWords = 0.1  // share of words that another one takes the place of
	coinedWords  = 0.5  // share of rare words that become a new word
	rareCount    = 3    // a word is rare that stands so often in the corpora, or less
	seed         = 2026 // of the random choices, beside the round
)

// Enlarge yields n passages made of the corpora in dir, for measuring speed at sizes that the corpora do not have. It can be
// ranged again and yields the same each time.
//
// The first round are the rows of all corpora as they are; rows of more than 180 words are cut. Each further round is the
// same rows altered: a tenth of the words give way to words drawn from all corpora as often as they occur there, so that
// common words stay as common as they are; and half of the words that occur three times or less get an ending of the round,
// so that the vocabulary grows with the corpus, as it does in real text. In runs of Chinese characters a tenth of the
// characters gives way to others in the same way. Real text has more variety than that: passages of different rounds share
// most of their words. Relevance judgements mean nothing here.
//
// Sets that dir does not have are left out; none at all is a *[UsageError].
func Enlarge(dir string, n int) (iter.Seq[Passage], error) {
	base, err := basePassages(dir)
	if err != nil {
		return nil, err
	}
	a := newAlterer(base)
	return func(yield func(Passage) bool) {
		for i := range n {
			p, round := base[i%len(base)], i/len(base)
			if round > 0 {
				p.Text = a.alter(p.Text, round, rand.New(rand.NewPCG(seed, uint64(i))))
			}
			p.ID = fmt.Sprintf("%s/%d", p.ID, round)
			if !yield(p) {
				return
			}
		}
	}, nil
}

// LargeQuestions are the questions of all retrieval sets in dir, in one line each, as the agent's router understands them, for Enlarge's passages.
func LargeQuestions(dir, part string) ([]string, error) {
	var list []string
	for _, set := range largeSets(dir) {
		questions, err := loadQuestions(source{dir, part}, set.folder, set.questions)
		if err != nil {
			return nil, err
		}
		for _, q := range questions {
			list = append(list, strings.ReplaceAll(q.understood().Query, "\n", " "))
		}
	}
	return list, nil
}

// largeFiles are the corpora of a made corpus, and their questions.
var largeFiles = append(slices.Clone(retrievalFiles), retrievalFile{"covidqa", "covidqa", "corpus", "queries"})

// largeSets are those of largeFiles that dir has.
func largeSets(dir string) []retrievalFile {
	return slices.DeleteFunc(slices.Clone(largeFiles), func(f retrievalFile) bool {
		_, err := os.Stat(filepath.Join(dir, f.folder, f.corpus+".jsonl"))
		return errors.Is(err, fs.ErrNotExist)
	})
}

// basePassages are the rows of all corpora, cut.
func basePassages(dir string) (list []Passage, err error) {
	seen := map[string]bool{}
	for _, set := range largeSets(dir) {
		name := set.folder + "/" + set.corpus
		if seen[name] {
			continue
		}
		seen[name] = true
		rows, err := corpus[corpusRow](source{dir: dir}, set.folder, set.corpus)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			for i, piece := range pieces(r.body()) {
				list = append(list, Passage{ID: fmt.Sprintf("%s/%s/%d", set.name, r.ID, i), Title: r.Title, Heading: r.Heading, Text: piece})
			}
		}
	}
	if len(list) == 0 {
		return nil, usagef("there is no corpus in %s: --data is the folder of the data sets", dir)
	}
	return list, nil
}

// pieces cuts s after every pieceWords words.
func pieces(s string) (list []string) {
	start, n := 0, 0
	for at, word := range spaced(s) {
		if n == pieceWords {
			list = append(list, s[start:at])
			start, n = at, 0
		}
		if n++; at+len(word) == len(s) {
			break
		}
	}
	if strings.TrimSpace(s[start:]) != "" {
		list = append(list, s[start:])
	}
	return list
}

// spaced yields the words of s, white space being what separates them, with where each begins.
func spaced(s string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		start := -1
		for i, r := range s {
			switch space := unicode.IsSpace(r); {
			case space && start >= 0:
				if !yield(start, s[start:i]) {
					return
				}
				start = -1
			case !space && start < 0:
				start = i
			}
		}
		if start >= 0 {
			yield(start, s[start:])
		}
	}
}

// An alterer knows the words and the Chinese characters of the corpora, each as often as it occurs.
type alterer struct {
	words []string
	count map[string]int
	han   []rune
}

func newAlterer(list []Passage) *alterer {
	a := &alterer{count: map[string]int{}}
	for _, p := range list {
		for _, word := range spaced(p.Text) {
			if first, _ := utf8.DecodeRuneInString(word); unicode.Is(unicode.Han, first) {
				a.han = append(a.han, []rune(word)...)
				continue
			}
			a.words = append(a.words, word)
			a.count[word]++
		}
	}
	return a
}

func (a *alterer) alter(s string, round int, random *rand.Rand) string {
	var b strings.Builder
	end := 0
	for at, word := range spaced(s) {
		b.WriteString(s[end:at])
		b.WriteString(a.word(word, round, random))
		end = at + len(word)
	}
	b.WriteString(s[end:])
	return b.String()
}

func (a *alterer) word(word string, round int, random *rand.Rand) string {
	switch first, _ := utf8.DecodeRuneInString(word); {
	case unicode.Is(unicode.Han, first):
		return strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Han, r) && random.Float64() < changedWords {
				return a.han[random.IntN(len(a.han))]
			}
			return r
		}, word)
	case random.Float64() < changedWords:
		return a.words[random.IntN(len(a.words))]
	case a.count[word] <= rareCount && random.Float64() < coinedWords:
		stem := strings.TrimRightFunc(word, unicode.IsPunct)
		return stem + ending(round) + word[len(stem):]
	default:
		return word
	}
}

// ending spells a round in letters that the stemmer leaves alone: 1 is "ok", 2 "ak".
func ending(round int) string {
	s := ""
	for ; round > 0; round /= 5 {
		s += string("uoaei"[round%5]) + "k"
	}
	return s
}
