package text

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
)

// Folding, splitting and stemming words is most of the cost of Terms, and a language has few words: the terms of the first
// maxKnown short ones are kept. That is at most about 16 MB. What is kept changes no result.
const (
	maxKnown     = 1 << 16
	maxKnownWord = 32
)

// A lexicon knows the terms of words that were met before. It is safe for concurrent use.
type lexicon struct {
	known atomic.Pointer[map[string][]string] // never changed, so that reading it takes no lock

	mu    sync.Mutex
	fresh map[string][]string // becomes part of known when it is worth the copy
}

var met lexicon

// terms are those of a word as it stands in a text. They belong to the lexicon.
func (l *lexicon) terms(word string) []string {
	known := l.words()
	if terms, ok := known[word]; ok {
		return terms
	}
	if len(known) >= maxKnown || len(word) > maxKnownWord || isNumber(word) { // there is no end of numbers
		return appendTerms(nil, word)
	}
	return l.learn(word)
}

func (l *lexicon) words() map[string][]string {
	if p := l.known.Load(); p != nil {
		return *p
	}
	return nil
}

func (l *lexicon) learn(word string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.words()
	for _, words := range []map[string][]string{known, l.fresh} { // another may have learned it meanwhile
		if terms, ok := words[word]; ok {
			return terms
		}
	}
	terms := appendTerms(nil, word)
	for i, t := range terms {
		terms[i] = strings.Clone(t) // a part of the word would keep the whole text in memory
	}
	if l.fresh == nil {
		l.fresh = map[string][]string{}
	}
	l.fresh[strings.Clone(word)] = terms
	if len(l.fresh) > len(known)/4+64 || len(known)+len(l.fresh) >= maxKnown {
		next := make(map[string][]string, len(known)+len(l.fresh))
		maps.Copy(next, known)
		maps.Copy(next, l.fresh)
		l.known.Store(&next)
		l.fresh = nil
	}
	return terms
}
