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
	items   int
	emit    func(event any) // Token or Restart
	pending string          // what came and is not settled
	shown   string          // what pending shows by now
	inside  bool            // pending is not the begin of the answer
}

func newTokenFilter(items int, emit func(any)) *tokenFilter {
	return &tokenFilter{items: items, emit: emit}
}

// write takes the next piece of the answer.
func (f *tokenFilter) write(piece string) {
	f.pending += piece
	text := reply.StripThinking(f.pending[:len(f.pending)-openTag(f.pending)])
	text, _ = cutSources(text)
	f.show(text[:len(text)-unsettled(text)])
	f.settle()
}

// flush shows what was held back; the answer is complete.
func (f *tokenFilter) flush() {
	text, _ := cutSources(reply.StripThinking(f.pending))
	f.show(strings.TrimRight(text, " \n"))
}

func (f *tokenFilter) show(text string) {
	clean := f.clean(text)
	if !strings.HasPrefix(clean, f.shown) {
		f.emit(Restart{})
		f.shown, f.inside = "", false
		clean = f.clean(text)
	}
	if more := clean[len(f.shown):]; more != "" {
		f.shown = clean
		f.emit(Token{Text: more})
	}
}

func (f *tokenFilter) clean(text string) string {
	clean := rewrite(mask.Cards(text), func(m span) []int { return valid(m.numbers, f.items) })
	if f.inside {
		return clean
	}
	return strings.TrimLeft(clean, " \n")
}

// settle drops the part of pending that nothing can change any more, so that a long answer is not gone through again
// with each token: whole lines, or, of a very long line, all but its last words; never within code or thinking.
func (f *tokenFilter) settle() {
	cut := settled(f.pending)
	if cut == 0 {
		return
	}
	head := reply.StripThinking(f.pending[:cut])
	if _, fence := scan(head); fence != 0 || reply.StripThinking(f.pending[:cut]+"x") != head+"x" {
		return
	}
	if clean := f.clean(head); strings.HasPrefix(f.shown, clean) {
		f.pending, f.shown, f.inside = f.pending[cut:], f.shown[len(clean):], f.inside || clean != ""
	}
}

// Lengths, in bytes, from which a text is worth settling: of lines, and of one long line.
const (
	settleLines = 256
	settleLine  = 2048
)

// settled is the length of the begin of text that may be settled, 0 when it is not worth it.
func settled(text string) int {
	if len(text) < settleLines {
		return 0
	}
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	if len(text) < settleLine {
		return 0
	}
	for i := len(text) - 2; i > 0; i-- {
		if text[i] == ' ' && isLetter(text[i-1]) && isLetter(text[i+1]) {
			return i
		}
	}
	return 0
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

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
