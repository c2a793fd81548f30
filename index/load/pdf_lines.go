package load

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Distances in sizes of the letters.
const (
	wordGap      = 0.17 // between words; kerning is below 0.1, a narrow space above 0.2
	wideGap      = 0.6  // between words where letters fill squares: Chinese, Japanese, Korean
	sameLine     = 0.5  // up or down, for what is raised and lowered
	paragraphGap = 1.75 // from line to line
	boldShift    = 0.12 // between two drawings of the same letters
)

// pdfLines puts lines together from strings and their places.
type pdfLines struct {
	b      strings.Builder
	begun  bool
	last   string  // the string before
	angle  float64 // of its line
	along  float64 // where it ends in the direction of its line
	across float64 // the height of its line
	size   float64
	seen   map[drawn]drawn // by text and cell
}

// add adds a string that begins at place and takes so much of its line.
func (l *pdfLines) add(text string, place matrix, length float64) {
	text = tidy(text)
	angle := math.Atan2(place.b, place.a)
	sin, cos := math.Sincos(angle)
	size := math.Hypot(place.c, place.d)
	along, across := place.e*cos+place.f*sin, place.f*cos-place.e*sin
	if strings.TrimSpace(text) == "" || size == 0 {
		return // the gap says it
	}
	if l.drawnBefore(drawn{text, along, across}, size) {
		return // again, to look bold
	}
	if l.begun {
		l.b.WriteString(l.between(text, angle, along, across, size))
	}
	l.b.WriteString(text)
	l.begun, l.last, l.angle, l.across, l.size = true, text, angle, across, size
	l.along = along + length
}

// drawn is a string at its place.
type drawn struct {
	text          string
	along, across float64
}

// drawnBefore reports whether the same string stands at nearly the same place, and remembers this one.
func (l *pdfLines) drawnBefore(s drawn, size float64) bool {
	near := boldShift * size
	cell := drawn{s.text, math.Floor(s.along / near), math.Floor(s.across / near)}
	for dx := -1.0; dx <= 1; dx++ {
		for dy := -1.0; dy <= 1; dy++ {
			o, ok := l.seen[drawn{s.text, cell.along + dx, cell.across + dy}]
			if ok && math.Abs(o.along-s.along) < near && math.Abs(o.across-s.across) < near {
				return true
			}
		}
	}
	if l.seen == nil {
		l.seen = map[drawn]drawn{}
	}
	l.seen[cell] = s
	return false
}

// between is what stands between the string before and the next one.
func (l *pdfLines) between(text string, angle, along, across, size float64) string {
	unit := max(size, l.size)
	down := l.across - across
	switch {
	case math.Abs(angle-l.angle) > 0.1:
		return "\n\n"
	case math.Abs(down) < sameLine*unit && along > l.along-unit:
		return l.space(text, (along-l.along)/unit)
	case down < 0, down > paragraphGap*min(size, l.size):
		return "\n\n"
	default:
		return "\n"
	}
}

// space is a space when there is a gap and none of the strings has one.
func (l *pdfLines) space(text string, gap float64) string {
	before, _ := utf8.DecodeLastRuneInString(l.last)
	after, _ := utf8.DecodeRuneInString(text)
	limit := wordGap
	if square(before) && square(after) {
		limit = wideGap
	}
	if gap <= limit || unicode.IsSpace(before) || unicode.IsSpace(after) {
		return ""
	}
	return " "
}

// square reports a letter of a script without spaces between words.
func square(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r < 0x3020 || r >= 0xff00 && r < 0xff65
}

// text is the lines without white space at their ends; a word that is divided at the end of a line is put together there.
func (l *pdfLines) text() string {
	lines := strings.Split(l.b.String(), "\n")
	for i := range lines {
		lines[i] = oneLine(lines[i])
	}
	var out []string
	for i, line := range lines {
		if i+1 < len(lines) {
			line, lines[i+1] = joinDivided(line, lines[i+1])
			if lines[i+1] == "" && i+2 < len(lines) && line != lines[i] && lines[i+2] != "" {
				lines[i+1] = moved
			}
		}
		if line != moved {
			out = append(out, line)
		}
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// moved stands for a line whose only word went up.
const moved = "\x00"

// joinDivided moves the rest of a divided word to the line where it begins.
func joinDivided(line, next string) (string, string) {
	head, ok := strings.CutSuffix(line, "-")
	if !ok {
		return line, next
	}
	before, _ := utf8.DecodeLastRuneInString(head)
	after, _ := utf8.DecodeRuneInString(next)
	if !unicode.IsLetter(before) || !unicode.IsLower(after) {
		return line, next
	}
	rest, tail, _ := strings.Cut(next, " ")
	return head + rest, tail
}

var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st", "\u00ad", "-", "\u00a0", " ")

// tidy writes ligatures as letters and leaves out what is no letter.
func tidy(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r':
			return ' '
		case r < ' ', r == 0x7f, r == utf8.RuneError, r >= 0xe000 && r < 0xf900:
			return -1
		default:
			return r
		}
	}, s)
	return ligatures.Replace(s)
}
