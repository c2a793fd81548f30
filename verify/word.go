package verify

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kbagent/kbagent/index/text"
)

// A word is one word of a statement, or one pair of Chinese, Japanese or Korean characters.
type word struct {
	start, end int   // bytes in the text that was read
	term       int32 // number in the vocabulary; -1 for a word that carries no topic
	sense      sense
	name       bool // written like a name: a capital or a digit where none is due
	perhaps    bool // begins the sentence with a capital, and may be a name
	border     bool // a comma, colon, bracket or the like stands between the word before and this one
}

// A vocabulary numbers the terms of the texts that are compared, and remembers what was found out about a word.
type vocabulary struct {
	numbers map[string]int32
	terms   []string
	known   map[string]entry // by the word as it is written
}

// entry is what a word is wherever it stands.
type entry struct {
	term    int32
	sense   sense
	capital bool // begins with a capital
	name    bool // looks like a name wherever it stands: NASA, S100A9, readFile
}

func newVocabulary() *vocabulary {
	return &vocabulary{numbers: make(map[string]int32), known: make(map[string]entry)}
}

// number is the number of a term.
func (v *vocabulary) number(term string) int32 {
	n, ok := v.numbers[term]
	if !ok {
		n = int32(len(v.terms))
		v.numbers[term] = n
		v.terms = append(v.terms, term)
	}
	return n
}

// entry looks a word up. Words that are longer than a word can be are cut by package text.
func (v *vocabulary) entry(surface string) entry {
	if e, ok := v.known[surface]; ok {
		return e
	}
	e := entry{term: -1}
	lower := strings.ToLower(strings.ReplaceAll(surface, "’", "'"))
	terms := text.Terms(surface)
	if len(terms) > 0 {
		e.term = v.number(terms[0])
	}
	e.sense = senseOf(lower)
	if _, month := months[lower]; !month {
		e.capital, e.name = nameShape(surface)
	}
	v.known[surface] = e
	return e
}

// nameShape says whether a word begins with a capital, and whether it has one or a digit behind its first letter.
func nameShape(s string) (capital, name bool) {
	letters, inner := false, false
	for i, r := range s {
		switch {
		case unicode.IsUpper(r):
			capital = capital || i == 0
			letters, inner = true, inner || i > 0
		case unicode.IsLetter(r):
			letters = true
		case unicode.IsDigit(r):
			inner = true
		}
	}
	return capital, letters && inner && len(s) > 1
}

// words reads s[from:to] as one statement.
func (v *vocabulary) words(s string, from, to int) []word {
	list := make([]word, 0, (to-from)/5)
	border, first := false, true
	var initial entry // of the first word
	for at := from; at < to; {
		r, size := utf8.DecodeRuneInString(s[at:to])
		switch {
		case isUnspaced(r):
			end := unspacedEnd(s[:to], at)
			list = v.appendUnspaced(list, s, at, end, border)
			at, border, first = end, false, false
		case isLetterOrNumber(r):
			end := wordEnd(s[:to], at)
			e := v.entry(s[at:end])
			if len(list) == 1 && !border && initial.capital && initial.term >= 0 && e.capital { // Ben Kuchera
				list[0].name = true
			}
			list = append(list, word{start: at, end: end, term: e.term, sense: e.sense, name: e.name || e.capital && !first && e.term >= 0, perhaps: e.capital && first && e.term >= 0, border: border})
			if first {
				initial = e
			}
			at, border, first = end, false, false
		default:
			border = border || strings.ContainsRune(",;:()[]{}—–，；：（）、。.!?！？\n|", r)
			at += size
		}
	}
	return list
}

// wordEnd is where the word that begins at start ends: letters and digits with apostrophes, points and commas of numbers
// and underscores between them.
func wordEnd(s string, start int) int {
	at := start
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		if isLetterOrNumber(r) && !isUnspaced(r) {
			at += size
			continue
		}
		after, _ := utf8.DecodeRuneInString(s[at+size:])
		before, _ := utf8.DecodeLastRuneInString(s[start:at])
		inNumber := (r == '.' || r == ',' || r == '·') && unicode.IsDigit(before) && unicode.IsDigit(after)
		inWord := (r == '\'' || r == '’' || r == '_') && isLetterOrNumber(after) && !isUnspaced(after)
		if !inNumber && !inWord {
			break
		}
		at += size
	}
	return at
}

func unspacedEnd(s string, start int) int {
	for i, r := range s[start:] {
		if !isUnspaced(r) {
			return start + i
		}
	}
	return len(s)
}

// appendUnspaced cuts a run of Chinese, Japanese or Korean characters into the words of the table of senses and, for the
// rest, into overlapping pairs.
func (v *vocabulary) appendUnspaced(list []word, s string, start, end int, border bool) []word {
	for at := start; at < end; {
		if size, known := unspacedSense(s[at:end]); size > 0 {
			list = append(list, word{start: at, end: at + size, term: -1, sense: known, border: border})
			at, border = at+size, false
			continue
		}
		_, size := utf8.DecodeRuneInString(s[at:end])
		next := at + size
		if next < end {
			_, size = utf8.DecodeRuneInString(s[next:end])
			list = append(list, word{start: at, end: next + size, term: v.pair(s[at : next+size]), border: border})
			border = false
		} else if at == start {
			list = append(list, word{start: at, end: next, term: v.pair(s[at:next]), border: border})
		}
		at = next
	}
	return list
}

func (v *vocabulary) pair(pair string) int32 {
	if text.IsStopWord(pair) {
		return -1
	}
	return v.number(pair)
}
