package repl

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/state"
)

// contextLines is how many lines of the file are shown before and behind a passage.
const contextLines = 3

// yellow marks the words of the question.
const yellow = "33"

// excerpt is lines of a file, some of which are the passage and some of those the quote.
type excerpt struct {
	lines       []string
	first       int // number of the first line
	passageFrom int
	passageTo   int
	quoteFrom   int
	quoteTo     int
}

// passage shows the passage that a citation stands in, in its file: lines numbered as there, those of the quote marked, the
// words of the question highlighted, and what stands around it.
func (s *session) passage(ctx context.Context, last state.AgentState, c state.Citation) error {
	content, start, end, section := c.Quote, c.StartLine, c.EndLine, ""
	if item, ok := evidence(last, c.ItemID); ok {
		content, start, end, section = item.Content, item.StartLine, item.EndLine, item.Section
		if section == "" {
			section = item.Title
		}
	}
	lines := strings.Split(strings.TrimRight(content, "\r\n"), "\n")
	e := excerpt{lines: lines, first: start, passageFrom: start, passageTo: start + len(lines) - 1, quoteFrom: c.StartLine, quoteTo: c.EndLine}
	changed, err := s.around(ctx, c.Path, &e)
	if err != nil {
		return err
	}
	s.screen.println(s.source(ctx, c.N, c.Path, start, end, section))
	s.printExcerpt(e, wordsOf(last))
	if changed {
		s.screen.prose("note: the file has changed since; this is the passage as it was found", dim)
	}
	return nil
}

// around adds the lines of the file around a passage. It reports a file that does not hold the passage any more.
func (s *session) around(ctx context.Context, path string, e *excerpt) (changed bool, err error) {
	if s.cfg.Host == nil || isURL(path) {
		return false, nil
	}
	text, ok, err := s.cfg.Host.Text(ctx, path)
	if err != nil {
		return false, err
	}
	file := strings.Split(text, "\n")
	from, to := e.passageFrom-1, e.passageFrom-1+len(e.lines) // of file, to exclusive
	if !ok || from < 0 || to > len(file) || !sameLines(file[from:to], e.lines) {
		return true, nil
	}
	lead := max(0, from-contextLines)
	tail := min(len(file), to+contextLines)
	if tail == len(file) && tail > to && file[tail-1] == "" { // behind the last line feed
		tail--
	}
	e.lines, e.first = file[lead:tail], lead+1
	return false, nil
}

// sameLines compares lines of a file with a passage, whose ends may be cut within a line.
func sameLines(file, passage []string) bool {
	for i := range passage {
		if !strings.Contains(strings.TrimRight(file[i], "\r"), strings.TrimSpace(passage[i])) {
			return false
		}
	}
	return true
}

func (s *session) printExcerpt(e excerpt, words *regexp.Regexp) {
	width := len(strconv.Itoa(e.first + len(e.lines)))
	for i, line := range e.lines {
		n := e.first + i
		line = strings.TrimRight(clean(mask.Cards(line)), " ")
		s.screen.println(s.excerptLine(e, n, width, line, words))
	}
}

// excerptLine is one line of a file with its number.
func (s *session) excerptLine(e excerpt, n, width int, line string, words *regexp.Regexp) string {
	quoted := n >= e.quoteFrom && n <= e.quoteTo
	if s.screen.words {
		if quoted {
			return strings.TrimRight(fmt.Sprintf("Line %d, quoted: %s", n, line), " ")
		}
		return strings.TrimRight(fmt.Sprintf("Line %d: %s", n, line), " ")
	}
	mark, number := " ", fmt.Sprintf("%*d", width, n)
	switch {
	case quoted:
		mark = ">"
		line = s.highlight(line, words, bold)
	case n < e.passageFrom || n > e.passageTo:
		number, line = s.screen.paint(dim, number), s.screen.paint(dim, line)
	default:
		line = s.highlight(line, words, "")
	}
	return strings.TrimRight(mark+" "+number+" | "+line, " ")
}

// highlight shows the words of the question within a line that has a style.
func (s *session) highlight(line string, words *regexp.Regexp, style string) string {
	if !s.screen.color || words == nil {
		return s.screen.paint(style, line)
	}
	var b strings.Builder
	at := 0
	for _, found := range words.FindAllStringSubmatchIndex(line, -1) {
		b.WriteString(s.screen.paint(style, line[at:found[2]]) + s.screen.paint(both(style, yellow), line[found[2]:found[3]]))
		at = found[3]
	}
	return b.String() + s.screen.paint(style, line[at:])
}

// minHighlight is how many letters a word of the question has that is highlighted; shorter ones are in every line.
// maxHighlight is how many words are; a question may be a pasted page.
const (
	minHighlight = 4
	maxHighlight = 100
)

// wordsOf finds the words of the question, and words that start with them; nil when it has none.
func wordsOf(last state.AgentState) *regexp.Regexp {
	var parts []string
	for _, word := range append(strings.FieldsFunc(last.Query(), func(r rune) bool { return !isWordRune(r) }), last.Keywords...) {
		word = regexp.QuoteMeta(word)
		if len(parts) < maxHighlight && len([]rune(word)) >= minHighlight && !slices.Contains(parts, word) {
			parts = append(parts, word)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return regexp.MustCompile(`(?i)(?:^|[^\pL\pN])((?:` + strings.Join(parts, "|") + `)[\pL\pN]*)`)
}
