package nodes

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/rules"
	"github.com/kbagent/kbagent/state"
)

// cited is an answer whose markers have been checked.
type cited struct {
	text      string // what is shown: without markers that cite nothing, card numbers masked
	citations []state.Citation
	faults    []citationFault
}

type citationFault struct {
	marker string
	reason string
}

var (
	markers = regexp.MustCompile(`^\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]`)
	quotes  = regexp.MustCompile(`["“]([^"“”]{20,}?)["”]`)
)

// cite checks the markers [n] of an answer against the numbered items. Each item that is cited becomes one citation
// with a quote that stands verbatim in the item, and the lines of that quote in the source file. Markers that cite no
// item are removed, and so are those behind a quotation that does not stand in the item. Code is left alone. Quotes are
// compared before card numbers are masked, and masked before markers leave the text and glue what stood around them.
func cite(text string, items []state.Evidence) cited {
	var c cited
	if body, invented := cutSources(text); invented {
		text = body
		c.faults = append(c.faults, citationFault{"", "the model wrote a source list of its own"})
	}
	said, claim, last := "", "", 0
	masked := mask.Cards(text) // of the same length, so that the markers stand where they stood
	c.text = rewrite(masked, func(m span) []int {
		if between := text[last:m.start]; strings.Trim(between, " ,.") != "" {
			said, claim = between, lastSentence(between)
		} // else a further marker of the same claim
		last = m.end
		var kept []int
		for _, n := range m.numbers {
			marker := "[" + strconv.Itoa(n) + "]"
			if n < 1 || n > len(items) {
				c.faults = append(c.faults, citationFault{marker, "marker " + marker + " cites no passage"})
				continue
			}
			start, end, ok := quoteFor(said, claim, items[n-1])
			if !ok {
				c.faults = append(c.faults, citationFault{marker, "a quotation of the answer does not stand in the passage that it cites"})
				continue
			}
			kept = append(kept, n)
			c.add(n, items[n-1], start, end)
		}
		return kept
	})
	slices.SortFunc(c.citations, func(a, b state.Citation) int { return a.N - b.N })
	return c
}

// sourcesHeading is the line above a source list of the model's own.
var sourcesHeading = regexp.MustCompile(`(?im)^[ \t]*(?:#+ *)?(?:\*\*)?(?:sources?|references|citations|来源|参考资料|参考文献)[ \t]*[:：]?(?:\*\*)?[ \t]*[:：]?[ \t]*$`)

// sourceLine is a line of such a list.
var sourceLine = regexp.MustCompile(`^\s*(?:[-*] *)?(?:\[\d{1,3}\].*)?$`)

// cutSources is text without a source list at its end: sources are listed by the program.
func cutSources(text string) (body string, cut bool) {
	all := sourcesHeading.FindAllStringIndex(text, -1)
	if len(all) == 0 {
		return text, false
	}
	at := all[len(all)-1]
	for line := range strings.Lines(text[at[1]:]) {
		if !sourceLine.MatchString(strings.TrimRight(line, "\n")) {
			return text, false
		}
	}
	return strings.TrimRight(text[:at[0]], " \n"), true
}

// lastSentence is the sentence that a marker stands behind.
func lastSentence(text string) string {
	text = strings.TrimSpace(text)
	head := strings.TrimRight(text, ".!?。！？ ")
	return strings.TrimSpace(text[lastSentenceEnd(head):])
}

// quoteFor is the byte range of the item's content that stands behind a marker: all that was said since the marker
// before, or the claim, when it stands there verbatim; the quotations in what was said, which all must; or else the
// sentence that shares most with the claim. White space makes no difference.
func quoteFor(said, claim string, item state.Evidence) (start, end int, ok bool) {
	if start, end, ok := verbatim(item.Content, said); ok {
		return start, end, true
	}
	for i, m := range quotes.FindAllStringSubmatch(said, -1) {
		s, e, stands := verbatim(item.Content, m[1])
		if !stands {
			return 0, 0, false
		}
		if i == 0 {
			start, end, ok = s, e, true
		}
	}
	if ok {
		return start, end, true
	}
	if start, end, ok := verbatim(item.Content, claim); ok {
		return start, end, true
	}
	if best := rules.BestSentences(claim, []state.Evidence{item}, rules.TermStats{}); len(best) > 0 {
		return best[0].Start, best[0].End, true
	}
	return 0, firstLines(item.Content), true
}

// firstLines is the end of the first paragraph.
func firstLines(content string) int {
	if i := strings.Index(content, "\n\n"); i > 0 {
		return i
	}
	return len(content)
}

// verbatim finds quote in content, any run of white space equal to any other, and returns its byte range with the mark
// that ends the sentence.
func verbatim(content, quote string) (start, end int, ok bool) {
	words := strings.Fields(quote)
	if len(words) == 0 {
		return 0, 0, false
	}
	for from := 0; ; {
		i := strings.Index(content[from:], words[0])
		if i < 0 {
			return 0, 0, false
		}
		start = from + i
		if end, ok := matchWords(content, start, words); ok {
			return start, end + sentenceMark(content[end:]), true
		}
		from = start + 1
	}
}

// sentenceMark is the length of the mark that ends a sentence at the start of s.
func sentenceMark(s string) int {
	for _, mark := range []string{".", "!", "?", "。", "！", "？"} {
		if strings.HasPrefix(s, mark) {
			return len(mark)
		}
	}
	return 0
}

// matchWords says where words, separated by white space, end in content when they start at start.
func matchWords(content string, start int, words []string) (end int, ok bool) {
	at := start
	for i, w := range words {
		if i > 0 {
			rest := strings.TrimLeft(content[at:], " \t\r\n\u00a0\u3000")
			if len(rest) == len(content)-at {
				return 0, false
			}
			at = len(content) - len(rest)
		}
		if !strings.HasPrefix(content[at:], w) {
			return 0, false
		}
		at += len(w)
	}
	return at, true
}

func (c *cited) add(n int, item state.Evidence, start, end int) {
	if slices.ContainsFunc(c.citations, func(old state.Citation) bool { return old.N == n }) {
		return
	}
	quote := item.Content[start:end]
	first := item.StartLine + strings.Count(item.Content[:start], "\n")
	c.citations = append(c.citations, state.Citation{
		N: n, Path: item.Path, StartLine: first, EndLine: first + strings.Count(quote, "\n"), Quote: quote, ItemID: item.ID, Page: page(item),
	})
}

// page is the page of an item of a format that has pages: they are the sections of its text.
func page(item state.Evidence) string {
	if strings.HasPrefix(item.Section, "page ") {
		return item.Section
	}
	return ""
}

// withoutMarkers is the answer as the conversation remembers it.
func withoutMarkers(text string) string { return rewrite(text, func(span) []int { return nil }) }
