package repl

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// growing is the answer that is being written. Its finished blocks are rendered; its last one stands on the screen as it
// comes.
type growing struct {
	streamed string // all of it, cleaned
	shown    string // what stands on the screen before the last block
	tail     string // the last block
	rest     string // the bytes of a character whose end has not come yet
}

// token prints the next piece of an answer. Only a terminal shows answers before their end.
func (s *screen) token(piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live {
		return
	}
	piece = s.answer.whole(piece)
	if piece = clean(piece); piece == "" {
		return
	}
	s.clearStatus()
	s.answer.streamed += piece
	s.answer.tail += piece
	s.write(piece)
	for {
		done, tail := finishedBlock(s.answer.tail)
		if done == "" {
			return
		}
		s.settleBlock(done, tail)
	}
}

// settleBlock puts a finished block, rendered, in the place of its source, and what follows it below.
func (s *screen) settleBlock(done, tail string) {
	rendered := s.render(done) + "\n\n"
	if rendered == done || !s.eraseTail() {
		s.answer.shown += done // as it came; what has scrolled away cannot be erased
		s.answer.tail = tail
		return
	}
	s.write(rendered + tail)
	s.answer.shown += rendered
	s.answer.tail = tail
}

// render is the Markdown of an answer as this screen shows it.
func (s *screen) render(text string) string {
	if s.raw {
		return strings.TrimSpace(text)
	}
	width := 0 // somebody listens: a line is a paragraph
	if !s.words {
		width, _ = s.size()
	}
	m := markdown{width: width, color: s.color, words: s.words}
	var blocks []string
	for done := "x"; done != ""; { // block by block, as when it grows
		done, text = finishedBlock(text)
		if done != "" {
			blocks = append(blocks, m.render(done))
		}
	}
	return strings.Join(append(blocks, m.render(text)), "\n\n")
}

// markdown prints a text that is Markdown.
func (s *screen) markdown(text string) {
	s.println(s.render(clean(text)))
}

// whole is the piece behind what was kept back, without a character at its end whose last bytes are still to come.
func (g *growing) whole(piece string) string {
	piece, g.rest = g.rest+piece, ""
	for i := len(piece) - 1; i >= 0 && len(piece)-i < utf8.UTFMax; i-- {
		if utf8.RuneStart(piece[i]) {
			if !utf8.FullRuneInString(piece[i:]) {
				piece, g.rest = piece[:i], piece[i:]
			}
			break
		}
	}
	return piece
}

// restart says that what was streamed is void and takes it off the screen, as far as the screen reaches.
func (s *screen) restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer.streamed == "" {
		return
	}
	s.eraseAnswer()
	s.write(s.paint(dim, "(the model failed in the middle of its answer, which is void; another one follows)") + "\n")
}

// finish prints the answer as it is in the end, as far as it is not on the screen yet.
func (s *screen) finish(answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearStatus()
	answer = strings.TrimSpace(clean(answer))
	more, grown := strings.CutPrefix(answer, strings.TrimSpace(s.answer.streamed))
	switch {
	case s.answer.streamed == "":
		s.write(s.render(answer) + "\n")
	case grown:
		s.finishTail(more)
	default: // checking its citations has changed the answer
		if !s.eraseAnswer() {
			s.write(s.paint(dim, "(this answer did not stand its check; what follows takes its place)") + "\n")
		}
		s.write(s.render(answer) + "\n")
	}
	s.answer = growing{}
}

// finishTail ends the answer with what was not streamed, and renders its last block.
func (s *screen) finishTail(more string) {
	source := strings.TrimSpace(s.answer.tail) + more
	rendered := s.render(source)
	if rendered == source || !s.eraseTail() {
		s.write(more + "\n")
		return
	}
	s.write(rendered + "\n")
}

// eraseTail takes the last block off the screen and leaves the cursor where it began. It returns false when it has scrolled
// away in part.
func (s *screen) eraseTail() bool { return s.eraseRows(s.answer.tail) }

// eraseAnswer takes the answer off the screen. It returns false, and starts a new line, when it has scrolled away in part.
func (s *screen) eraseAnswer() bool {
	all := s.answer.shown + s.answer.tail
	s.answer = growing{}
	if !s.eraseRows(all) {
		s.write("\n")
		return false
	}
	return true
}

// eraseRows takes a text off the screen at whose end the cursor stands.
func (s *screen) eraseRows(text string) bool {
	width, height := s.size()
	n := rows(unstyled(text), width)
	switch {
	case n >= height:
		return false
	case n > 1:
		s.write(fmt.Sprintf("\r\x1b[%dA%s", n-1, eraseBelow))
	default:
		s.write("\r" + eraseBelow)
	}
	return true
}

// style is what this package changes the style of text with.
var style = regexp.MustCompile("\x1b\\[[0-9;]*m|\x1b]8;[^\x1b]*\x1b\\\\")

// unstyled is a text as wide as it is shown.
func unstyled(text string) string { return style.ReplaceAllString(text, "") }
