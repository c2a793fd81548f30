package text

import "strings"

// maxTerm is the longest term in bytes; what is longer (encoded data, mostly) is cut there, on both sides of a search alike.
const maxTerm = 96

// Terms returns what a search compares, in order of the text, repeated as often as they occur:
//
//   - words lower-cased, stop words left out, English ones stemmed (Porter2): "Searching" → "search",
//     and words in Russian letters (Snowball): "журналы" → "журнал";
//   - identifiers whole and in parts: "ReadFile" → "readfile", "read", "file"; "go.mod" → "go.mod", "go", "mod";
//   - numbers: "1,024" → "1024", "1.21" stays;
//   - runs of Han and Kana, and of Hangul, as overlapping pairs of characters: "数据库" → "数据", "据库";
//     a character that stands alone stays alone.
//
// An identifier as a whole is not stemmed while a plain word is: who looks for "readfile" asks for Terms and Words.
// A term is never empty and holds no white space.
func Terms(s string) []string {
	terms := make([]string, 0, len(s)/5)
	eachToken(s, func(t token) {
		if t.cjk {
			terms = appendPairs(terms, t.text)
		} else {
			terms = append(terms, met.terms(t.text)...)
		}
	})
	return terms
}

// Words returns the words as they stand, lower-cased, in order, without stop words: for display and for looking up synonyms.
// A run of Chinese, Japanese or Korean characters is one word.
func Words(s string) []string {
	var words []string
	eachToken(s, func(t token) {
		if w := normal(t.text); w != "" && !IsStopWord(w) {
			words = append(words, w)
		}
	})
	return words
}

// normal is word in lower case with plain apostrophes and without a possessive 's.
func normal(word string) string {
	w := strings.ToLower(word)
	if strings.ContainsRune(w, '’') {
		w = strings.ReplaceAll(w, "’", "'")
	}
	w = strings.TrimSuffix(w, "'s")
	return strings.Trim(w, "'_.:·")
}

func appendTerms(terms []string, word string) []string {
	if isPlain(word) { // most words, several times faster than below
		if word = strings.ToLower(word); IsStopWord(word) {
			return terms
		}
		return append(terms, cut(stem(word)))
	}
	whole := normal(word)
	if whole == "" || IsStopWord(whole) {
		return terms
	}
	if isNumber(whole) {
		return append(terms, cut(strings.ReplaceAll(whole, ",", "")))
	}
	if isPluralAbbreviation(word) {
		return append(terms, cut(strings.TrimSuffix(whole, "s"))) // Porter2 stems "cpus" to "cpus"
	}
	parts := splitIdentifier(strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s"))
	if len(parts) < 2 {
		return append(terms, cut(stem(whole)))
	}
	terms = append(terms, cut(whole))
	for _, part := range parts {
		part = strings.ToLower(part)
		if len(part) == 1 && !isDigit(rune(part[0])) || IsStopWord(part) {
			continue // the letters of "e.g." and the "to" of "mapToSlice" say nothing by themselves
		}
		terms = append(terms, cut(stem(part)))
	}
	return terms
}

// isPlain reports small ASCII letters, the first of which may be a capital.
func isPlain(word string) bool {
	for i := range len(word) {
		if c := word[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// appendPairs appends the overlapping pairs of run's characters.
func appendPairs(terms []string, run string) []string {
	previous, start, n := -1, 0, 0
	for i, r := range run {
		if n++; previous >= 0 {
			terms = appendPair(terms, run[previous:i+len(string(r))])
		}
		previous, start = i, i
	}
	if n == 1 {
		terms = appendPair(terms, run[start:])
	}
	return terms
}

func appendPair(terms []string, pair string) []string {
	if IsStopWord(pair) {
		return terms
	}
	return append(terms, pair)
}

// cut shortens a term to maxTerm bytes, between runes.
func cut(term string) string {
	if len(term) <= maxTerm {
		return term
	}
	return strings.ToValidUTF8(term[:maxTerm], "")
}
