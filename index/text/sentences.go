package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// Sentences returns the sentences of s, plain text or Markdown, in order, without the white space around them.
//
// Paragraphs are cut at Unicode's sentence boundaries (also after 。！？), not after common abbreviations and initials.
// A heading, a table row and a line of code are one unit each, a list item is cut like a paragraph; none of them is
// joined with what stands around it, and nothing is joined over a blank line. Marks of headings, items and quotes
// stand outside the spans; rules, fences and table borders are left out.
func Sentences(s string) []Span {
	var spans []Span
	for _, u := range units(s) {
		if u.whole {
			spans = appendTrimmed(spans, s, u.Span)
		} else {
			spans = appendSentences(spans, s, u.Span)
		}
	}
	return spans
}

// appendSentences cuts the prose s[u.Start:u.End], whose line breaks mean nothing.
func appendSentences(spans []Span, s string, u Span) []Span {
	prose := blankBreaks(s[u.Start:u.End])
	start := 0
	for it := sentences.FromString(prose); it.Next(); {
		end := it.End()
		if end < len(prose) && endsAbbreviated(prose[start:end]) {
			continue
		}
		spans = appendTrimmed(spans, s, Span{u.Start + start, u.Start + end})
		start = end
	}
	if start < len(prose) {
		spans = appendTrimmed(spans, s, Span{u.Start + start, u.End})
	}
	return spans
}

// blankBreaks replaces line breaks, and the quote marks after them, by as many spaces.
func blankBreaks(s string) string {
	if !strings.ContainsAny(s, "\r\n") {
		return s
	}
	b := []byte(s)
	lineStart := false
	for i, c := range b {
		switch {
		case c == '\n' || c == '\r':
			b[i], lineStart = ' ', true
		case lineStart && c == '>':
			b[i] = ' '
		case c != ' ' && c != '\t':
			lineStart = false
		}
	}
	return string(b)
}

func appendTrimmed(spans []Span, s string, u Span) []Span {
	part := s[u.Start:u.End]
	u.Start += len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
	part = s[u.Start:u.End]
	u.End -= len(part) - len(strings.TrimRightFunc(part, unicode.IsSpace))
	if u.Start >= u.End || !hasWordRune(s[u.Start:u.End]) {
		return spans
	}
	return append(spans, u)
}

var abbreviations = func() map[string]bool {
	set := map[string]bool{}
	for _, a := range strings.Fields(`e.g i.e cf vs etc al approx resp incl fig figs eq eqs sec ch vol no nos pp ed eds
		dr mr mrs ms prof st jr sr inc ltd co corp dept est u.s u.k a.m p.m jan feb mar apr jun jul aug sep sept oct nov dec`) {
		set[a] = true
	}
	return set
}()

// endsAbbreviated reports whether the sentence ends in an abbreviation or an initial, so that it probably goes on.
func endsAbbreviated(sentence string) bool {
	sentence = strings.TrimRightFunc(sentence, unicode.IsSpace)
	word, ok := strings.CutSuffix(sentence, ".")
	if !ok {
		return false
	}
	if i := strings.LastIndexFunc(word, unicode.IsSpace); i >= 0 {
		_, size := utf8.DecodeRuneInString(word[i:])
		word = word[i+size:]
	}
	word = strings.TrimLeft(word, "([\"'“‘*_")
	if r, size := utf8.DecodeRuneInString(word); size == len(word) && unicode.IsUpper(r) && r != 'I' {
		return true
	}
	return abbreviations[strings.ToLower(word)]
}
