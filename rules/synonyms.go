package rules

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index/text"
)

//go:embed synonyms.txt
var builtInSynonyms string

// The limits of a synonym file: bytes a line, and words a group.
const (
	maxSynonymLine  = 4096
	maxSynonymGroup = 64
)

// Synonyms is a table of words that mean the same. It never changes and is safe for concurrent use; the zero value
// is an empty table.
type Synonyms struct {
	layers []*synonymLayer // the first that knows a word decides
}

// synonymLayer is the groups of one file.
type synonymLayer struct {
	others  map[string][]string // by key: the other words of its groups, in their order, each once
	longest int                 // words of the longest key that has several
	runes   int                 // characters of the longest Chinese, Japanese or Korean key
	groups  int
}

// ErrSynonyms is the error of a synonym file that cannot be understood.
var ErrSynonyms = errors.New("bad synonym file")

var defaultSynonyms = sync.OnceValue(func() Synonyms {
	layer, err := readSynonyms(strings.NewReader(builtInSynonyms))
	if err != nil {
		panic(err) // the table is part of the program, and a test reads it
	}
	return Synonyms{layers: []*synonymLayer{layer}}
})

// DefaultSynonyms is the built-in table: general English, the words of IT, and some Chinese.
func DefaultSynonyms() Synonyms { return defaultSynonyms() }

// LoadSynonyms reads a user's table, which extends the built-in one: what it says of a word counts first.
//
// A line is a group of words or short phrases that mean the same, separated by commas (also ， and 、):
//
//	invoice, bill, 发票
//
// Each is a synonym of all others of its line; where there are many, the first ones count. Upper and lower case, and
// the forms of English words, are the same. Empty lines and those that start with # are left out. The
// errors are those of r, and ErrSynonyms with the number of each faulty line: fewer than two different words, an empty
// word, text that is not UTF-8, a line of more than 4,096 bytes or 64 words.
func LoadSynonyms(r io.Reader) (Synonyms, error) {
	layer, err := readSynonyms(r)
	if err != nil {
		return Synonyms{}, err
	}
	return Synonyms{layers: append([]*synonymLayer{layer}, DefaultSynonyms().layers...)}, nil
}

// Len is how many groups the table holds.
func (s Synonyms) Len() (n int) {
	for _, layer := range s.layers {
		n += layer.groups
	}
	return n
}

// Of is the synonyms of a word or phrase, the best first, or nil.
func (s Synonyms) Of(word string) []string { return slices.Clone(s.lookup(synonymKey(word))) }

// lookup is what all layers say of a key, the first layer first.
func (s Synonyms) lookup(key string) (found []string) {
	for _, layer := range s.layers {
		for _, other := range layer.others[key] {
			if !slices.Contains(found, other) {
				found = append(found, other)
			}
		}
	}
	return found
}

func readSynonyms(r io.Reader) (*synonymLayer, error) {
	layer := &synonymLayer{others: make(map[string][]string)}
	var faults []error
	lines := bufio.NewReaderSize(r, maxSynonymLine+2) // the line and its break
	for n := 1; ; n++ {
		line, more, err := nextLine(lines)
		if err != nil {
			return nil, fmt.Errorf("read synonyms: %w", err)
		}
		if err := layer.line(line); err != nil {
			faults = append(faults, fmt.Errorf("%w: line %d: %w", ErrSynonyms, n, err))
		}
		if !more {
			return layer, errors.Join(faults...)
		}
	}
}

// nextLine reads a line without its break. One that is too long comes back cut, but still longer than allowed.
func nextLine(r *bufio.Reader) (line string, more bool, err error) {
	part, err := r.ReadSlice('\n')
	line = string(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, err
	}
	return strings.TrimRight(line, "\r\n"), err == nil, nil
}

// line adds the group of one line.
func (l *synonymLayer) line(line string) error {
	line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
	switch {
	case line == "" || line[0] == '#':
		return nil
	case len(line) > maxSynonymLine:
		return fmt.Errorf("longer than %d bytes", maxSynonymLine)
	case !utf8.ValidString(line):
		return errors.New("no UTF-8 text")
	}
	return l.group(strings.Split(synonymCommas.Replace(line), ","))
}

var synonymCommas = strings.NewReplacer("，", ",", "、", ",")

func (l *synonymLayer) group(words []string) error {
	if len(words) > maxSynonymGroup {
		return fmt.Errorf("more than %d words", maxSynonymGroup)
	}
	keys := make(map[string]bool)
	for i, w := range words {
		words[i] = strings.ToLower(strings.Join(strings.Fields(w), " "))
		key := synonymKey(words[i])
		switch {
		case words[i] == "":
			return errors.New("an empty word between commas")
		case key == "":
			return fmt.Errorf("%q holds no word", words[i])
		}
		keys[key] = true
	}
	if len(keys) < 2 {
		return errors.New("a group needs two different words")
	}
	for _, w := range words {
		l.add(w, words)
	}
	l.groups++
	return nil
}

// add makes all other words of a group synonyms of one.
func (l *synonymLayer) add(word string, group []string) {
	key := synonymKey(word)
	for _, other := range group {
		if synonymKey(other) != key && !slices.Contains(l.others[key], other) {
			l.others[key] = append(l.others[key], other)
		}
	}
	l.longest = max(l.longest, 1+strings.Count(key, " "))
	if strings.ContainsFunc(key, isIdeographic) {
		l.runes = max(l.runes, utf8.RuneCountInString(key))
	}
}

// synonymKey is the form by which a word or phrase is looked up: lower case, each English word as its stem. Stop words
// stay in a phrase ("log in") and are no word by themselves.
func synonymKey(phrase string) string {
	if len(text.Words(phrase)) == 0 {
		return ""
	}
	var parts []string
	for _, w := range strings.Fields(strings.ToLower(phrase)) {
		if w = trimWord(w); w != "" {
			parts = append(parts, synonymStem(w))
		}
	}
	return strings.Join(parts, " ")
}

// synonymStem is the stem of a single word; a word that falls into parts is looked up as it stands.
func synonymStem(w string) string {
	if terms := text.Terms(w); len(terms) == 1 {
		return terms[0]
	}
	return w
}
