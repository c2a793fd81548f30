package nodes

import (
	"regexp"
	"strings"

	"github.com/kbagent/kbagent/internal/mask"
	"github.com/kbagent/kbagent/nodes/reply"
)

// tokenFilter shows an answer while it grows: without thinking, without markers that cite nothing, without card
// numbers, without a source list of the model's own. It holds back what may still become one of these. When what was shown turns out to be none of the answer
// (thinking whose opening tag was never sent), it says Restart and begins anew. It is for one goroutine.
type tokenFilter struct {
	items int
	emit  func(event any) // Token or Restart
	all   strings.Builder
	shown string
}

func newTokenFilter(items int, emit func(any)) *tokenFilter {
	return &tokenFilter{items: items, emit: emit}
}

// write takes the next piece of the answer.
func (f *tokenFilter) write(piece string) {
	f.all.WriteString(piece)
	text := f.all.String()
	text, _ = cutSources(reply.StripThinking(text[:len(text)-openTag(text)]))
	f.show(text[:len(text)-unsettled(text)])
}

// flush shows what was held back; the answer is complete.
func (f *tokenFilter) flush() {
	text, _ := cutSources(reply.StripThinking(f.all.String()))
	f.show(text)
}

func (f *tokenFilter) show(text string) {
	clean := rewrite(mask.Cards(text), func(m span) []int { return valid(m.numbers, f.items) })
	clean = strings.TrimLeft(clean, " \n")
	if !strings.HasPrefix(clean, f.shown) {
		f.emit(Restart{})
		f.shown = ""
	}
	if more := clean[len(f.shown):]; more != "" {
		f.shown = clean
		f.emit(Token{Text: more})
	}
}

// valid are the numbers from 1 to items.
func valid(numbers []int, items int) []int {
	var kept []int
	for _, n := range numbers {
		if n >= 1 && n <= items {
			kept = append(kept, n)
		}
	}
	return kept
}

// unsettled is the length of the end of text that may still change its meaning: white space, what may become a card
// number or a decimal fraction, an unclosed bracket.
func unsettled(text string) int {
	closed := len(strings.TrimRight(text, " \n0123456789-.,"))
	if i := strings.LastIndexByte(text, '['); i >= 0 && len(text)-i < 32 && !strings.Contains(text[i:], "]") {
		closed = min(closed, len(strings.TrimRight(text[:i], " ")))
	}
	return len(text) - closed
}

// tagBegin is what may become a tag around thinking.
var tagBegin = regexp.MustCompile(`[<◁]/?[A-Za-z|]{0,16}(\s[^<>]{0,100})?$`)

// openTag is the length of the end of text that may become a tag.
func openTag(text string) int {
	tail := text[max(0, len(text)-140):]
	if m := tagBegin.FindStringIndex(tail); m != nil {
		return len(tail) - m[0]
	}
	return 0
}
